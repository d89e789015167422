"""The google-genai SDK."""

from checking import ARGUMENTS, CALL, LOOK_UP, SHORT, equal, raises
from google.genai import errors as genai_errors
from google.genai import types as genai_types

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
    said += [
        answer.candidates[0].content,
        genai_types.Content(role="user", parts=[genai_types.Part(function_response=result)]),
    ]
    answer = checks.gemini.models.generate_content(model=checks.model, contents=said, config=GEMINI_TOOLS)
    equal(answer.text, "tool said 5 bytes")


def gemini_errors(checks):
    orphan = genai_types.Part.from_function_response(name="look_up", response={"output": "five!"})
    said = [genai_types.Content(role="user", parts=[orphan])]
    error = raises(
        genai_errors.ClientError, 400, lambda: checks.gemini.models.generate_content(model=checks.model, contents=said)
    )
    equal(error.status, "INVALID_ARGUMENT")
