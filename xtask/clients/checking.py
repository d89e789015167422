"""What the checks of the SDKs share: clients, the tool that is called, and how many checks there were."""

import json
import traceback
import urllib.request

import anthropic
import openai
from google import genai
from google.genai import types as genai_types

SHORT = "Hello from the mock."
LOOK_UP = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
CALL = 'TOOLCALL:look_up:{"word":"ünïcode \\"quoted\\""}'
ARGUMENTS = {"word": 'ünïcode "quoted"'}
ANSWER = {
    "type": "object",
    "properties": {"title": {"type": "string"}},
    "required": ["title"],
    "additionalProperties": False,
}


class Checks:
    """What the checks share: clients, the model that is asked for, and how many checks there were."""

    def __init__(self, url, control, token):
        self.url, self.control = url, control
        self.anthropic = anthropic.Anthropic(base_url=url, api_key=token, max_retries=0, timeout=20)
        self.openai = openai.OpenAI(base_url=f"{url}/v1", api_key=token, max_retries=0, timeout=20)
        self.gemini = genai.Client(api_key=token, http_options=genai_types.HttpOptions(base_url=url, timeout=20_000))
        self.token, self.model, self.count, self.failed = token, "", 0, []

    def ask_control(self, path, body=None):
        request = urllib.request.Request(
            f"{self.control}/control/{path}", method="POST", data=json.dumps(body or {}).encode()
        )
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


def messages(text):
    return [{"role": "user", "content": text}]


def breaks(call):
    """What ends in the middle must not look like an end: whatever the SDK raises will do."""
    try:
        call()
    except Exception:  # The SDKs let errors of their HTTP clients through here.
        return
    raise AssertionError("a stream that was cut off looked whole")


def raises(kind, status, call):
    try:
        call()
    except kind as error:
        equal(getattr(error, "status_code", None) or getattr(error, "code", None), status)
        return error
    raise AssertionError(f"{kind.__name__} was not raised")
