"""The openai SDK: Responses."""

import json

import openai
from checking import ANSWER, ARGUMENTS, CALL, LOOK_UP, SHORT, equal, raises

RESPONSES_TOOLS = [
    {"type": "function", "name": "look_up", "description": "Looks a word up.", "parameters": LOOK_UP, "strict": False}
]


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
    # An item of no known type beside the orphan: no other API takes that, whoever is out.
    unknown = [{"type": "function_call_output", "call_id": "call_none", "output": "x"}, {"type": "no_such_item"}]
    raises(
        openai.BadRequestError,
        400,
        lambda: checks.openai.responses.create(model=checks.model, input=unknown, store=False),
    )


def responses_error_in_stream(checks):
    """The stream ends with `response.failed`, or the SDK raises what it was told."""
    checks.fail({"error_event": 5})
    try:
        events = list(checks.openai.responses.create(model=checks.model, input="LONG:20", store=False, stream=True))
    except openai.APIError:
        return
    equal(events[-1].type, "response.failed")


def responses_cut(checks):
    """The SDK raises nothing where events just end; a gateway may also say that the answer failed."""
    checks.fail({"cut": {"after": 5, "how": "close"}})
    try:
        events = list(checks.openai.responses.create(model=checks.model, input="LONG:20", store=False, stream=True))
    except Exception:  # The SDK lets errors of its HTTP client through here.
        return
    assert events[-1].type != "response.completed", "a stream that was cut off looked whole"
