"""The logging plugin: one line a call, its fields, tracebacks of authors, and nothing that was not asked for."""

from __future__ import annotations

import logging
import traceback

import pytest
import trio
from trio.testing import MockClock

from trio_tools import Session, SettledView, ToolCall, ToolContext, ToolError, ToolResult, open_registry, tool
from trio_tools.policies import LoggingConfig, logging_plugin


@tool
async def add(a: int, b: int) -> int:
    await trio.sleep(2)
    return a + b


@tool
async def broken(secret: str) -> None:
    raise LookupError("no such row")


@tool
async def meant() -> None:
    raise ToolError("try another word", code="NO_WORD")


@tool
async def start(ctx: ToolContext) -> None:
    ctx.start_job(trio.sleep_forever, name="watch\n")


async def logged(
    caplog: pytest.LogCaptureFixture, *calls: ToolCall, config: LoggingConfig | None = None, level: int = logging.INFO
) -> list[logging.LogRecord]:
    """The records of some calls, one after the other."""
    caplog.set_level(level, "trio_tools")
    async with open_registry(plugins=[logging_plugin(config or LoggingConfig())]) as registry:
        for one in (add, broken, meant, start):
            registry.register(one)
        for call in calls:
            scope = trio.CancelScope(deadline=trio.current_time() + 1 if call.id == "cut" else float("inf"))
            await registry.execute(call, scope=scope, session=Session("s", owner="o"))
    return caplog.records


async def test_each_call_is_one_line_with_its_fields(
    caplog: pytest.LogCaptureFixture, autojump_clock: MockClock
) -> None:
    (record,) = await logged(caplog, ToolCall("add", {"a": 1, "b": 2}, id="c1"))
    assert (record.name, record.levelname) == ("trio_tools.calls", "INFO")
    assert record.getMessage() == "call add (c1): ok in 2.000 s"
    fields: dict[str, object] = {
        "tool": "add",
        "call_id": "c1",
        "session": "s",
        "owner": "o",
        "nested": False,
        "code": None,
        "cause": None,
        "dispatched": True,
        "effects": [],
        "seconds": 2,
    }
    assert {name: getattr(record, name) for name in fields} == fields
    assert not hasattr(record, "arguments")


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (ToolCall("add", {"a": 1, "b": 2}, id="cut"), "call add (cut): ABORTED by caller in 1.000 s"),
        (ToolCall("add", "{"), "call add: INVALID_ARGS in 0.000 s"),
        (ToolCall("no\x1b]0;such\ntool", id="\u202ex"), r"call no\x1b]0;such\ntool (\u202ex): UNKNOWN_TOOL in 0.000 s"),
        (ToolCall("meant"), "call meant: NO_WORD in 0.000 s"),
    ],
)
async def test_how_a_call_ended_is_in_its_line_and_the_line_stays_one(
    call: ToolCall, line: str, caplog: pytest.LogCaptureFixture, autojump_clock: MockClock
) -> None:
    (record,) = await logged(caplog, call)
    assert record.getMessage() == line.replace(r"such\ntool", r"such\x0atool")


async def test_what_a_body_raised_is_logged_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    """On a logger of its own, and no value of an argument in the line."""
    failure, line = await logged(caplog, ToolCall("broken", {"secret": "hunter2"}, id="c1"))
    assert (failure.name, failure.levelname) == ("trio_tools.failures", "ERROR")
    assert failure.getMessage() == "call broken (c1): LookupError"
    assert failure.exc_info is not None
    where = traceback.extract_tb(failure.exc_info[2])[-1]
    assert (where.name, where.line) == ("broken", 'raise LookupError("no such row")')
    assert "hunter2" not in failure.getMessage() + line.getMessage()


