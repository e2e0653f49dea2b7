"""How a link is said: as a link, as its address, or as both."""

import pytest

from channels.formatting.links import LinkRules, Shown, acceptable, shown

RULES = LinkRules(frozenset({"http", "https", "mailto"}))
LINK, LABEL = Shown(linked=True), Shown(linked=False)


@pytest.mark.parametrize(
    "label", ["the docs", "main.py", "Node.js", "README.md", "docs.example.com", "https://example.com/a", "v1.2"]
)
def test_a_label_that_is_true_is_a_link(label: str) -> None:
    href = "https://docs.example.com/x" if "docs." in label else "https://www.example.com/x"

    assert shown(label, href, RULES, 100) == LINK


@pytest.mark.parametrize(
    "label", ["evil.com", "www.evil.com/login", "https://evil.com", "HTTPS://EVIL.COM", "ftp://evil.com"]
)
def test_a_label_that_names_another_place_is_followed_by_the_address(label: str) -> None:
    assert shown(label, "https://example.com", RULES, 100) == Shown(linked=False, after=" (https://example.com)")


def test_a_place_that_only_ends_alike_is_another() -> None:
    assert shown("bank.com", "https://mybank.com", RULES, 100).after


@pytest.mark.parametrize(
    ("label", "href"), [("https://e.com", "https://e.com"), ("a@b.c", "mailto:a@b.c"), ("./x.md", "./x.md")]
)
def test_an_address_is_not_said_twice(label: str, href: str) -> None:
    assert shown(label, href, RULES, 100) == LABEL


def test_a_link_without_words_is_its_address() -> None:
    assert shown("", "https://e.com", RULES, 100) == Shown(linked=False, words="https://e.com")


def test_a_long_address_is_said_as_words_can_be_cut() -> None:
    assert shown("x", "https://e.com/" + "y" * 90, RULES, 100).after
    assert shown("x", "https://e.com/" + "y" * 86, RULES, 100) == LINK


def test_an_address_on_this_machine_is_said_with_its_own_letters() -> None:
    assert shown("plan", "./%D0%BF%D0%BB%D0%B0%D0%BD.md", RULES, 100).after == " (./план.md)"


@pytest.mark.parametrize(
    "href", ["https://[::1", "https://e.com:0", "https://e.com:x", "https:///x", "javascript:x", "mailto:", "x"]
)
def test_malformed_and_foreign_addresses_are_no_links(href: str) -> None:
    assert not acceptable(href, RULES)
