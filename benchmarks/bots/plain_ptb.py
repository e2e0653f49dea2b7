"""python-telegram-bot as its documentation shows it: an application with handlers that polls."""

import os

from telegram import Update
from telegram.ext import Application, CommandHandler, ContextTypes, MessageHandler, filters

HELP = "Say something, and I say it too. There is /help and nothing else."


async def show_help(update: Update, _: ContextTypes.DEFAULT_TYPE) -> None:
    assert update.message is not None
    await update.message.reply_text(HELP)


async def echo(update: Update, _: ContextTypes.DEFAULT_TYPE) -> None:
    assert update.message is not None
    await update.message.reply_text(f"echo: {update.message.text}")


def main() -> None:
    application = Application.builder().token(os.environ["BENCH_TOKEN"]).base_url(os.environ["BENCH_URL"]).build()
    application.add_handler(CommandHandler("help", show_help))
    application.add_handler(MessageHandler(filters.TEXT & ~filters.COMMAND, echo))
    application.run_polling(allowed_updates=Update.ALL_TYPES)


if __name__ == "__main__":
    main()
