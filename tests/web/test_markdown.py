"""Markdown on a page: what it becomes, and what never gets through."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from web.markdown import ATTRIBUTES, LONGEST, TAGS, blocks, render

PROBES = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "![x](javascript:alert(1))",
    '![x" onerror="alert(1)](https://a.example/x.png)',
    '[x](https://a.example/"onclick="alert(1))',
    '```html" onload="x\n</code><script>alert(1)</script>\n```',
    "`</code><script>alert(1)</script>`",
    "<https://a.example/><svg onload=alert(1)>",
    "|a|\n|-|\n|<iframe src=javascript:alert(1)>|",
    '<a href="vbscript:x">y</a>',
)

ELEMENT = re.compile(r"<(/?)([a-zA-Z0-9]+)((?:\s+[a-z-]+=(?:\"[^\"<>]*\"|'[^'<>]*'))*)\s*/?>")
ATTRIBUTE = re.compile(r"([a-z-]+)=(?:\"([^\"]*)\"|'([^']*)')")


def expect_safe(html: str) -> None:
    """Only elements and attributes of the list, only addresses of the web and of mail, and no other `<` at all."""
    rest = ELEMENT.sub("", html)
    assert "<" not in rest, rest
    for _, tag, attributes in ELEMENT.findall(html):
        assert tag in TAGS
        for name, one, other in ATTRIBUTE.findall(attributes):
            assert name in {*ATTRIBUTES.get(tag, ()), *({"rel", "target"} if tag == "a" else ())}
            if name == "href":
                assert re.match(r"(https?|mailto):", one or other, re.IGNORECASE)


@pytest.mark.parametrize("probe", PROBES)
def test_nothing_of_a_script_gets_through(probe: str) -> None:
    expect_safe(render(probe))


@given(st.text(alphabet=st.sampled_from("<>/\"'`[]()!|-*_~ \n\\&;:#aonscript=javdt"), max_size=120))
def test_whatever_is_written_only_what_is_on_the_list_comes_out(text: str) -> None:
    expect_safe(render(text))


def test_what_people_write_is_formatted() -> None:
    html = render(
        "# Head\n\n**bold** _it_ ~~gone~~ `code`\n\n1. one\n2. two\n\n> said\n\n| a | b |\n|---|--:|\n| 1 | 2 |"
    )

    for part in ("<h1>Head</h1>", "<strong>bold</strong>", "<em>it</em>", "<s>gone</s>", "<code>code</code>", "<ol>"):
        assert part in html
    assert '<td align="right">2</td>' in html


def test_a_link_tells_the_other_side_nothing() -> None:
    assert render("[x](https://a.example)") == (
        '<p><a href="https://a.example" target="_blank" rel="noopener noreferrer nofollow">x</a></p>\n'
    )


@pytest.mark.parametrize("address", ["/chats/1/undo", "//a.example", "#m-1", "undo"])
def test_a_link_leads_to_no_page_of_ours(address: str) -> None:
    assert "href" not in render(f"[x]({address})")


def test_a_whole_address_becomes_a_link_and_a_name_does_not() -> None:
    html = render("see https://a.example/x_y?z=1. Or main.py, a@b.example, `https://c.example`")

    assert html.count("<a ") == 1
    assert 'href="https://a.example/x_y?z=1"' in html


def test_a_picture_becomes_a_link() -> None:
    assert '<a href="https://a.example/x.png" target="_blank" rel="noopener noreferrer nofollow">cat</a>' in render(
        "![cat](https://a.example/x.png)"
    )


def test_code_can_be_reached_by_the_keyboard() -> None:
    assert render("```py\nx < 1\n```") == '<pre tabindex="0"><code>x &lt; 1\n</code></pre>\n'


def test_what_comes_later_changes_only_the_last_block() -> None:
    first, second = blocks("one\n\n- two"), blocks("one\n\n- two\n- three")

    assert first[0] == second[0]
    assert len(first) == len(second) == 2


def test_a_text_without_end_stands_there_plain_from_some_point() -> None:
    html = render("a" * LONGEST + "<b>")

    assert html.endswith("<pre tabindex='0'>&lt;b&gt;</pre>")
