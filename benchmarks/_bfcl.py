"""Real tools and real calls: the functions of the Berkeley Function Calling Leaderboard and the calls that it expects,
which the package `bfcl-eval` carries as data.

The package is downloaded, and its data are read out of the wheel: nothing in it is installed, imported or run.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias
from zipfile import ZipFile

import attrs

Schema: TypeAlias = Mapping[str, Any]
Arguments: TypeAlias = dict[str, Any]

VERSION = "2026.3.23"  # counts in tests and docs hold for these data, and no others
# Seconds for two MB. More than it takes on a slow line, and little enough to wait for where there is none.
DOWNLOAD = 60.0
# The parts of the data whose questions carry their functions. The others name classes of Python.
PARTS = (
    *("simple_python", "simple_java", "simple_javascript", "multiple", "parallel", "parallel_multiple", "irrelevance"),
    *("live_simple", "live_multiple", "live_parallel", "live_parallel_multiple", "live_irrelevance", "live_relevance"),
)
# The data name types as Python, Java and JavaScript do. What each is called in JSON Schema; None: it has no word for
# a value of any type, and says nothing. A type that is not here is JSON Schema's own.
TYPES: Mapping[str, str | None] = {
    "dict": "object",
    "HashMap": "object",
    "tuple": "array",
    "Array": "array",
    "ArrayList": "array",
    "float": "number",
    "double": "number",
    "long": "integer",
    "Boolean": "boolean",
    "String": "string",
    "char": "string",
    "any": None,
}


class NoData(Exception):  # noqa: N818 - reads as a predicate at its `except`
    """The package cannot be had here: there is no network, or no pip. Its text is what pip said."""


@attrs.frozen(eq=False)
class Function:
    """A function as the data have it, and the calls of it that they take for right."""

    name: str
    description: str
    parameters: Schema  # in the data's own dialect
    calls: list[Arguments] = attrs.field(factory=list[Arguments])


def download(folder: Path) -> Path:
    """The package's wheel, in this folder. Raises `NoData`, and `RuntimeError` where this version has gone."""
    options = ["--quiet", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--retries=1"]
    command = [sys.executable, "-m", "pip", "download", *options, f"--dest={folder}", f"bfcl-eval=={VERSION}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=DOWNLOAD)
    except subprocess.TimeoutExpired:
        raise NoData(f"pip took more than {DOWNLOAD:.0f} s") from None
    if done.returncode == 0:
        return next(folder.glob("*.whl"))
    if "from versions: " in done.stderr and "from versions: none" not in done.stderr:
        raise RuntimeError(done.stderr)
    lines = done.stderr.splitlines() or ["nothing"]
    raise NoData(f"pip said {next((line for line in lines if line.startswith('ERROR')), lines[-1])}")


def functions_in(wheel: Path) -> list[Function]:
    """Every function of the data once: two of one name and the same parameters are one."""
    found: dict[str, Function] = {}
    with ZipFile(wheel) as data:
        for part in PARTS:
            answers = {one["id"]: one["ground_truth"] for one in _lines(data, f"possible_answer/BFCL_v4_{part}.json")}
            for question in _lines(data, f"BFCL_v4_{part}.json"):
                offered: dict[str, Function] = {}
                for one in question["function"]:
                    key = json.dumps([one["name"], one["parameters"]], sort_keys=True)
                    function = Function(one["name"], one["description"], one["parameters"])
                    offered[function.name] = found.setdefault(key, function)
                for answer in answers.get(question["id"], []):
                    for name, choices in answer.items():
                        _add(offered[name], choices)
    return [*found.values()]


def _lines(data: ZipFile, name: str) -> Iterator[Any]:
    """The values on the lines of a file; none if there is no such file, as not every question has an answer."""
    path = f"bfcl_eval/data/{name}"
    if path in data.namelist():
        yield from map(json.loads, data.read(path).splitlines())


def _add(function: Function, choices: Mapping[str, list[Any]]) -> None:
    for full in (False, True):
        call = _chosen(choices, function.parameters, full)
        if call not in function.calls:
            function.calls.append(call)


def _chosen(choices: Mapping[str, Any], schema: Schema, full: bool) -> Arguments:
    """One call of those that an answer takes for right: of each argument the first value.

    An answer lists the values that are right for each argument, and "" where it may be left out. It is left out if the
    schema lets it, but a full call leaves out only what has no other value. Nothing listed is left out as well.
    """
    made: Arguments = {}
    for name, listed in choices.items():
        values = _list(listed) if isinstance(listed, list) else [listed]
        real = [value for value in values if value != ""]
        needed = name in schema.get("required", [])
        if real and (full or needed or "" not in values):
            made[name] = _within(real[0], schema.get("properties", {}).get(name, {}), full)
        elif values and needed:
            made[name] = ""
    return made


def _within(value: Any, schema: Schema, full: bool) -> Any:
    """A value of an answer. An object lists the values of its members as the answer does; what is in those is plain."""
    if isinstance(value, list):
        return [_within(one, schema.get("items", {}), full) if isinstance(one, dict) else one for one in _list(value)]
    if isinstance(value, dict):
        return _chosen(value, schema, full)  # pyright: ignore[reportUnknownArgumentType]
    return value


def _list(value: Any) -> list[Any]:
    """The value, which is a list, to type checkers too."""
    members: list[Any] = value
    return members


def translated(schema: Schema) -> dict[str, Any]:
    """The schema with JSON Schema's own names of types (`TYPES`), and not another change."""
    made: dict[str, Any] = dict(schema)
    if made.get("type") in TYPES:
        word = TYPES[made.pop("type")]
        if word is not None:
            made["type"] = word
    if "properties" in made:
        made["properties"] = {name: translated(one) for name, one in made["properties"].items()}
    if "items" in made:
        made["items"] = translated(made["items"])
    return made
