"""Cards in chats: questions, permissions, plans, offers, replies and views: drawn, answered, kept as they are."""
