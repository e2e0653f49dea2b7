"""Host tools: what an engine may have the core do while it answers, an object per tool."""
