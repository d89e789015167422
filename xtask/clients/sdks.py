"""Runs the official Python SDKs against a gateway (or a provider), and fails at the first thing they do not accept.

    python sdks.py --url http://127.0.0.1:4000 --control http://127.0.0.1:4001 --model claude-opus-4-8 [--model gpt-5.5 …]

`--control` is the address of the mock provider behind it: failures are asked for there. With several models every API is
tried with each of them, so that a gateway has to convert. Prints one line per check and a last line with their number.
"""

import argparse
import json
import sys
import traceback
import urllib.request

import anthropic
import openai
from google import genai
from google.genai import errors as genai_errors
from google.genai import types as genai_types

SHORT = "Hello from the mock."
LOOK_UP = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
CALL = 'TOOLCALL:look_up:{"word":"ünïcode \\"quoted\\""}'
ARGUMENTS = {"word": 'ünïcode "quoted"'}
ANSWER = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"], "additionalProperties": False}


class Checks:
    """What the checks share: clients, the model that is asked for, and how many checks there were."""

    def __init__(self, url, control, token):
        self.url, self.control = url, control
        self.anthropic = anthropic.Anthropic(base_url=url, api_key=token, max_retries=0, timeout=20)
        self.openai = openai.OpenAI(base_url=f"{url}/v1", api_key=token, max_retries=0, timeout=20)
        self.gemini = genai.Client(api_key=token, http_options=genai_types.HttpOptions(base_url=url, timeout=20_000))
        self.token, self.model, self.count, self.failed = token, "", 0, []

    def ask_control(self, path, body=None):
        request = urllib.request.Request(f"{self.control}/control/{path}", method="POST", data=json.dumps(body or {}).encode())
        urllib.request.urlopen(request, timeout=5).read()

    def fail(self, fault, times=1):
        self.ask_control("fail", {"fault": fault, "times": times})

    def run(self, check):
        name = f"{check.__name__} [{self.model}]" if self.model else check.__name__
        self.ask_control("reset")
        self.count += 1
        try:
            check(self)
            print(f"ok      {name}")
        except Exception:  # Every other check is to run too.
            self.failed.append(name)
            print(f"FAILED  {name}\n{traceback.format_exc()}")


def equal(found, expected):
    assert found == expected, f"expected {expected!r}, found {found!r}"


# Anthropic's Messages.

MESSAGES_TOOLS = [{"name": "look_up", "description": "Looks a word up.", "input_schema": LOOK_UP}]


def messages(text):
    return [{"role": "user", "content": text}]


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


# OpenAI's Chat Completions.

CHAT_TOOLS = [{"type": "function", "function": {"name": "look_up", "description": "Looks a word up.", "parameters": LOOK_UP}}]


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
        stream = checks.openai.chat.completions.create(model=checks.model, messages=messages("LONG:20"), stream=True, **more)
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


# OpenAI's Responses.

RESPONSES_TOOLS = [{"type": "function", "name": "look_up", "description": "Looks a word up.", "parameters": LOOK_UP, "strict": False}]


def responses_whole(checks):
    answer = checks.openai.responses.create(model=checks.model, input="hi", store=False)
    equal((answer.object, answer.status, answer.output_text), ("response", "completed", SHORT))
    equal(answer.usage.output_tokens, 5)


def responses_streamed(checks):
    """Every event has the number after that of the one before; items and parts begin before they grow."""
    stream = checks.openai.responses.create(model=checks.model, input="LONG:20", store=False, stream=True)
    events = list(stream)
    equal([event.sequence_number for event in events], list(range(len(events))))
    equal((events[0].type, events[-1].type), ("response.created", "response.completed"))
    text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    equal(text, "".join(f"word{place} " for place in range(20)))
    equal(events[-1].response.output_text, text)
    assert events[-1].response.usage.output_tokens > 20


def responses_tools(checks, streamed=False):
    said = [{"role": "user", "content": CALL}]
    ask = dict(model=checks.model, tools=RESPONSES_TOOLS, store=False)
    if streamed:
        with checks.openai.responses.stream(input=said, **ask) as stream:
            for _ in stream:
                pass
            answer = stream.get_final_response()
    else:
        answer = checks.openai.responses.create(input=said, **ask)
    calls = [item for item in answer.output if item.type == "function_call"]
    equal([(call.name, json.loads(call.arguments)) for call in calls], [("look_up", ARGUMENTS)])
    call = calls[0]
    asked = {"type": "function_call", "call_id": call.call_id, "name": call.name, "arguments": call.arguments}
    said = said + [asked, {"type": "function_call_output", "call_id": call.call_id, "output": "five!"}]
    equal(checks.openai.responses.create(input=said, **ask).output_text, "tool said 5 bytes")


def responses_tools_streamed(checks):
    responses_tools(checks, streamed=True)


