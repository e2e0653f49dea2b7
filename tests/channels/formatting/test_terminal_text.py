"""Plain text for a terminal or a log."""

from channels.formatting.parts import Dialect, Part, format_message


def test_everything_is_said_without_markup() -> None:
    text = (
        "# Title\n**b** [l](https://e.com) [same](same)\n\n> one\n>\n> > two\n\n```py\nx = 1\n```\n- item\n\n---\n\nend"
    )

    (part,) = format_message(text, Dialect.text)

    assert part.text == ("Title\nb l (https://e.com) same\n\n> one\n>\n> > two\n\n    x = 1\n- item\n\n———\n\nend")
    assert part.plain == part.text


def test_there_is_no_limit_unless_one_is_asked_for() -> None:
    text = "word " * 20_000

    assert len(format_message(text, Dialect.text)) == 1
    assert len(format_message(text, Dialect.text, limit=10_000)) == 10


def test_a_terminal_cannot_be_steered() -> None:
    assert format_message("\x1b]0;title\x07text", Dialect.text) == (Part("]0;titletext", "]0;titletext"),)
