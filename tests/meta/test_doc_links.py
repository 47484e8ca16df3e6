"""Links in the documentation lead somewhere, down to the heading."""

import re
from pathlib import Path

import pytest
from house import ROOT, expect_none

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CODE = re.compile(r"^( *)```.*?^\1```", re.DOTALL | re.MULTILINE)


def anchors_of(text: str) -> set[str]:
    """What its headings are called in links: lower case, hyphens for spaces, and no other punctuation."""
    headings = re.findall(r"^#+ (.+)$", _CODE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}


def broken_links(page: Path, text: str) -> list[str]:
    """Links to files that are not there, and to headings that a page does not have."""
    broken: list[str] = []
    for link in _LINK.findall(_CODE.sub("", text)):
        if re.match(r"[a-z]+:", link):
            continue  # of another site
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists():
            broken.append(f"{page.name}: there is no {name}")
        elif anchor and anchor not in anchors_of(text if target == page else target.read_text()):
            broken.append(f"{page.name}: {target.name} has no heading #{anchor}")
    return broken


def test_links_of_all_pages_lead_somewhere() -> None:
    assert len(PAGES) > 10
    expect_none([one for page in PAGES for one in broken_links(page, page.read_text())])


@pytest.mark.parametrize("link", ["nowhere.md", "guide.md#no-such-heading", "#no-such-heading", "../nowhere.md"])
def test_a_broken_link_is_found(link: str) -> None:
    page = ROOT / "docs" / "config.md"
    assert len(broken_links(page, f"# A\n[a]({link})")) == 1


@pytest.mark.parametrize("link", ["guide.md", "guide.md#trying-again", "#a-b", "../README.md", "https://trio.org/x#y"])
def test_a_good_link_is_let_through(link: str) -> None:
    page = ROOT / "docs" / "config.md"
    assert broken_links(page, f"# A: `b`!\n[a]({link})\n```\n[a](nowhere.md)\n```") == []
