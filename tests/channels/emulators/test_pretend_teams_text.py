"""What people read of a bot's Markdown on the pretend Teams."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.emulators.teams.markdown import card_plain, plain

HARD = "  \n"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("**bold** _italic_ *also* ~~gone~~ ***both***", "bold italic also gone both"),
        ("`a*b*c` and ``a`b``", "a*b*c and a`b"),
        ("```python\nx = 1\n\n# **no**\n```", "x = 1\n\n# **no**"),
        ("[words](https://x.example) and ![alt](https://x.example/p.png)", "words and alt"),
        ("one\ntwo", "one two"),
        (f"one{HARD}two", "one\ntwo"),
        ("one\\\ntwo", "one\ntwo"),
        ("one<br/>two", "one\ntwo"),
        ("one\n\ntwo", "one\ntwo"),
        ("before\n- a\n- b\n1. c", "before\n• a\n• b\n1. c"),
        ("> said\n> so", "said so"),
        ("# Title\n\ntext", "Title\ntext"),
        ("1 * 2 * 3 and snake_case_name", "1 * 2 * 3 and snake_case_name"),
        (r"\*not bold\* and \_neither\_", "*not bold* and _neither_"),
        ("<at>Ann</at> &lt;b&gt; &amp;", "Ann <b> &"),
        ("a\u00a0b", "a b"),
    ],
)
def test_a_message_is_read_so(text: str, seen: str) -> None:
    assert plain(text) == seen


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("**bold** and `code`", "bold and `code`"),
        ("# no title", "# no title"),
        ("- a\r- b", "• a\n• b"),
        ("one\n\ntwo", "one\ntwo"),
        (r"\[x\](y)", "[x](y)"),
    ],
)
def test_text_in_a_card_is_read_so(text: str, seen: str) -> None:
    assert card_plain(text) == seen


@given(st.text(alphabet="ab *_`~[]()<>&\\\n#-1.", max_size=60))
def test_no_text_is_too_odd_to_be_read(text: str) -> None:
    assert isinstance(plain(text), str)
    assert isinstance(card_plain(text), str)


@given(st.lists(st.text(alphabet="abcdef,.!? ", min_size=1).map(str.strip).filter(bool), min_size=1, max_size=4))
def test_paragraphs_of_plain_words_are_lines(paragraphs: list[str]) -> None:
    text = "\n\n".join(paragraphs)

    assert plain(text) == "\n".join(paragraphs)
