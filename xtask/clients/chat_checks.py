"""The openai SDK: Chat Completions."""

import json

import openai
from checking import ANSWER, ARGUMENTS, CALL, LOOK_UP, SHORT, breaks, equal, messages, raises

CHAT_TOOLS = [
    {"type": "function", "function": {"name": "look_up", "description": "Looks a word up.", "parameters": LOOK_UP}}
]


def chat_whole(checks):
    answer = checks.openai.chat.completions.create(model=checks.model, messages=messages("hi"))
    equal((answer.object, answer.choices[0].finish_reason), ("chat.completion", "stop"))
    equal(answer.choices[0].message.content, SHORT)
    equal(answer.usage.completion_tokens, 5)
    equal(answer.usage.total_tokens, answer.usage.prompt_tokens + 5)


def chat_streamed(checks):
    """Usage is told when it was asked for, and only then."""
    for asked in (False, True):
        more = {"stream_options": {"include_usage": True}} if asked else {}
        stream = checks.openai.chat.completions.create(
            model=checks.model, messages=messages("LONG:20"), stream=True, **more
        )
        chunks = list(stream)
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        equal(text, "".join(f"word{place} " for place in range(20)))
        told = [chunk for chunk in chunks if chunk.usage]
        equal(len(told), 1 if asked else 0)
        if not asked:
            assert all(chunk.choices for chunk in chunks), "a chunk without choices was not asked for"
        equal([chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1], "stop")


def chat_tools(checks, streamed=False):
    said = messages(CALL)
    ask = dict(model=checks.model, tools=CHAT_TOOLS)
    if streamed:
        with checks.openai.chat.completions.stream(messages=said, **ask) as stream:
            for _ in stream:
                pass
            choice = stream.get_final_completion().choices[0]
    else:
        choice = checks.openai.chat.completions.create(messages=said, **ask).choices[0]
    equal(choice.finish_reason, "tool_calls")
    call = choice.message.tool_calls[0]
    equal((call.type, call.function.name, json.loads(call.function.arguments)), ("function", "look_up", ARGUMENTS))
    asked = {"id": call.id, "type": "function", "function": {"name": "look_up", "arguments": call.function.arguments}}
    said = said + [
        {"role": "assistant", "content": None, "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": call.id, "content": "five!"},
    ]
    answer = checks.openai.chat.completions.create(messages=said, **ask)
    equal(answer.choices[0].message.content, "tool said 5 bytes")


def chat_tools_streamed(checks):
    chat_tools(checks, streamed=True)


def chat_structured(checks):
    schema = {"type": "json_schema", "json_schema": {"name": "answer", "schema": ANSWER, "strict": True}}
    answer = checks.openai.chat.completions.create(model=checks.model, messages=messages("hi"), response_format=schema)
    equal(list(json.loads(answer.choices[0].message.content)), ["title"])


def chat_errors(checks):
    raises(openai.BadRequestError, 400, lambda: checks.openai.chat.completions.create(model=checks.model, messages=[]))


def chat_rate_limited(checks):
    checks.fail({"status": {"status": 429, "retry_after": "1"}}, times=0)
    raises(
        openai.RateLimitError,
        429,
        lambda: checks.openai.chat.completions.create(model=checks.model, messages=messages("hi")),
    )


def streamed_to_its_end(checks):
    ask = dict(model=checks.model, messages=messages("LONG:20"), stream=True)
    return list(checks.openai.chat.completions.create(**ask))


def chat_error_in_stream(checks):
    checks.fail({"error_event": 5})
    try:
        streamed_to_its_end(checks)
    except openai.APIError:
        return
    raise AssertionError("an error in the stream was not raised")


def chat_cut(checks):
    checks.fail({"cut": {"after": 5, "how": "close"}})
    breaks(lambda: streamed_to_its_end(checks))