@pytest.mark.parametrize("where", ["wrapper", "pre-policy", "post-policy"])
async def test_what_stands_round_a_call_is_traced_too(where: str, caplog: pytest.LogCaptureFixture) -> None:
    """The result has its words alone; whose fault it was is in the log."""

    def fails(*_: object) -> None:
        raise LookupError("no such row")

    caplog.set_level(logging.INFO, "trio_tools")
    async with open_registry(plugins=[logging_plugin]) as registry:
        registry.register(start)
        match where:
            case "wrapper":
                registry.add_wrapper(fails)  # type: ignore[arg-type]  # it never returns
            case "pre-policy":
                registry.add_pre_policy(fails)
            case _:
                registry.add_post_policy(fails)
        await registry.execute(ToolCall("start"), scope=trio.CancelScope())
    failure = caplog.records[0]
    assert failure.exc_info is not None
    assert traceback.extract_tb(failure.exc_info[2])[-1].name == "fails"


async def test_an_error_that_the_author_meant_is_there_at_debug(caplog: pytest.LogCaptureFixture) -> None:
    failure, _ = await logged(caplog, ToolCall("meant"), level=logging.DEBUG)
    assert (failure.name, failure.levelname) == ("trio_tools.failures", "DEBUG")


async def test_arguments_are_logged_only_if_the_config_says_so(
    caplog: pytest.LogCaptureFixture, autojump_clock: MockClock
) -> None:
    config = LoggingConfig(arguments=True, max_argument_characters=20)
    short, long = await logged(
        caplog, ToolCall("add", {"a": 1, "b": 2}), ToolCall("broke", {"secret": "x\ny" * 100}), config=config
    )
    assert short.getMessage() == 'call add: ok in 2.000 s, arguments {"a": 1, "b": 2}'
    assert getattr(short, "arguments", None) == '{"a": 1, "b": 2}'
    assert getattr(long, "arguments", None) == r'{"secret": "x\nyx...'
    assert long.getMessage().endswith(r', arguments {"secret": "x\nyx...')


async def test_a_job_is_one_line_too(caplog: pytest.LogCaptureFixture, autojump_clock: MockClock) -> None:
    _, record = await logged(caplog, ToolCall("start"))
    assert (record.name, record.levelname) == ("trio_tools.jobs", "INFO")
    assert record.getMessage() == r"job watch\x0a (job-1): killed in 0.000 s"


async def test_why_a_job_failed_is_in_its_line(autojump_clock: MockClock, caplog: pytest.LogCaptureFixture) -> None:
    @tool
    async def begin(ctx: ToolContext) -> None:
        async def breaks() -> None:
            raise OSError("no such\nport")

        await ctx.start_job(breaks, name="watch").wait()

    async with open_registry(plugins=[logging_plugin]) as registry:
        registry.register(begin)
        await registry.execute(ToolCall("begin"), scope=trio.CancelScope())
    (record,) = [one for one in caplog.records if one.name == "trio_tools.jobs"]
    assert (record.levelname, record.getMessage()) == (
        "WARNING",
        r"job watch (job-1): failed in 0.000 s: OSError: no such\x0aport",
    )


async def test_the_exception_is_let_go_of_when_the_observers_have_returned() -> None:
    """Its traceback holds the frames of the call: kept longer, it would keep them all."""
    seen: list[BaseException | None] = []
    async with open_registry() as registry:
        registry.register(broken)
        views: list[SettledView] = []

        def keep(view: SettledView, result: ToolResult) -> None:
            views.append(view)
            seen.append(view.exception)

        registry.add_observer(keep)
        await registry.execute(ToolCall("broken", {"secret": ""}), scope=trio.CancelScope())
    assert [type(one) for one in seen] == [LookupError]
    assert [view.exception for view in views] == [None]


@pytest.mark.parametrize("characters", [0, -1, True, 1.5, "9"])
def test_a_bound_that_is_none_is_refused(characters: object) -> None:
    with pytest.raises(ValueError, match="max_argument_characters must be a positive whole number of characters"):
        LoggingConfig(max_argument_characters=characters)  # type: ignore[arg-type]  # the mistake
