"""`trio-tools schema`: what a model is told of a function, and what would be refused of some arguments."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType

import attrs

from trio_tools import Tool, tool
from trio_tools.cli._given import STDIN
from trio_tools.cli._printable import json_text, named, printable
from trio_tools.cli._standard_input import standard_input
from trio_tools.cli._status import OK, REFUSED_ARGUMENTS, Refused
from trio_tools.cli._stdout import say
from trio_tools.formats import FORMS
from trio_tools.values import printable as thrown_text

# Characters of one violation on the terminal: its words, and a name that may be as long as its input.
VIOLATION_LENGTH = 500


@attrs.frozen(kw_only=True)
class SchemaRequest:
    """What was asked: `target`, a `MODULE:FUNCTION` or `FILE.py:FUNCTION`; `arguments`, JSON text, `STDIN` or None; the
    provider's `form` to show, or None for our own."""

    target: str
    arguments: str | None
    form: str | None

    def answer(self) -> int:
        """Print the schema, and the verdict on the arguments; the exit status says it too. Raises `Refused` for a
        target that cannot be found or is no tool."""
        one = _tool_at(self.target)
        try:
            if self.arguments is not None:
                one.signature.prepare()
            shown = _shown(one, self.form)
        except (ValueError, ModuleNotFoundError) as error:
            raise Refused(str(error)) from None
        say(json_text(shown, indent=2))
        if self.arguments is None:
            return OK
        text = standard_input() if self.arguments == STDIN else self.arguments
        try:
            found = one.violations(text)
        except SystemExit as error:
            raise Refused(f"code of {named(self.target)} tried to exit, with {error.code!r}") from None
        for violation in found:
            say(f"refused: {printable(violation, limit=VIOLATION_LENGTH)}")
        if not found:
            say("accepted")
        return REFUSED_ARGUMENTS if found else OK


def _shown(one: Tool, form: str | None) -> object:
    schema = one.schema()
    if form is None:
        return schema
    if form not in FORMS:
        raise ValueError(f'--form: there is no form "{named(form)}"; there are {", ".join(FORMS)}')
    return FORMS[form](schema)


def _tool_at(target: str) -> Tool:
    where, colon, path = target.rpartition(":")
    is_relative = where.startswith(".") and not where.endswith(".py")  # to no package
    if not colon or not where or not path or is_relative:
        raise Refused(f'"{named(target)}" must be MODULE:FUNCTION or FILE.py:FUNCTION, such as mytools:search')
    found: object = _module(where)
    for name in path.split("."):
        try:
            found = getattr(found, name)
        except AttributeError:
            place = getattr(found, "__file__", None) or where
            raise Refused(f'there is no "{named(name)}" in {named(str(place))}') from None
        except Exception as error:  # a property, or a module's own __getattr__
            raise Refused(f'cannot look up "{named(name)}" in {named(where)}: {_words(error)}') from None
    if isinstance(found, Tool):
        return found
    if not callable(found):
        raise Refused(f'"{named(target)}" is a value of type {type(found).__name__}, and neither a function nor a Tool')
    try:
        return tool(found)
    except (TypeError, ValueError, ModuleNotFoundError) as error:
        raise Refused(str(error)) from None


def _words(error: BaseException) -> str:
    """Type and text of an exception, whatever its `__str__` does."""
    return f"{type(error).__name__}: {thrown_text(error)}"


def _module(where: str) -> ModuleType:
    """Import what the user named, from the working folder too, as `python -m` does."""
    if where.endswith(".py") and not os.path.isfile(where):
        raise Refused(f"cannot import {named(where)}: there is no such file")
    try:
        sys.path.insert(0, os.getcwd())
        with redirect_stdout(sys.stderr):  # what it prints is not the answer
            return _from_file(Path(where)) if where.endswith(".py") else importlib.import_module(where)
    except KeyboardInterrupt:
        raise
    except ModuleNotFoundError as error:
        raise Refused(f"cannot import {named(where)}: there is no module {named(str(error.name))}") from None
    except BaseException as error:  # whatever its code does, also to exit
        raise Refused(f"cannot import {named(where)}: {_words(error)}") from None


def _from_file(path: Path) -> ModuleType:
    name = f"trio-tools schema {path}"  # nobody else's, whatever the file is called
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None  # of a name that ends in .py
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where postponed annotations are looked up
    spec.loader.exec_module(module)
    return module
