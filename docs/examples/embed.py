import trio

from trio_tools import ToolCall, open_registry, tool


@tool(timeout=30, read_only=True)  # seconds: declared here, enforced by the timeout policy
async def lookup(word: str) -> str:
    """Look a word up."""
    await trio.sleep(0.1)
    return f"{word}: a word"


async def main() -> None:
    async with open_registry() as registry:
        registry.register(lookup)
        scope = trio.CancelScope()  # yours: cancel it from anywhere, give it a deadline
        result = await registry.execute(ToolCall("lookup", '{"word": "trio"}', id="call_1"), scope=scope)
        print(result.text, result.code, result.dispatched)

        # a whole turn: one result per call, in call order, whatever happens to any of them
        calls = [ToolCall("lookup", {"word": word}) for word in ("nursery", "scope", "checkpoint")]
        for result in await registry.execute_turn(calls, scope=trio.CancelScope()):
            print(result.text)


trio.run(main)
