"""The spill policy: a text that is too long for a model's context is saved, and its two ends are shown with its place.

The file holds what the policies before this one have left of the result. What one behind it would take out would be on
disk all the same, where a model may read it: so nothing is saved as long as another one is behind.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import trio

from trio_tools.pipeline import CallView
from trio_tools.policies._naming import named
from trio_tools.policies._preview import preview, room_for_text
from trio_tools.policies._spill_folder import SpillFolder
from trio_tools.registry import Registry, option, plugin
from trio_tools.values import ErrorCode, ReplaceContent, Review, Text, ToolResult, one_line

logger = logging.getLogger("trio_tools.spill")

# Bytes of a result that are shown as they are: some 8,000 tokens, so that a dozen results fit a model's context.
MAX_INLINE_BYTES = 32 * 1024
# Bytes below which the ends of a text say next to nothing of it.
LEAST_INLINE_BYTES = 1024
# Bytes of all files together: some thousand long results, and no disk is filled by it.
MAX_TOTAL_BYTES = 256 * 1024 * 1024
# Characters of a reason, and of a policy's name, in a line of the log.
REASON_LENGTH = 300


def _path(directory: str | Path) -> Path:
    if not isinstance(directory, (str, Path)):  # pyright: ignore[reportUnnecessaryIsInstance] - a config file's value
        raise TypeError(f"directory must be a path, not {type(directory).__name__}")
    if directory == "":
        raise ValueError('directory must be a path, and is empty; the working directory is "."')
    return Path(directory)


def _names(exempt: Iterable[str]) -> tuple[str, ...]:
    if isinstance(exempt, str):
        raise TypeError(f'exempt must be a list of names, such as ["{exempt}"], not the string "{exempt}"')
    return tuple(exempt)


def _bytes(_: object, attribute: attrs.Attribute[int], value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < LEAST_INLINE_BYTES:
        least = f"a whole number of bytes from {LEAST_INLINE_BYTES}"
        raise ValueError(f"{attribute.name} must be {least}, not {value!r}")


@attrs.frozen(kw_only=True)
class SpillConfig:
    """From what length on results are saved, where, and how much of them.

    Raises `ValueError` for a number out of range, `TypeError` for a directory that is no path and for names that are
    no list.

    Attributes:
        directory: Where the plugin makes a folder of its own for as long as it is open; if only its last part is
            missing, it is made. Models read results there: let it be below the root of the files toolkit.
        max_inline_bytes: What a model is shown of one result at the most, where it is kept and what is between
            included.
        max_total_bytes: What all files together may have; the oldest ones are removed first.
        exempt: Tools whose results are shown whole, such as those that read what was saved.
    """

    directory: Path = attrs.field(converter=_path)
    max_inline_bytes: int = attrs.field(default=MAX_INLINE_BYTES, validator=_bytes, metadata=option(unit="bytes"))
    max_total_bytes: int = attrs.field(default=MAX_TOTAL_BYTES, validator=_bytes, metadata=option(unit="bytes"))
    exempt: tuple[str, ...] = attrs.field(default=("read",), converter=_names)


@attrs.define
class Spilling:
    """The post-policy. `behind` gives the names of the post-policies that a result meets after this one."""

    config: SpillConfig
    folder: SpillFolder
    behind: Callable[[], Sequence[str]]
    warned: bool = False

    def review(self, call: CallView, result: ToolResult) -> Review | Awaitable[Review]:
        """Leave the result as it is, or replace its content by a preview once that is saved.

        **Cancellation**: nothing is saved.
        """
        if call.parent is not None or call.name in self.config.exempt or result.code == ErrorCode.BLOCKED:
            return None
        if not all(isinstance(block, Text) for block in result.content):
            return None
        text = result.text
        limit = self.config.max_inline_bytes
        if 4 * len(text) <= limit or (len(text) <= limit and len(text.encode()) <= limit):
            return None
        return None if self._others_are_behind() else self._saved(call, text)

    def _others_are_behind(self) -> bool:
        """Whether there is a post-policy that has not had its say; told once."""
        behind = self.behind()
        if behind and not self.warned:
            self.warned = True
            names = ", ".join(one_line(name, limit=REASON_LENGTH) for name in behind)
            logger.warning(
                "results are not saved: a file would hold what post-policies behind spill take out (%s); list spill "
                "last, and add policies of the program's own by a plugin in front of it",
                names,
            )
        return bool(behind)

    async def _saved(self, call: CallView, text: str) -> Review:
        data = text.replace("\0", "\ufffd").encode()  # as providers are sent it; a NUL would make the file a binary one
        # half of what the policies of this call have left, so that a slow disk does not make the result a failure
        patience = max(0.0, trio.current_effective_deadline() - trio.current_time()) / 2
        why = f"it took more than {patience:.3g} seconds"
        with trio.move_on_after(patience):
            try:
                name = await self.folder.save(data)
            except OSError as error:
                why = error.strerror or type(error).__name__
            else:
                place = self.folder.place_of(name)
                return ReplaceContent(preview(data, place, max_bytes=self.config.max_inline_bytes))
        logger.warning(
            "call %s: its result of %d bytes stays as it is, since it could not be saved: %s",
            named(call.name, call.id),
            len(data),
            one_line(why, limit=REASON_LENGTH),
            extra={"tool": call.name, "call_id": call.id, "bytes": len(data)},
        )
        return None


@plugin("spill", config=SpillConfig)
@asynccontextmanager
async def spill(registry: Registry, config: SpillConfig) -> AsyncGenerator[None]:
    """Save texts of more than `max_inline_bytes`, and show a model their two ends and their place. List it last.

    Raises `OSError` if there can be no folder in its directory, and `ValueError` if that has a path of characters that
    cannot be shown, or one that is too long for `max_inline_bytes`.

    **Cancellation**: the files are removed all the same when it leaves.
    """

    def behind() -> list[str]:
        policies = [one for one in registry.joined() if one.seam == "post_policy"]
        own = max((at for at, one in enumerate(policies) if one.plugin == "spill"), default=-1)
        return [one.function for one in policies[own + 1 :]]

    folder = SpillFolder(config.directory, config.max_total_bytes)
    try:
        room = room_for_text(folder.place_of("0" * 36), max_bytes=config.max_inline_bytes)
        if 2 * room < config.max_inline_bytes:
            raise ValueError(f"max_inline_bytes is too small for the path of {folder.path}")
        with registry.add_post_policy(Spilling(config, folder, behind).review):
            yield
    finally:
        await folder.remove()
