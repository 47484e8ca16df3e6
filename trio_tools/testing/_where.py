"""Where a task stands, in the code of whoever wrote the tool."""

from __future__ import annotations

import contextlib
import os
import threading
from functools import cache
from pathlib import Path
from types import FrameType
from typing import TypeAlias

import attrs
import outcome
import trio

# Code that is Trio's, ours or the language's: what a task does there says nothing of its tool.
_OWN = Path(__file__).parents[1]
_MACHINERY = (
    *(
        f"{folder}{os.sep}"
        for folder in (
            Path(trio.__file__).parent,
            Path(outcome.__file__).parent,
            _OWN / "pipeline",
            _OWN / "registry",
            _OWN / "testing",
        )
    ),
    contextlib.__file__,
    threading.__file__,
)

Frames: TypeAlias = list[tuple[FrameType, int]]


@attrs.frozen
class Place:
    """A line of source: the file, the line, and the function that it is in. Without a file: words in their place."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.function}" if self.file else self.function


def frames_of(task: trio.lowlevel.Task) -> Frames:
    """The frames that a blocked task awaits in, outermost first, each with its line."""
    frames = list(task.iter_await_frames())
    if frames and frames[-1][0].f_code.co_name == "_real_async_yield":
        frames.pop()  # where every task yields
    return frames


def is_machinery(frame: FrameType) -> bool:
    """Whether a frame is of Trio, of the registry or of this kit, and so of no tool."""
    return _is_machinerys(frame.f_code.co_filename)


@cache  # each step of a run asks of the same few files
def _is_machinerys(file: str) -> bool:
    return file.startswith(_MACHINERY)


def user_place(task: trio.lowlevel.Task) -> Place:
    """Where a task waits: the innermost line that is the tool's or a plugin's, or else the registry's."""
    return place_in(frames_of(task))


def place_in(frames: Frames) -> Place:
    """The innermost line of these frames that is the tool's or a plugin's, or else the registry's."""
    if not frames:
        return Place("", 0, "the end of a task")
    inward = frames[::-1]
    own = (one for one in inward if not is_machinery(one[0]))
    ours = (one for one in inward if not _is_trios(one[0]))
    frame, line = next(own, None) or next(ours, None) or inward[0]
    return Place(frame.f_code.co_filename, line, frame.f_code.co_name)


def _is_trios(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_MACHINERY[:2])
