"""Whether a tool call may run: yes, no, or only after somebody said so. Decided anew before every call, in every mode.

Pure, and the only place that says it. What else a conversation holds back is in `core.safety.guard`, how a call reads
in `core.safety.summaries`, who is asked and waits in `core.asking`.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Any, Final, Literal

from core.events import Mode


class ToolKind(StrEnum):
    """What a call does at most."""

    READ = "read"
    WORK_FOLDER = "work-folder"
    """It changes something in the conversation's own folder."""
    ELSEWHERE = "elsewhere"
    """It changes something anywhere else; also what nobody can say more about."""
    SEND = "send"
    """It sends or posts something."""
    COMMAND = "command"
    """It runs a command."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that somebody has to decide about."""

    name: str
    args: Mapping[str, Any]
    kind: ToolKind
    turned_off: bool = False
    """The owner turned this tool off."""
    setting: Literal["ask", "allow"] | None = None
    """What the owner set for this tool."""
    sealed: bool = False
    """A command that cannot reach beyond its own folder, whatever it does."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """Something about the conversation holds a call back: why, for people; not `asks`: it is only noted."""

    reason: str
    asks: bool = True


@dataclass(frozen=True, slots=True)
class Allow:
    """It runs; with a `note` for people where something would have held it back."""

    note: str | None = None


@dataclass(frozen=True, slots=True)
class Deny:
    """It does not run; `reason` is for the model."""

    reason: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A person decides. `reason` for people, where there is more to it than the mode; `once`: no "always"."""

    reason: str | None = None
    once: bool = False


ALLOWED: Final[Mapping[Mode, frozenset[ToolKind]]] = {
    Mode.PLAN: frozenset({ToolKind.READ}),
    Mode.ASK: frozenset({ToolKind.READ}),
    Mode.EDIT: frozenset({ToolKind.READ, ToolKind.WORK_FOLDER}),
    Mode.AUTO: frozenset({ToolKind.READ, ToolKind.WORK_FOLDER}),
    Mode.FULL: frozenset(ToolKind),
}
"""What runs without asking; in Auto a sealed command does too. Plan mode asks nothing: the rest is denied."""

NOT_FOR_GUESTS: Final = "This person may only be talked with: no tool runs for them. Answer in words."
TURNED_OFF: Final = "The owner turned this tool off. Do without it, and say so."
PLANNING: Final = (
    "Plan mode is on, so nothing that changes anything runs. Look, read and think; the person has to start the plan"
    " first."
)


def decide(call: ToolCall, *, mode: Mode, guest: bool, guarded: Guarded | None, always: bool) -> Allow | Deny | Ask:
    """What becomes of a call. `always`: this exact action was allowed for good in this chat."""
    if guest:
        return Deny(NOT_FOR_GUESTS)
    if call.turned_off:
        return Deny(TURNED_OFF)
    if mode is Mode.PLAN and call.kind is not ToolKind.READ:
        return Deny(PLANNING)
    if guarded and guarded.asks:
        return Ask(guarded.reason, once=True)
    note = guarded.reason if guarded else None
    if call.setting == "ask":
        return Ask(once=True)  # an "always" would not count the next time either
    if call.setting == "allow" or _mode_allows(call, mode):
        return Allow(note)
    interpreted = runs_an_interpreter(call.args)
    return Allow(note) if always and not interpreted else Ask(once=interpreted)


def _mode_allows(call: ToolCall, mode: Mode) -> bool:
    sealed = mode is Mode.AUTO and call.kind is ToolKind.COMMAND and call.sealed
    return sealed or call.kind in ALLOWED[mode]


# ---- always ----------------------------------------------------------------------------------------------------------


def action_of(name: str, args: Mapping[str, Any]) -> str:
    """The name of an exact action: this tool with these very arguments, in whatever order they were written."""
    canonical = json.dumps([name, args], sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:32]


_COMMAND_KEYS: Final = frozenset({"command", "cmd", "commands", "argv", "shell", "exec", "program", "run"})
_CODE_KEYS: Final = frozenset({"code", "script", "source"})
_NEXT_COMMAND: Final = re.compile(r"[;&|\n`(){}]+|\$\(")
_SUBSTITUTED: Final = re.compile(r"`|[$<>]\(")
"""What runs is what something else printed."""
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_VERSION: Final = re.compile(r"[\d.]+(?:\.exe)?$|\.exe$")
_WRAPPERS: Final = frozenset(
    {"command", "doas", "env", "exec", "nice", "nohup", "npx", "pnpx", "setsid", "stdbuf", "sudo", "time", "timeout"}
    | {"uvx", "xargs", "watch", "find", "parallel", "ssh", "su", "docker", "podman", "kubectl", "wsl", "chroot"}
)
"""They run what follows, wherever that stands; so they count as interpreters too."""
_INTERPRETERS: Final = _WRAPPERS | {
    *(
        "ash",
        "awk",
        "bash",
        "bun",
        "busybox",
        "cmd",
        "csh",
        "dash",
        "deno",
        "eval",
        "expect",
        "fish",
        "gawk",
        "ipython",
    ),
    *(
        "irb",
        "java",
        "jshell",
        "julia",
        "ksh",
        "lua",
        "make",
        "node",
        "nodejs",
        "osascript",
        "perl",
        "php",
        "powershell",
    ),
    *("psql", "pwsh", "pypy", "python", "rscript", "ruby", "sed", "sh", "source", "sqlite", "tclsh", "tmux", "screen"),
    *("ts-node", "tsx", "uv", "vim", "vi", "zsh", "."),
}


def runs_an_interpreter(args: Mapping[str, Any]) -> bool:
    """Whether what these arguments run could be anything at all: a shell, a language, something that starts another."""
    for key, value in args.items():
        plain = str(key).lower()
        if plain in _CODE_KEYS:
            return True
        if plain in _COMMAND_KEYS and any(_is_interpreter(word) for word in _programs(value)):
            return True
    return False


def _programs(command: object) -> Iterator[str]:
    """The first word of each command in a line, or of a list of words; `eval` where what runs is not written there."""
    if isinstance(command, list | tuple):
        command = " ".join(str(word) for word in command)
    if _SUBSTITUTED.search(str(command)):
        yield "eval"
    for part in _NEXT_COMMAND.split(str(command)):
        words = [word.strip("'\"") for word in part.split()]
        while words and _ASSIGNMENT.match(words[0]):
            words.pop(0)
        if words:
            yield words[0]


def _is_interpreter(word: str) -> bool:
    if word.startswith("$"):  # whatever that is when it runs
        return True
    name = PurePosixPath(word.replace("\\", "/")).name.lower() or word
    return name in _INTERPRETERS or _VERSION.sub("", name) in _INTERPRETERS
