"""`${NAME}` in the texts of a config: a value of the environment, so that a secret need not stand in a file."""

from __future__ import annotations

import re
from collections.abc import Mapping

# `$${`, which stands for `${`; a whole `${NAME}`; or a `${` that is neither
_PLACEHOLDER = re.compile(r"\$\$\{|\$\{(?:(?P<name>[A-Za-z_][A-Za-z0-9_]*)\})?")


def without_placeholders(text: str) -> str:
    """The text, `$${` read as `${`. Raises `ValueError` for a `${`: where it is not replaced, the name of a secret must
    not be taken for the secret."""

    def literal(found: re.Match[str]) -> str:
        if found[0] != "$${":
            raise ValueError("this option takes no ${...}; write $${ for a literal ${")
        return "${"

    return _PLACEHOLDER.sub(literal, text)


def with_placeholders(text: str, environment: Mapping[str, str]) -> tuple[str, int]:
    """The text with each `${NAME}` replaced and `$${` read as `${`, and how many were replaced. Raises `ValueError` for
    a variable that is not set, and for a `${` that names none."""
    replaced = 0

    def value(found: re.Match[str]) -> str:
        nonlocal replaced
        if found[0] == "$${":
            return "${"
        name = found["name"]
        if name is None:
            raise ValueError("${ must be followed by the name of a variable and }; write $${ for a literal ${")
        if name not in environment:
            raise ValueError(f"the environment variable {name} is not set")
        replaced += 1
        return environment[name]

    return _PLACEHOLDER.sub(value, text), replaced


def escaped(text: str) -> str:
    """The text as a config must have it to mean just this."""
    return text.replace("${", "$${")
