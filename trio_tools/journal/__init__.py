"""The journal: a durable record of every call, which balances its books after a crash."""

from trio_tools.journal._books import Journal
from trio_tools.journal._errors import JournalError
from trio_tools.journal._open import memory_journal
from trio_tools.journal._plugin import MemoryJournalConfig, journal_in_memory
from trio_tools.journal._records import (
    CallRecord,
    Damage,
    EffectRecord,
    EffectResolved,
    Entry,
    JournalEvent,
    SessionSummary,
    UnknownEffect,
)

__all__ = [
    "CallRecord",
    "Damage",
    "EffectRecord",
    "EffectResolved",
    "Entry",
    "Journal",
    "JournalError",
    "JournalEvent",
    "MemoryJournalConfig",
    "SessionSummary",
    "UnknownEffect",
    "journal_in_memory",
    "memory_journal",
]
