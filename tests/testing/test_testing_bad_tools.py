"""Seeded bad tools: each is found by the right check, and by no other; its corrected twin passes."""

from __future__ import annotations

import pytest
from bad_tools_kept import taken_and_lost
from seeded import Desk, Seeded, check_twin, check_unnoticed, found_in
from seeded_tools import TOOLS

from trio_tools.testing import Case, Mode
from trio_tools.testing._exploration import Exploration
from trio_tools.testing._explore import plan_of
from trio_tools.testing._limits import Limits
from trio_tools.testing._surroundings import private_surroundings
from trio_tools.tool import tool
from trio_tools.values import ToolCall


@pytest.mark.parametrize("seeded", TOOLS, ids=str)
def test_a_bad_tool_is_found_by_the_right_check(seeded: Seeded) -> None:
    assert found_in(seeded) == {seeded.check}


@pytest.mark.parametrize("seeded", TOOLS, ids=str)
def test_the_corrected_twin_passes(seeded: Seeded) -> None:
    check_twin(seeded)


@pytest.mark.parametrize("seeded", TOOLS, ids=str)
def test_with_its_check_made_inert_a_bad_tool_goes_unnoticed(seeded: Seeded, monkeypatch: pytest.MonkeyPatch) -> None:
    """M030."""
    check_unnoticed(seeded, monkeypatch)


@pytest.mark.parametrize("mode", Mode)
def test_each_mode_but_ctrl_c_finds_what_is_lost_between_taking_and_handing_on(mode: Mode) -> None:
    """Also the one in which a task has been woken, with what it waited for in its hands. Ctrl-C is heard of a pass
    later, when the task has long waited again."""
    (seeded,) = [one for one in TOOLS if one.bad is taken_and_lost]
    one = tool(seeded.bad)
    with private_surroundings() as surroundings:
        plan = plan_of(
            tools=(one,),
            calls=(ToolCall(one.name, {}),),
            services=(Desk,),
            check=seeded.of_own,
            surroundings=surroundings,
        )
        exploration = Exploration(plan, one.name, Limits(bound=3, seconds=60))
        sights = exploration.sights(lambda steps: [Case(mode, step) for step in range(1, steps + 1)])
    found = {finding.check for _, findings in sights for finding in findings}
    assert found == (set() if mode is Mode.INTERRUPT else {"check"})
