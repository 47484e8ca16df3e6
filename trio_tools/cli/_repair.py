"""`trio-tools repair`: a conversation that others wrote, so that a provider takes it again."""

from __future__ import annotations

import codecs
import os
import stat
from pathlib import Path

import attrs

from trio_tools.cli._given import STDIN
from trio_tools.cli._lines import CHUNK
from trio_tools.cli._outlet import write_all
from trio_tools.cli._printable import complain, named, shown_json
from trio_tools.cli._source import STDIN_DESCRIPTOR, cannot_read
from trio_tools.cli._standard_input import open_stdin
from trio_tools.cli._status import OK, UNBALANCED, Refused
from trio_tools.cli._stdout import STDOUT, unwritten
from trio_tools.cli._whole import cannot_write, whole
from trio_tools.formats import NotATranscript, balance_text

# Bytes of a transcript. Beyond what any provider takes in one request, pictures and all, and what a laptop can hold a
# few times over.
MAX_TRANSCRIPT_BYTES = 256 * 1024 * 1024


@attrs.frozen(kw_only=True)
class RepairRequest:
    """`trio-tools repair`: a `file` that holds a transcript, perhaps `STDIN`; its `form`, or None for the one that it
    is in; the `output` to write it to, or None for standard output; `check`, to write nothing.

    Raises `Refused` for an output of a check.
    """

    file: str
    form: str | None = None
    output: Path | None = None
    check: bool = False

    def __attrs_post_init__(self) -> None:
        if self.check and self.output is not None:
            raise Refused("--check writes nothing; leave --output out")

    def answer(self) -> int:
        """Write the transcript, balanced, and say what was changed; the exit status of a check says whether anything
        would be. Raises `Refused` for what cannot be read or written."""
        descriptor = self._opened()
        try:
            text = self._read(descriptor)
            try:
                balanced = balance_text(text, self.form)
            except NotATranscript as error:
                raise Refused(f"{self._name}: {error}") from None
            if self.output is not None:
                _write_whole(self.output, balanced.text, os.fstat(descriptor))
            elif not self.check:
                _write_out(balanced.text)
        finally:
            if descriptor != STDIN_DESCRIPTOR:
                os.close(descriptor)
        for change in balanced.changes:
            complain(str(change))
        return UNBALANCED if self.check and balanced.changes else OK

    @property
    def _name(self) -> str:
        return "standard input" if self.file == STDIN else named(self.file)

    def _opened(self) -> int:
        if self.file == STDIN:
            open_stdin()
            return STDIN_DESCRIPTOR
        try:
            return os.open(self.file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY)
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
            raise cannot_read(self.file, error) from None

    def _read(self, descriptor: int) -> bytes:
        read = bytearray()
        try:
            while part := os.read(descriptor, CHUNK):
                read += part
                if len(read) > MAX_TRANSCRIPT_BYTES:
                    raise Refused(f"{self._name} is longer than {MAX_TRANSCRIPT_BYTES:,} bytes")
        except OSError as error:
            raise cannot_read(self.file, error) from None
        return bytes(read)


def _write_out(text: bytes) -> None:
    if os.isatty(STDOUT):  # where what others wrote must not move the cursor
        text = shown_json(text.removeprefix(codecs.BOM_UTF8).decode()).encode()
    try:
        write_all(STDOUT, [text])
    except OSError as error:
        raise unwritten(error) from None


def _write_whole(output: Path, text: bytes, given: os.stat_result) -> None:
    """Write a file whole or not at all; one that is replaced passes its mode on. Raises `Refused` for one that cannot
    be written, and for that which is read."""
    try:
        place = os.path.realpath(output)  # of a link, what it points to
        before = os.stat(place) if os.path.lexists(place) else None
        if before is not None and os.path.samestat(before, given):
            raise Refused(f'--output: "{named(str(output))}" is the file that is read; give another name')
        if before is not None and not stat.S_ISREG(before.st_mode):
            raise Refused(f'--output: "{named(str(output))}" is no regular file')
        with whole(place, mode=0o666, put=os.replace) as descriptor:  # as umask has it
            if before is not None:
                os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
            write_all(descriptor, [text])
    except (OSError, ValueError) as error:
        raise cannot_write(str(output), error) from None
