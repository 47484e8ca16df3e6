"""The journal: a durable record of every call, which balances its books after a crash."""

from trio_tools.journal._books import Journal
from trio_tools.journal._config import JournalConfig, MemoryJournalConfig
from trio_tools.journal._errors import JournalError
from trio_tools.journal._open import memory_journal, open_journal
from trio_tools.journal._plugin import journal, journal_in_memory
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
    "JournalConfig",
    "JournalError",
    "JournalEvent",
    "MemoryJournalConfig",
    "SessionSummary",
    "UnknownEffect",
    "journal",
    "journal_in_memory",
    "memory_journal",
    "open_journal",
]
