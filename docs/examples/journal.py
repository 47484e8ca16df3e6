"""A payment that is made once, whatever happens between: run it twice, the second run pays nothing."""

import trio

from trio_tools import Session, ToolCall, ToolContext, open_registry, tool
from trio_tools.journal import Journal, JournalConfig, journal


@tool(timeout=30)  # seconds
async def pay(context: ToolContext, invoice: str, card: str) -> str:
    """Pay an invoice."""

    async def charge() -> dict[str, str]:
        await trio.sleep(0.1)  # the bank
        return {"payment": f"p-{invoice}"}

    receipt = await context.irreversible("pay", charge, key=invoice)
    return f"paid: {receipt}"


async def main() -> None:
    kept = journal(JournalConfig(path="agent.db", redact=("card",)))
    async with open_registry(plugins=[kept]) as registry:  # closes the books that a crash has left open
        registry.register(pay)
        call = ToolCall("pay", '{"invoice": "17", "card": "4242 4242"}', id="call_1")
        result = await registry.execute(call, scope=trio.CancelScope(), session=Session("monday"))
        print(result.text)

        books = registry.require(Journal)
        for one in await books.calls("monday"):
            print(one.ref.tool, one.arguments, [effect.effect.state.value for effect in one.effects])
        messages = await books.history("monday", form="openai")  # what the provider is sent next
        print(len(messages), "messages")
        for waits in await books.unknown():  # nobody saw how these ended: look at the bank, then `books.resolve`
            print("nobody knows whether it went through:", waits.name, waits.key)


trio.run(main)
