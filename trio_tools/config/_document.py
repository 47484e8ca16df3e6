"""A config file with every option there is, its default, its unit and what it is for."""

from __future__ import annotations

import inspect
import textwrap
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import attrs

from trio_tools.config._installed import installed_plugins
from trio_tools.config._options import Option, options_of
from trio_tools.config._problems import WORDS_LENGTH, ConfigError, line, shown_key, words_of
from trio_tools.config._reader import Reader
from trio_tools.config._tables import DEFAULTS, PLUGINS, REGISTRY
from trio_tools.config._toml import toml_key, toml_of
from trio_tools.config._types import arms_of, called, choices_of, classes_in
from trio_tools.registry import AnyPlugin, RegistryOptions
from trio_tools.tool import described
from trio_tools.values import one_line

# Columns of prose: what fits a terminal and a diff.
WIDTH = 100


@attrs.frozen
class ConfigDocument:
    """A config file's `text`, and one line in `problems` for each plugin that is missing in it."""

    text: str
    problems: tuple[str, ...] = ()


def config_document(names: Sequence[str] | None = None) -> ConfigDocument:
    """A config file that shows every option of these plugins; without names of all that are installed, and then their
    tables are commented out (`#key = value`, while prose is `# text`), so that the file turns nothing on.

    Imports these plugins. Raises `ConfigError` if none can be listed, and for names that are not installed.
    """
    installed = installed_plugins()
    missing = [installed.refusal(one) for one in dict.fromkeys(names or ()) if one not in installed.names]
    if missing:
        raise ConfigError(missing)
    mark = "#" if names is None else ""
    blocks, problems = [_head(), *_registry()], list[str]()
    for name in installed.names if names is None else dict.fromkeys(names):
        try:
            blocks.append(_section(installed.load(name), mark))
        except ConfigError as error:
            problems += error.problems
            blocks.append(_prose("\n".join(error.problems)))
    return ConfigDocument("\n\n".join("\n".join(block) for block in blocks) + "\n", tuple(problems))


def _head() -> list[str]:
    order = "A plugin is on when its table is here. They join in the order of their tables, and leave in reverse."
    about = "Whether the timeout policy is on without a table of its own, in front of all others."
    return [*_prose(order), "", *_prose(about), f"{DEFAULTS} = true"]


def _registry() -> Iterator[list[str]]:
    yield [f"[{REGISTRY}]"]
    yield from _options(RegistryOptions, "")


def _section(plugin: AnyPlugin, mark: str) -> list[str]:
    """A plugin's table. Raises `ConfigError` for a plugin whose config cannot be looked into."""
    try:
        return _table(plugin, mark)
    except Exception as thrown:  # annotations and docstrings are the plugin's
        raise ConfigError([line(f"plugin {shown_key(plugin.name)}", (), words_of(thrown))]) from None


def _table(plugin: AnyPlugin, mark: str) -> list[str]:
    about = [_first_paragraph(plugin.opener), _first_paragraph(plugin.config_class)]
    if plugin.requires:
        about.append(f"Requires {', '.join(map(str, plugin.requires))}.")
    head = [one for text in about for one in _prose(text)]
    table = f"{mark}[{PLUGINS}.{toml_key(plugin.name)}]"
    blocks = [[*head, table], *_options(plugin.config_class, mark)]
    return "\n\n".join("\n".join(block) for block in blocks).split("\n")


def _options(kind: type, mark: str) -> Iterator[list[str]]:
    members = _described(kind)
    for option in options_of(kind):
        written = _default(option)
        about = [members.get(option.field.name, members.get(option.name, "")), _facts(option, written)]
        key = toml_key(option.name)
        live = f"# {key} = ..." if written is None else f"{mark}{key} = {written}"
        yield [*_prose(" ".join(one for one in about if one)), *_inner(option), live]


def _default(option: Option) -> str | None:
    """An option's default as TOML; None if there is none, or none that would be read back as itself."""
    default: Any = option.field.default
    if option.required:
        return None
    try:
        if hasattr(default, "factory") and hasattr(default, "takes_self"):
            if default.takes_self:
                return None
            default = default.factory()
        written = toml_of(default)
        return written if _reader().takes(option, tomllib.loads(f"value = {written}")["value"]) else None
    except KeyboardInterrupt:
        raise
    except BaseException:  # a factory is the plugin's code; a value may have no form in TOML
        return None


@cache
def _reader() -> Reader:
    return Reader({})  # it only looks at types, for which it needs no environment


def _facts(option: Option, written: str | None) -> str:
    """What an option's docstring need not say, in sentences."""
    facts: list[str] = []
    if option.required:
        facts.append("Required.")
    if written is None or written in ("[]", "{}") or any(choices_of(one) for one in arms_of(option.annotation)):
        kind = called(option.annotation)
        facts.append(f"{kind[0].upper()}{kind[1:]}.")
    if option.facts.unit:
        facts.append(f"Unit: {option.facts.unit}.")
    if option.facts.environment:
        facts.append("May hold ${NAME}, which is replaced from the environment.")
    if written is None and not option.required:
        facts.append("Not set by default." if option.field.default is None else "Its default is the plugin's to make.")
    return " ".join(facts)


def _inner(option: Option) -> Iterator[str]:
    """The options of the classes that an option's table, or tables, are for: one level of them, in prose."""
    for kind in classes_in(option.annotation):
        members = _described(kind)
        for inner in options_of(kind):
            written = _default(inner)
            about = [members.get(inner.field.name, members.get(inner.name, "")), _facts(inner, written)]
            if written is not None:
                about.append(f"Default: {written}.")
            yield from _prose(f"{option.name}.{inner.name}: {' '.join(one for one in about if one)}", indent="  ")


def _described(kind: type) -> dict[str, str]:
    """What docstrings say of a class's fields: its own, and those of the classes it descends from."""
    members: dict[str, str] = {}
    for one in reversed(kind.__mro__):
        if one is not object:
            members |= described(one)[1]
    return members


def _first_paragraph(owner: object) -> str:
    """The first paragraph of a docstring, but of a class not one that it inherits."""
    own: object = None
    if isinstance(owner, type):
        own = vars(owner).get("__doc__")
    elif inspect.isroutine(owner):
        own = owner.__doc__
    return inspect.cleandoc(own).split("\n\n")[0] if isinstance(own, str) else ""


def _prose(text: str, *, indent: str = "") -> list[str]:
    """Text as comment lines, each with a space behind its mark, whatever is in it."""
    shown = one_line(" ".join(text.split()), limit=10 * WORDS_LENGTH)
    wrapped: Iterable[str] = textwrap.wrap(shown, WIDTH - 2, initial_indent=indent, subsequent_indent=indent)
    return [f"# {one}" for one in wrapped]
