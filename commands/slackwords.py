"""What the words after `/conch` mean, the one command that Slack is told of: a command of ours, or something said."""

from commands.command import Place
from commands.parsing import ParsedCommand, parse_chat_command
from commands.registry import PENDING
from commands.resolution import NO_OTHERS, EngineCommand, OtherNames, Unknown, resolve
from commands.similar import similar_commands


def parse_slack_words(
    words: str, place: Place, others: OtherNames = NO_OTHERS, *, pending: tuple[str, ...] = PENDING
) -> ParsedCommand | None:
    """The command the words are, or None when they are an ordinary message (`/conch what's on today?` asks).

    Nothing at all is help. A single word that is nearly a name counts as a command, so that the person hears what was
    probably meant instead of an answer to a slip of the finger.
    """
    said = words.strip()
    if not said:
        return ParsedCommand("help")
    command = parse_chat_command("/" + said.removeprefix("/"))
    if command is None or command.bot is not None:
        return None
    if _is_known(command.name, others, with_slash=said.startswith("/")):
        return command
    meant = not command.arguments and similar_commands(command.name, place, others, pending=pending)
    return command if meant else None


def _is_known(name: str, others: OtherNames, *, with_slash: bool) -> bool:
    match resolve(name, others):
        case Unknown():
            return False
        case EngineCommand():
            # Engines name commands after everyday words: `/conch explain this` asks, `/conch /explain this` does not.
            return with_slash
        case _:
            return True
