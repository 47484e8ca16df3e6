"""A guard is a policy: added and lifted one by one, and no call slips by it."""

from __future__ import annotations

from intake_tools import Asked, call, trailed

from trio_tools import CallView, Deny, tool


@tool
async def quick() -> str:
    return "done"


async def test_a_policy_that_is_registered_twice_is_asked_twice_and_lifted_one_by_one() -> None:
    """R028."""
    asked = Asked()
    policy = asked.answers("guard", None)
    async with trailed(quick) as (registry, _):
        first, second = registry.add_pre_policy(policy), registry.add_pre_policy(policy)
        counts: list[int] = []
        for registration in (None, first, first, second):
            if registration is not None:
                registration.remove()
            asked.names.clear()
            await call(registry, "quick")
            counts.append(len(asked.names))
    assert counts == [2, 1, 1, 0]


async def test_lifting_one_of_two_lifts_that_one() -> None:
    """R028, R112: what is left stands in the order in which it was registered."""
    asked = Asked()
    twice, other = asked.answers("twice", None), asked.answers("other", None)
    async with trailed(quick) as (registry, _):
        first, _, _ = [registry.add_pre_policy(policy) for policy in (twice, other, twice)]
        first.remove()
        await call(registry, "quick")
    assert asked.names == ["other", "twice"]


async def test_a_guard_that_a_guard_adds_is_reached_in_the_same_pass() -> None:
    """R028: the list is gone through as it is by then, so that no call slips by a new guard."""
    async with trailed(quick) as (registry, _):

        def lock(view: CallView) -> None:
            registry.add_pre_policy(lambda _: Deny("locked"))

        registry.add_pre_policy(lock)
        result = await call(registry, "quick")
    assert result.text == "Error: locked"
