"""The anthropic SDK: Messages, and the counting of tokens."""

import json

import anthropic
from checking import ANSWER, ARGUMENTS, CALL, LOOK_UP, SHORT, breaks, equal, messages, raises

MESSAGES_TOOLS = [{"name": "look_up", "description": "Looks a word up.", "input_schema": LOOK_UP}]


def messages_whole(checks):
    message = checks.anthropic.messages.create(model=checks.model, max_tokens=100, messages=messages("hi"))
    equal([block.text for block in message.content], [SHORT])
    equal((message.type, message.role, message.stop_reason), ("message", "assistant", "end_turn"))
    assert message.usage.input_tokens > 0 and message.usage.output_tokens == 5, message.usage


def messages_streamed(checks):
    with checks.anthropic.messages.stream(model=checks.model, max_tokens=1000, messages=messages("LONG:20")) as stream:
        pieces = list(stream.text_stream)
        message = stream.get_final_message()
    expected = "".join(f"word{place} " for place in range(20))
    equal("".join(pieces), expected)
    equal(message.content[0].text, expected)
    equal(message.stop_reason, "end_turn")
    assert len(pieces) == 20, "pieces are neither joined nor split"
    assert message.usage.output_tokens > 20, message.usage


def messages_events(checks):
    """One block is open at a time, and blocks are numbered without gaps."""
    text = "THINK " + CALL
    stream = checks.anthropic.messages.create(
        model=checks.model, max_tokens=1000, messages=messages(text), tools=MESSAGES_TOOLS, stream=True
    )
    open_block, finished, kinds = None, 0, []
    for event in stream:
        if event.type == "content_block_start":
            assert open_block is None and event.index == finished, event
            open_block = event.index
            kinds.append(event.content_block.type)
        elif event.type == "content_block_delta":
            equal(event.index, open_block)
        elif event.type == "content_block_stop":
            equal(event.index, open_block)
            open_block, finished = None, finished + 1
    assert open_block is None
    assert kinds[-1] == "tool_use" and kinds.count("tool_use") == 1, kinds


def messages_tools(checks, streamed=False):
    said = messages(CALL)
    ask = dict(model=checks.model, max_tokens=1000, tools=MESSAGES_TOOLS)
    if streamed:
        with checks.anthropic.messages.stream(messages=said, **ask) as stream:
            message = stream.get_final_message()
    else:
        message = checks.anthropic.messages.create(messages=said, **ask)
    equal(message.stop_reason, "tool_use")
    call = message.content[-1]
    equal((call.type, call.name, call.input), ("tool_use", "look_up", ARGUMENTS))
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "five!"}
    said = said + [{"role": "assistant", "content": message.content}, {"role": "user", "content": [result]}]
    answer = checks.anthropic.messages.create(messages=said, **ask)
    equal(answer.content[0].text, "tool said 5 bytes")


def messages_tools_streamed(checks):
    messages_tools(checks, streamed=True)


def messages_structured(checks):
    message = checks.anthropic.messages.create(
        model=checks.model,
        max_tokens=100,
        messages=messages("hi"),
        output_config={"format": {"type": "json_schema", "schema": ANSWER}},
    )
    equal(list(json.loads(message.content[0].text)), ["title"])


def messages_counted(checks):
    counted = checks.anthropic.messages.count_tokens(model=checks.model, messages=messages("hi"))
    assert counted.input_tokens > 0, counted


def messages_limit(checks):
    message = checks.anthropic.messages.create(model=checks.model, max_tokens=5, messages=messages("LONG:50"))
    equal(message.stop_reason, "max_tokens")


def messages_errors(checks):
    ask = dict(model=checks.model, max_tokens=100, messages=messages("hi"))
    raises(anthropic.BadRequestError, 400, lambda: checks.anthropic.messages.create(**{**ask, "messages": []}))
    orphan = [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_none", "content": "x"}]}]
    raises(anthropic.BadRequestError, 400, lambda: checks.anthropic.messages.create(**{**ask, "messages": orphan}))


def messages_rate_limited(checks):
    checks.fail({"status": {"status": 429, "retry_after": "1"}}, times=0)
    error = raises(
        anthropic.RateLimitError,
        429,
        lambda: checks.anthropic.messages.create(model=checks.model, max_tokens=100, messages=messages("hi")),
    )
    equal(error.body["error"]["type"], "rate_limit_error")


def messages_thoughts(checks):
    """What a model thought goes back to it with its signature."""
    said = messages("THINK " + CALL)
    ask = dict(model=checks.model, max_tokens=1000, tools=MESSAGES_TOOLS)
    with checks.anthropic.messages.stream(messages=said, **ask) as stream:
        message = stream.get_final_message()
    result = {"type": "tool_result", "tool_use_id": message.content[-1].id, "content": "five!"}
    said = said + [{"role": "assistant", "content": message.content}, {"role": "user", "content": [result]}]
    equal(checks.anthropic.messages.create(messages=said, **ask).content[-1].text, "tool said 5 bytes")


def streamed_to_its_end(checks):
    ask = dict(model=checks.model, max_tokens=1000, messages=messages("LONG:20"))
    with checks.anthropic.messages.stream(**ask) as stream:
        return stream.get_final_message()


def messages_error_in_stream(checks):
    checks.fail({"error_event": 5})
    try:
        streamed_to_its_end(checks)
    except anthropic.APIStatusError:
        return
    raise AssertionError("an error in the stream was not raised")


def messages_cut(checks):
    checks.fail({"cut": {"after": 5, "how": "close"}})
    breaks(lambda: streamed_to_its_end(checks))