def responses_structured(checks):
    schema = {"format": {"type": "json_schema", "name": "answer", "schema": ANSWER, "strict": True}}
    answer = checks.openai.responses.create(model=checks.model, input="hi", store=False, text=schema)
    equal(list(json.loads(answer.output_text)), ["title"])


def responses_errors(checks):
    orphan = [{"type": "function_call_output", "call_id": "call_none", "output": "x"}]
    raises(
        openai.BadRequestError,
        400,
        lambda: checks.openai.responses.create(model=checks.model, input=orphan, store=False),
    )


# Google's generateContent.

GEMINI_TOOLS = genai_types.GenerateContentConfig(
    tools=[{"function_declarations": [{"name": "look_up", "description": "Looks a word up.", "parameters": LOOK_UP}]}],
    automatic_function_calling={"disable": True},
)


def gemini_whole(checks):
    answer = checks.gemini.models.generate_content(model=checks.model, contents="hi")
    equal(answer.text, SHORT)
    equal(answer.candidates[0].finish_reason, genai_types.FinishReason.STOP)
    equal(answer.usage_metadata.candidates_token_count, 5)


def gemini_streamed(checks):
    chunks = list(checks.gemini.models.generate_content_stream(model=checks.model, contents="LONG:20"))
    equal("".join(chunk.text or "" for chunk in chunks), "".join(f"word{place} " for place in range(20)))
    assert chunks[-1].usage_metadata.candidates_token_count > 20


def gemini_tools(checks):
    said = [genai_types.Content(role="user", parts=[genai_types.Part(text=CALL)])]
    answer = checks.gemini.models.generate_content(model=checks.model, contents=said, config=GEMINI_TOOLS)
    equal([(call.name, call.args) for call in answer.function_calls], [("look_up", ARGUMENTS)])
    result = genai_types.FunctionResponse(id=answer.function_calls[0].id, name="look_up", response={"output": "five!"})
    said += [answer.candidates[0].content, genai_types.Content(role="user", parts=[genai_types.Part(function_response=result)])]
    answer = checks.gemini.models.generate_content(model=checks.model, contents=said, config=GEMINI_TOOLS)
    equal(answer.text, "tool said 5 bytes")


def gemini_errors(checks):
    orphan = genai_types.Part.from_function_response(name="look_up", response={"output": "five!"})
    said = [genai_types.Content(role="user", parts=[orphan])]
    error = raises(
        genai_errors.ClientError, 400, lambda: checks.gemini.models.generate_content(model=checks.model, contents=said)
    )
    equal(error.status, "INVALID_ARGUMENT")


# Whatever the model.


def models_listed(checks):
    for page in (checks.anthropic.models.list(limit=1000), checks.openai.models.list()):
        names = [model.id for model in page]
        assert names, "no model is listed"


def unknown_model(checks):
    raises(
        anthropic.NotFoundError,
        404,
        lambda: checks.anthropic.messages.create(model="no-such-model", max_tokens=10, messages=messages("hi")),
    )
    raises(
        openai.NotFoundError,
        404,
        lambda: checks.openai.chat.completions.create(model="no-such-model", messages=messages("hi")),
    )
    raises(openai.NotFoundError, 404, lambda: checks.openai.responses.create(model="no-such-model", input="hi"))


def raises(kind, status, call):
    try:
        call()
    except kind as error:
        equal(getattr(error, "status_code", None) or getattr(error, "code", None), status)
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


OF_EVERY_MODEL = [
    messages_whole, messages_streamed, messages_events, messages_tools, messages_tools_streamed, messages_structured,
    messages_counted, messages_limit, messages_errors, messages_rate_limited,
    chat_whole, chat_streamed, chat_tools, chat_tools_streamed, chat_structured, chat_errors, chat_rate_limited,
    responses_whole, responses_streamed, responses_tools, responses_tools_streamed, responses_structured, responses_errors,
    gemini_whole, gemini_streamed, gemini_tools, gemini_errors,
]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--control", required=True)
    parser.add_argument("--token", default="token-of-the-tests")
    parser.add_argument("--model", action="append", required=True)
    parser.add_argument("--only", default="", help="checks whose name holds this")
    parser.add_argument("--provider", action="store_true", help="it is no gateway")
    arguments = parser.parse_args()
    checks = Checks(arguments.url.rstrip("/"), arguments.control.rstrip("/"), arguments.token)
    # A gateway routes a name that it does not know.
    for check in (models_listed, unknown_model) if arguments.provider else (models_listed,):
        if arguments.only in check.__name__:
            checks.run(check)
    for checks.model in arguments.model:
        for check in OF_EVERY_MODEL:
            if arguments.only in check.__name__:
                checks.run(check)
    print(f"{checks.count - len(checks.failed)} of {checks.count} checks passed")
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
