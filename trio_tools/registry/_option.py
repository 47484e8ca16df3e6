"""What a plugin says of an option of its config, beside the option's type, default and docstring."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from trio_tools.values import check_seconds

_KEY = "trio_tools.option"


@attrs.frozen
class OptionFacts:
    """What `option` was told: `unit`, such as `seconds`, and whether `${NAME}` is replaced from the `environment`."""

    unit: str | None = None
    environment: bool = False


def option(*, unit: str | None = None, environment: bool = False) -> dict[str, object]:
    """Metadata for a field of a plugin's config class: `attrs.field(default=20.0, metadata=option(unit="seconds"))`.

    Arguments: `unit`, what the option counts, as `trio-tools config` prints it; `environment`, whether `${NAME}` in
    the option's text is replaced from the environment when a config is loaded. Say so for secrets, which do not belong
    in a file, and for nothing else: elsewhere `${` is refused. Merge it with metadata of your own by `|`.
    """
    return {_KEY: OptionFacts(unit, environment)}


def option_facts(metadata: Mapping[Any, Any]) -> OptionFacts:
    """What `option` put into a field's metadata; of a field without it, that it has no unit and takes no `${NAME}`."""
    facts: object = metadata.get(_KEY)
    return facts if isinstance(facts, OptionFacts) else OptionFacts()


def true_or_false(_: object, attribute: attrs.Attribute[bool], value: object) -> None:
    """A validator for a switch. Raises `TypeError` for what is no bool."""
    if not isinstance(value, bool):
        raise TypeError(f"{attribute.name} must be True or False, not {value!r}")


def positive_seconds(_: object, attribute: attrs.Attribute[float], value: object) -> None:
    """A validator for an option in seconds. Raises `ValueError` for what is no positive finite number."""
    check_seconds(attribute.name, value)
