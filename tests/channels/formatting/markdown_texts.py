"""Markdown to try the formatting with: noise, answers as a model writes them, and what was made to break parsers."""

import re

from hypothesis import strategies as st

NASTY = (
    "\x00",
    "\x1b[31m",
    "\x07",
    "\ud83d",
    "\ude00",
    "\u202e",
    "\u2066",
    "\ufeff",
    "\uffff",
    "\u2028",
    "\x85",
    "\r\n",
    "\t",
    "\x0b",
    "\u200b",
    "\u00a0",
    "\u0301",
    "👩‍👩‍👧‍👦",
    "🇫🇷🇩🇪",
    "👍🏽",
    "日本語。",
    "한국어",
    "עברית",
    "\U000e0067",
)
MARKERS = (
    "*", "**", "***", "_", "__", "~", "~~", "`", "``", "```", "```py\n", "~~~\n", "\\", "&", "&amp;", "&lt;",
    "&#64;", "<", ">", "|", "[", "]", "](", "(", ")", "!", "![", "#", "# ", "## ", "####### ", "-", "- ", "+ ",
    "* ", "1. ", "7) ", "123456789. ", "> ", ">> ", "---", "===", "\n---\n", "\n===\n", "\n|---|---|\n",
    "| a | b |\n|---|:-:|\n| c | d | e |\n", "- [ ] ", "- [x] ", "    ", "  \n", "\n", "\n\n", " ", "  ", ":",
    ";", ".", ". ", "!", "? ", '"', "'", "@", "/", "[a](http://e.com/x_y)", "[e.com](https://evil.org)",
    "<https://e.com>", "![p](https://e.com/p.png)", "[r]: http://e.com\n", "[r]", "[t](tg://user?id=1)",
    "[j](javascript:alert(1))", "[f](./file.py:1)", "https://e.com/a_b_c*d~~e", "<b>", "</b>", "<!-- c -->",
    "@everyone", "@here", "@channel", "<@123>", "<@!123>", "<@&123>", "<#123>", "<!channel>", "<!here>",
    "<@U123>", "<#C123>", "<!subteam^S1>", "<at>Ada</at>", "<:e:1>", "<t:1>", "</cmd:1>",
)  # fmt: skip
WORDS = st.sampled_from(("word", "Wörter", "x", "snake_case", "a.b", "don't", "3", "слово", "long" * 30))

NOISE = st.lists(
    st.one_of(st.sampled_from(NASTY), st.sampled_from(MARKERS), st.sampled_from(MARKERS), WORDS, st.text(max_size=5)),
    max_size=60,
).map("".join)
"""Anything at all."""

PROSE = st.lists(
    st.one_of(
        WORDS,
        st.sampled_from(
            (
                " ",
                " ",
                "\n",
                "\n\n",
                "> ",
                "- ",
                "1. ",
                "# ",
                "    ",
                "**",
                "*",
                "_",
                "~~",
                "`code`",
                "\n---\n",
                "\n===\n",
            )
        ),
        st.sampled_from(("\n```\n", "\n| a | b |\n|---|---|\n", "|", "\\", "!")),
    ),
    max_size=80,
).map("".join)
"""Text in which every word is for reading: no links, no entities."""

LONG = st.tuples(NOISE, st.integers(1, 400)).map(lambda made: (made[0] * made[1])[:30_000])
"""Noise that fills several messages of any app."""


@st.composite
def answers(draw: st.DrawFn) -> str:
    """An answer of a model: blocks of every kind, one after the other, the words numbered in reading order."""
    count = draw(st.integers(1, 12))
    return "\n\n".join(draw(BLOCKS) for _ in range(count))


LINE = st.lists(
    st.sampled_from((
        "plain words.", "**bold** text", "*slanted*", "`code`", "~~gone~~", "[a link](https://example.com/path?a=1&b=2)",
        "snake_case", "A sentence ends. Another!", "日本語の文です。", "café 👩‍👩‍👧‍👦", "5 * 3 < 20 & more",
        "@everyone", "<@123>", "https://example.com/a_b",
    )),
    min_size=1, max_size=25,
).map(" ".join)  # fmt: skip
CODE_LINE = st.sampled_from(
    ("def f(x: int) -> str:", "    return '<b>' & x", "", "# @everyone `tick`", "x" * 90, "日本語 = 1")
)
BLOCKS = st.one_of(
    LINE,
    LINE.map("## {}".format),
    st.lists(LINE, min_size=1, max_size=6).map(lambda items: "\n".join(f"- {item}" for item in items)),
    st.lists(LINE, min_size=1, max_size=6).map(
        lambda items: "\n".join(f"{n}. {i}\n   - inner {i}" for n, i in enumerate(items))
    ),
    st.lists(LINE, min_size=1, max_size=4).map(lambda lines: "\n".join(f"> {line}" for line in lines)),
    st.lists(CODE_LINE, min_size=1, max_size=60).map(lambda lines: "```python\n" + "\n".join(lines) + "\n```"),
    st.lists(st.tuples(LINE, LINE), min_size=1, max_size=20).map(
        lambda rows: "| Name | Wert |\n|:--|--:|\n" + "\n".join(f"| {a} | {b} |" for a, b in rows)
    ),
)

HOSTILE = {
    "quotes": "> " * 1000 + "deep",
    "lists": "- " * 1000 + "deep",
    "numbers": "1. " * 1000 + "deep",
    "mixed": "> - 1. " * 400 + "deep",
    "staircase": "".join("  " * level + "- step\n" for level in range(300)),
    "quote staircase": "".join("> " * level + "step\n" for level in range(300)),
    "brackets": "[" * 20_000,
    "images": "![" * 10_000,
    "nested images": "![" * 500 + "a" + "](b)" * 500,
    "nested links": "[" * 500 + "a" + "](b)" * 500,
    "open links": "[a](" * 5_000,
    "stars": "*a **b " * 5_000,
    "backticks": "".join("`" * count + "a" for count in range(200)),
    "tildes": "~~a" * 5_000,
    "angles": "<" * 20_000,
    "entities": "&amp;" * 20_000,
    "wide table": "|a" * 2_000 + "\n" + "|-" * 2_000 + "\n" + "|b" * 2_000,
    "filled table": "|a" * 200 + "\n" + "|-" * 200 + "\n" + "b\n" * 200,
    "one cell": f"| a | b |\n|---|---|\n| {'x' * 10_000} | y |",
    "long word": "x" * 50_000,
    "long link": f"[label](https://example.com/{'x' * 20_000})",
    "long code line": "```\n" + "x" * 50_000,
    "code of backticks": "~~~\n" + "`" * 5_000 + "\n~~~",
    "only marks": "\u0301" * 10_000,
    "only joiners": "👩" + "\u200d👩" * 5_000,
    "only flags": "🇫🇷" * 5_000,
    "blank code": "```\n" + "\n" * 5_000,
    "lines": "a\n" * 20_000,
    "definitions": "[a]: b\n" * 5_000,
    "a megabyte of words": "word " * 200_000,
    "a megabyte in one": "x" * 1_000_000,
    "a megabyte of markup": "**a** `b` [c](http://d.com) " * 37_000,
    "surrogates": "\ud83d" * 5_000,
    "nothing": "\x00" * 5_000,
}


def words_of(text: str) -> list[str]:
    """The words in reading order; what was put inside one to keep it harmless is taken out."""
    return re.findall(r"[^\W_]+", text.replace("\u200b", ""))
