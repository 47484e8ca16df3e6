"""Long output: its end is kept, the rest counted and put into a file, and memory stays small."""

import re
from pathlib import Path

import pytest
import trio
from test_shell_probe import content, files_in, mode, rest, run, shell_tool

from trio_tools.tool import Tool

__all__ = ["rest"]  # fixtures

LIMIT = 1000
# Characters that the marks of a cut may add, the path in them apart: what the documentation states.
MARKS = 200
MARKED = re.compile(r"\A\[(\d+) bytes dropped\]\n(.*)\n\[output truncated; full output: ([^;\]]+)[^\]]*\]", re.DOTALL)


@pytest.fixture
def small(tmp_path: Path, rest: str) -> Tool:
    """`bash` with an output limit of 1 kB."""
    return shell_tool(tmp_path, max_output_bytes=LIMIT)


def taken_apart(text: str) -> tuple[int, str, str]:
    """How much was dropped, what was kept, and where all of it is."""
    match = MARKED.search(text)
    assert match is not None, text
    return int(match[1]), match[2], match[3]


async def test_a_long_line_is_cut_to_its_end(small: Tool) -> None:
    """Case B28 (a), B009, B026."""
    ran = await run(small, r"head -c 300000 /dev/zero | tr '\0' x; echo")
    dropped, kept, path = taken_apart(ran.text)
    assert (dropped, kept) == (300_001 - LIMIT, "x" * (LIMIT - 1) + "\n")
    assert ran.text == f"[299001 bytes dropped]\n{kept}\n[output truncated; full output: {path}]"
    assert content(path) == "x" * 300_000 + "\n"


async def test_the_last_line_and_the_exit_code_are_seen(small: Tool) -> None:
    """Case B28 (b): the exit marker is the last of all."""
    ran = await run(small, "seq 10000; echo 'ERROR: the end'; exit 1")
    _, kept, path = taken_apart(ran.text)
    assert kept.endswith("\n10000\nERROR: the end\n")
    assert ran.text.endswith(f"full output: {path}]\n[exit code: 1]")


@pytest.mark.parametrize("limit", range(1000, 1011))
async def test_no_character_is_cut_in_two(tmp_path: Path, rest: str, limit: int) -> None:
    """Case B28 (c): characters of three and four bytes, and the bound that is stated."""
    tool = shell_tool(tmp_path, max_output_bytes=limit)
    ran = await run(tool, r"""printf '\u4f60\U0001f600%.0s' {1..2000}""")
    dropped, kept, path = taken_apart(ran.text)
    assert set(kept) == {"\u4f60", "\U0001f600"}
    assert dropped + len(kept.encode()) == 14_000
    assert limit - 3 <= len(kept.encode()) <= limit
    assert len(ran.text) <= limit + MARKS + len(path)
    assert len(ran.text.encode()) <= limit + MARKS + len(path.encode())


async def test_output_without_end_takes_no_memory(tmp_path: Path, rest: str) -> None:
    """Case B28 (d): `yes` for a second, and what it does to the size of this process."""
    tool = shell_tool(tmp_path, max_output_bytes=LIMIT, max_spill_bytes=1_000_000)
    peak = before = resident()

    async def watch() -> None:
        nonlocal peak
        while True:
            peak = max(peak, resident())
            await trio.sleep(0.01)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch)
        ran = await run(tool, "yes", timeout_ms=1000)
        nursery.cancel_scope.cancel()
    assert ran.code == "BASH_TIMEOUT"
    assert ran.text.endswith("\n[timed out after 1000ms]\n[killed by signal: SIGTERM]")
    assert taken_apart(ran.text)[0] > 20_000_000  # it was let write, and did
    assert peak - before < 20_000_000


