"""What commands do when they are typed or tapped in a chat app: an object per command, and who may run which."""
