"""The methods of the Bot API that the pretend Telegram plays, by what they are about; `table` lists them all."""