def resident() -> int:
    """Bytes of memory that this process takes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


async def test_a_full_stderr_does_not_hold_an_idle_stdout(small: Tool) -> None:
    """Case B28 (e)."""
    ran = await run(small, r"head -c 200000 /dev/zero | tr '\0' e >&2; echo done")
    out, _, err = ran.text.partition("[stderr]\n")
    assert out == "done\n"
    assert taken_apart(err)[:2] == (199_000, "e" * LIMIT)


async def test_two_streams_at_once_keep_an_end_and_a_file_each(small: Tool) -> None:
    """Case B28: neither waits for the other."""
    ran = await run(small, r"(seq 100000) & (seq 100000 200000 >&2) & wait")
    out, _, err = ran.text.partition("\n[stderr]\n")
    for text, last, lines in ((out, "100000\n", 100_000), (err, "200000\n", 100_001)):
        _, kept, path = taken_apart(text)
        assert kept.endswith(last)
        assert len(content(path).splitlines()) == lines


@pytest.mark.parametrize("count", [LIMIT - 1, LIMIT])
async def test_what_just_fits_is_not_cut(small: Tool, tmp_path: Path, count: int) -> None:
    """Case B28, B026."""
    ran = await run(small, rf"head -c {count} /dev/zero | tr '\0' x")
    assert ran.text == "x" * count
    assert files_in(tmp_path / "spills") == []


async def test_bytes_that_are_no_text_stay_within_the_bound(small: Tool) -> None:
    """Case B28: a program is printed; as many characters as bytes were kept, at most."""
    ran = await run(small, r"head -c 100000 /dev/urandom; printf '\377\0\200'")
    dropped, kept, _ = taken_apart(ran.text)
    assert dropped >= 100_003 - LIMIT
    assert len(kept) <= LIMIT
    assert kept.endswith("\N{REPLACEMENT CHARACTER}")
    assert ran.text.encode().decode() == ran.text


async def test_the_file_is_private(small: Tool, tmp_path: Path) -> None:
    """B026: nobody else reads it, and nobody guesses its name."""
    first, second = [taken_apart((await run(small, "seq 1000")).text)[2] for _ in range(2)]
    assert first != second
    assert re.fullmatch(r"[0-9a-f]{32}", Path(first).name)
    assert mode(first) == 0o600
    assert Path(first).parent == tmp_path / "spills"


async def test_a_file_that_cannot_be_written_is_not_named(tmp_path: Path, rest: str) -> None:
    """B009, B026: the result comes all the same."""
    tool = shell_tool(tmp_path, max_output_bytes=LIMIT)
    (tmp_path / "spills").rmdir()
    ran = await run(tool, "seq 1000")
    assert ran.text.endswith("\n1000\n\n[output truncated; full output: (unavailable)]")


async def test_a_file_that_is_not_whole_says_so(tmp_path: Path, rest: str) -> None:
    """B009, B020: the disk is not filled either, and the mark does not call a part the full output."""
    tool = shell_tool(tmp_path, max_output_bytes=LIMIT, max_spill_bytes=1500)
    ran = await run(tool, "seq 10000")
    (file,) = files_in(tmp_path / "spills")
    assert len(content(file)) == 1500
    assert ran.text.endswith(f"[output truncated; full output: (unavailable); its first 1500 bytes: {file}]")


async def test_files_that_have_all_they_may_have_together_stay_as_they_are(tmp_path: Path, rest: str) -> None:
    """B009, B020: a session with many long outputs does not fill the disk either."""
    tool = shell_tool(tmp_path, max_output_bytes=LIMIT, max_total_spill_bytes=60_000)
    whole, part, none = [(await run(tool, "seq 10000")).text for _ in range(3)]
    sizes = {len(content(file)): file for file in files_in(tmp_path / "spills")}
    left = 60_000 - 48_894
    assert whole.endswith(f"\n[output truncated; full output: {sizes.pop(48_894)}]")
    assert part.endswith(f"\n[output truncated; full output: (unavailable); its first {left} bytes: {sizes.pop(left)}]")
    assert none.endswith("\n10000\n\n[output truncated; full output: (unavailable)]")
    assert sizes == {}


async def test_the_output_of_a_cancelled_command_is_in_its_file(small: Tool) -> None:
    """Case B28: what is read is never lost between the memory and the file."""
    ran = await run(small, "seq 100000; echo LAST; sleep 60", cancel_after=0.4)
    _, kept, path = taken_apart(ran.text)
    assert kept.endswith("LAST\n")
    assert content(path) == "".join(f"{number}\n" for number in range(1, 100_001)) + "LAST\n"
