"""Runs the official Python SDKs against a gateway (or a provider), and tells what they do not accept.

    python sdks.py --url http://127.0.0.1:4000 --control http://127.0.0.1:4001 --model claude-opus-4-8 --model gpt-5.5

`--control` is the address of the mock provider behind it: failures are asked for there. With several models every API
is tried with each of them, so that a gateway has to convert. Prints one line per check and a last line with their
number.
"""

import argparse
import sys

import anthropic
import chat_checks
import gemini_checks
import messages_checks
import openai
import responses_checks
from checking import Checks, messages, raises


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


def of_every_model():
    """Every check of an API: a function with the name of its module in front."""
    for module in (messages_checks, chat_checks, responses_checks, gemini_checks):
        for name, check in vars(module).items():
            if name.startswith(module.__name__.split("_")[0] + "_"):
                yield check


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
        for check in of_every_model():
            if arguments.only in check.__name__:
                checks.run(check)
    print(f"{checks.count - len(checks.failed)} of {checks.count} checks passed")
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
