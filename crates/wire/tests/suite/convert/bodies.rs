//! One request in each API, modelled on those of agents: a system prompt, tools, a call, its result, an image.

use contracts::WireApi;
use serde_json::{Value, json};

/// Returns the request of these tests in an API.
pub(crate) fn body(api: WireApi) -> Value {
    match api {
        WireApi::AnthropicMessages => anthropic(),
        WireApi::OpenAiChat => chat(),
        WireApi::OpenAiResponses => responses(),
        WireApi::Gemini => gemini(),
    }
}

/// Returns the schema of the tool's arguments.
fn schema() -> Value {
    json!({"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]})
}

/// Returns the request in the format of Messages.
fn anthropic() -> Value {
    let kept = json!({"type": "ephemeral"});
    json!({
        "model": "claude-opus-4-8",
        "max_tokens": 64_000,
        "stream": true,
        "metadata": {"user_id": "{\"device_id\":\"d\",\"session_id\":\"s\"}"},
        "thinking": {"type": "adaptive"},
        "output_config": {"effort": "high"},
        "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
        "system": [
            {"type": "text", "text": "x-anthropic-billing-header: cc_version=2.1; cc_entrypoint=cli;"},
            {"type": "text", "text": "You are an agent.", "cache_control": kept},
            {"type": "text", "text": "Be brief.", "cache_control": kept},
        ],
        "tools": [
            {"name": "Bash", "description": "Runs a command.", "input_schema": schema(), "cache_control": kept},
            {"name": "Look", "input_schema": {"type": "object", "properties": {}}},
        ],
        "tool_choice": {"type": "auto", "disable_parallel_tool_use": false},
        "messages": [
            {"role": "user", "content": [
                {"type": "text", "text": "What is in this picture, and who am I?"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}},
            ]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Let me see.", "signature": "c2lnbmVk"},
                {"type": "text", "text": "I will look."},
                {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "whoami"}},
                {"type": "tool_use", "id": "toolu_2", "name": "Look", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "root"},
                {"type": "tool_result", "tool_use_id": "toolu_2", "is_error": true, "content": [
                    {"type": "text", "text": "No such file."},
                ]},
                {"type": "text", "text": "Well?", "cache_control": kept},
            ]},
        ],
    })
}

/// Returns the request in the format of chat completions.
fn chat() -> Value {
    json!({
        "model": "some-model",
        "max_tokens": 32_000,
        "stream": true,
        "stream_options": {"include_usage": true},
        "temperature": 0.5,
        "stop": "END",
        "reasoning_effort": "low",
        "parallel_tool_calls": true,
        "user": "somebody",
        "tool_choice": {"type": "function", "function": {"name": "bash"}},
        "response_format": {"type": "json_schema", "json_schema": {
            "name": "title", "description": "A title.", "strict": true, "schema": {
                "type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"],
                "additionalProperties": false,
            },
        }},
        "tools": [
            {"type": "function", "function": {"name": "bash", "description": "Runs a command.", "parameters": schema()}},
        ],
        "messages": [
            {"role": "system", "content": "You are an agent."},
            {"role": "user", "content": [
                {"type": "text", "text": "Who am I?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw==", "detail": "high"}},
            ]},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "bash", "arguments": "{\"command\": \"whoami\"}"}},
                {"id": "call_2", "type": "function", "function": {"name": "bash", "arguments": ""}},
            ]},
            {"role": "tool", "tool_call_id": "call_1", "content": "root"},
            {"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "no command"}]},
            {"role": "assistant", "content": "You are root."},
            {"role": "user", "content": "Make a title of that."},
        ],
    })
}

/// Returns the request in the format of Responses.
fn responses() -> Value {
    json!({
        "model": "gpt-5",
        "stream": true,
        "store": false,
        "include": ["reasoning.encrypted_content"],
        "client_metadata": {"session_id": "s"},
        "prompt_cache_key": "s",
        "reasoning": {"effort": "medium", "summary": "auto"},
        "text": {"verbosity": "low"},
        "parallel_tool_calls": true,
        "tool_choice": "auto",
        "max_output_tokens": 9_000,
        "tools": [
            {"type": "function", "name": "shell", "description": "Runs a command.", "strict": false, "parameters": schema()},
        ],
        "input": [
            {"type": "message", "role": "developer", "id": "msg_1", "content": [
                {"type": "input_text", "text": "You are an agent."},
            ]},
            {"role": "user", "content": [
                {"type": "input_text", "text": "Who am I?"},
                {"type": "input_image", "image_url": "data:image/png;base64,iVBORw==", "detail": "auto"},
            ]},
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "AAAA"},
            {"type": "message", "role": "assistant", "id": "msg_2", "status": "completed", "content": [
                {"type": "output_text", "text": "I will look.", "annotations": []},
            ]},
            {"type": "function_call", "id": "fc_1", "status": "completed", "call_id": "call_1", "name": "shell",
                "arguments": "{\"command\":\"whoami\"}"},
            {"type": "function_call", "call_id": "call_2", "name": "shell", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "call_1", "output": "root"},
            {"type": "function_call_output", "call_id": "call_2", "output": "no command"},
            {"type": "message", "role": "user", "content": "Well?"},
        ],
    })
}

/// Returns the request in the format of `generateContent`.
fn gemini() -> Value {
    json!({
        "systemInstruction": {"role": "user", "parts": [{"text": "You are an agent."}]},
        "contents": [
            {"role": "user", "parts": [
                {"text": "Who am I?"},
                {"inlineData": {"mimeType": "image/png", "data": "iVBORw=="}},
            ]},
            {"role": "model", "parts": [
                {"text": "Let me see.", "thought": true},
                {"text": "I will look."},
                {"functionCall": {"name": "shell", "args": {"command": "whoami"}}, "thoughtSignature": "AAAA"},
                {"functionCall": {"name": "shell", "args": {}}},
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "shell", "response": {"output": "root"}}},
                {"functionResponse": {"name": "shell", "response": {"error": "no command"}}},
            ]},
            {"role": "user", "parts": [{"text": "Well?"}]},
        ],
        "tools": [{"function_declarations": [
            {"name": "shell", "description": "Runs a command.", "parameters": {
                "type": "OBJECT", "properties": {"command": {"type": "STRING", "nullable": true}},
                "propertyOrdering": ["command"],
            }},
        ]}],
        "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
        "generationConfig": {
            "temperature": 1, "topP": 0.95, "topK": 64, "maxOutputTokens": 4_000, "stopSequences": ["END"],
            "thinkingConfig": {"thinkingLevel": "HIGH", "includeThoughts": true},
            "responseMimeType": "application/json",
            "responseJsonSchema": {"type": "OBJECT", "properties": {"score": {"type": "INTEGER"}}, "required": ["score"]},
        },
    })
}
