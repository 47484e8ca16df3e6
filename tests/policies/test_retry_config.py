"""The config of the retry policy: what it refuses, and in which words."""

from __future__ import annotations

import pytest

from trio_tools.policies import RetryConfig


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"attempts": 0}, "attempts must be a whole number from 1, the first attempt included, not 0"),
        ({"attempts": True}, "attempts must be a whole number"),
        ({"attempts": 2.0}, "attempts must be a whole number"),
        ({"first_delay": 0}, "first_delay must be a positive finite number of seconds"),
        ({"max_delay": float("inf")}, "max_delay must be a positive finite number of seconds"),
        ({"factor": 0.5}, "factor must be a finite number, 1 or more, not 0.5"),
        ({"factor": float("inf")}, "factor must be a finite number"),
        ({"factor": "2"}, "factor must be a finite number"),
        ({"jitter": 1.5}, "jitter must be a share of the wait, from 0 to 1, not 1.5"),
        ({"jitter": -0.1}, "jitter must be a share of the wait"),
        ({"jitter": True}, "jitter must be a share of the wait"),
        ({"codes": ()}, "codes must be a tuple of one code or more, not ()"),
        ({"codes": "HTTP_BUSY"}, "codes must be a tuple of one code or more"),
        ({"codes": ("busy",)}, "codes: 'busy' is no code of a failure"),
        ({"codes": (7,)}, "codes: 7 is no code of a failure"),
        ({"codes": ("TOOL_FAILED", "DENIED")}, "codes: DENIED is never repeated: a policy has said no"),
        ({"codes": ("EFFECT_UNKNOWN",)}, "codes: EFFECT_UNKNOWN is never repeated: what it was to do may have been"),
        ({"first_delay": 5, "max_delay": 2}, "max_delay (2 seconds) must not be below first_delay (5)"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(options: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError) as caught:  # the words are looked at as they are, not as a pattern
        RetryConfig(**options)  # type: ignore[arg-type]  # the mistakes
    assert words in str(caught.value)


def test_the_longest_wait_of_very_many_attempts_is_still_a_number() -> None:
    assert RetryConfig(first_delay=1, factor=1e300, max_delay=60).longest(5_000) == 60
