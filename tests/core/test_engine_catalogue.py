"""What there is to choose from."""

import asyncio
from dataclasses import dataclass

import pytest

from core.engines.base import ModelInfo
from core.engines.catalogue import AWAY, Catalogue, EngineChoice, found
from core.engines.registry import Engines
from core.errors import Refused, RefusedReason, TryLater
from core.preferences import Preferences
from core.settings import Settings
from tests.core.lives import Wayward, deaf

OPUS = ModelInfo("claude-opus-5", "Claude Opus 5")
HAIKU = ModelInfo("claude-haiku-5", "Claude Haiku 5")
GPT = ModelInfo("gpt-6", "GPT-6")
GPT_MINI = ModelInfo("gpt-6-mini", "GPT-6 mini")


@dataclass
class Shelf(Wayward):
    """An engine with these models, or with trouble."""

    offers: tuple[ModelInfo, ...] = ()
    trouble: Exception | None = None
    hangs: bool = False

    async def models(self) -> tuple[ModelInfo, ...]:
        if self.hangs:
            await asyncio.Event().wait()
        if self.trouble is not None:
            raise self.trouble
        return self.offers


def shelf(name: str, *offers: ModelInfo, trouble: Exception | None = None, hangs: bool = False) -> Shelf:
    return Shelf(deaf, id=name, title=name.title(), offers=offers, trouble=trouble, hangs=hangs)


def catalogue(*engines: Shelf, seconds: float = 5) -> Catalogue:
    return Catalogue(Engines(engines, Preferences(Settings())), seconds)


async def test_every_engine_is_listed_with_its_models() -> None:
    offered = await catalogue(shelf("anthropic", OPUS), shelf("demo")).offered()

    assert offered == (
        EngineChoice("anthropic", "Anthropic", ready=True, models=(OPUS,)),
        EngineChoice("demo", "Demo", ready=True),
    )


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (TryLater("Send it again later."), AWAY),
        (Refused("The key does not work.", RefusedReason.AUTH), "The key does not work."),
        (RuntimeError("secret"), "It broke when it was asked which models it has; the log has the reason."),
    ],
)
async def test_one_in_trouble_says_so_and_keeps_the_others_from_nothing(trouble: Exception, said: str) -> None:
    offered = await catalogue(shelf("bad", trouble=trouble), shelf("good", GPT)).offered()

    assert [(each.engine, each.trouble, each.models) for each in offered] == [("bad", said, ()), ("good", None, (GPT,))]


async def test_one_that_never_answers_is_not_waited_for() -> None:
    offered = await catalogue(shelf("slow", hangs=True), shelf("good", GPT), seconds=0.01).offered()

    assert [(each.engine, each.trouble) for each in offered] == [("slow", AWAY), ("good", None)]


OFFERED = (
    EngineChoice("anthropic", "Anthropic", ready=True, models=(OPUS, HAIKU)),
    EngineChoice("openai", "OpenAI", ready=True, models=(GPT, GPT_MINI)),
    EngineChoice("router", "Router", ready=True, models=(GPT,)),
)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("gpt-6", ["openai/gpt-6"]),
        ("GPT-6", ["openai/gpt-6"]),
        ("router/gpt-6", ["router/gpt-6"]),
        ("claude  opus 5", ["anthropic/claude-opus-5"]),
        ("gpt", ["openai/gpt-6", "openai/gpt-6-mini", "router/gpt-6"]),
        ("5 claude", ["anthropic/claude-opus-5", "anthropic/claude-haiku-5"]),
        ("mini", ["openai/gpt-6-mini"]),
        ("llama", []),
        ("  ", []),
    ],
)
def test_words_name_a_model_exactly_or_by_its_parts(words: str, meant: list[str]) -> None:
    models = found(OFFERED, words, "anthropic")

    assert [f"{each.engine}/{each.model.id}" for each in models] == meant


def test_of_models_with_the_same_name_the_one_of_the_engine_in_use_is_meant() -> None:
    [exact] = found(OFFERED, "gpt-6", "router")
    several = found(OFFERED, "gpt", "router")

    assert exact.engine == "router"
    assert [each.engine for each in several] == ["router", "openai", "openai"]


async def test_words_are_looked_for_in_what_the_engines_say_now() -> None:
    [meant] = await catalogue(shelf("anthropic", OPUS, HAIKU), shelf("openai", GPT)).find_model("haiku", "openai")

    assert (meant.engine, meant.engine_title, meant.model) == ("anthropic", "Anthropic", HAIKU)


# ---- what is known without waiting -----------------------------------------------------------------------------------


async def test_what_is_known_waits_for_no_engine_that_hangs() -> None:
    hanging = shelf("openai", GPT)
    offered = catalogue(shelf("anthropic", OPUS), hanging)
    await offered.known()
    hanging.hangs = True

    known = await offered.known()
    await offered.close()

    assert [choice.models for choice in known] == [(OPUS,), (GPT,)]


async def test_an_engine_that_never_said_anything_is_known_by_name_alone() -> None:
    offered = catalogue(shelf("openai", hangs=True), shelf("anthropic", OPUS))

    known = await offered.known()
    await offered.close()

    assert known[0] == EngineChoice("openai", "Openai", ready=False)
    assert known[1].models == (OPUS,)


async def test_what_there_is_now_is_known_the_next_time() -> None:
    growing = shelf("openai", GPT)
    offered = catalogue(growing)
    await offered.known()
    growing.offers = (GPT, GPT_MINI)

    await offered.known()
    await asyncio.sleep(0)
    later = await offered.known()
    await offered.close()

    assert later[0].models == (GPT, GPT_MINI)


async def test_trouble_takes_nothing_of_what_is_known() -> None:
    shaky = shelf("openai", GPT)
    offered = catalogue(shaky)
    await offered.offered()
    shaky.trouble = TryLater("Away.")

    await offered.offered()
    known = await offered.known()
    await offered.close()

    assert known[0].models == (GPT,)
