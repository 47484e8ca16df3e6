"""The journal: a durable record of every call, which balances its books after a crash."""

from trio_tools.journal._errors import JournalError
from trio_tools.journal._records import (
    CallRecord,
    Damage,
    EffectRecord,
    EffectResolved,
    Entry,
    JournalEvent,
    SessionSummary,
)

__all__ = [
    "CallRecord",
    "Damage",
    "EffectRecord",
    "EffectResolved",
    "Entry",
    "JournalError",
    "JournalEvent",
    "SessionSummary",
]
