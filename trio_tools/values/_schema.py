"""What a provider is told of a tool, in canonical form; `formats` turns it into each provider's own."""

from __future__ import annotations

from typing import TypedDict

from trio_tools.values._json import JSONValue


class ToolSchema(TypedDict):
    """Name, description and parameters of a tool. The parameters are JSON Schema 2020-12 (draft 7 if `$schema` says
    so), with a plain `type: object` at the top, in which every `$ref` resolves."""

    name: str
    description: str
    parameters: dict[str, JSONValue]
