//! Request bodies modelled on those of real clients, with the same structure and size and with generated texts.

use serde_json::{Value, json};

/// Returns about this many bytes of prose with the line ends and quotes of instructions.
fn prose(bytes: usize) -> String {
    let sentence = "Read the file before you change it.\n- Say \"what\" you do, and why: `cargo test` comes last.\n";
    sentence.chars().cycle().take(bytes).collect()
}

/// Returns the schema of a tool with these parameters, each with a description.
fn schema(names: &[&str]) -> Value {
    let property = |name: &&str| ((*name).to_owned(), json!({"type": "string", "description": prose(120)}));
    let properties: serde_json::Map<_, _> = names.iter().map(property).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": properties,
        "required": names, "additionalProperties": false,
    })
}

/// The parameters of all tools.
const ARGUMENTS: [&str; 5] = ["command", "description", "timeout", "run_in_background", "path"];

/// Returns the content of a user message of Claude Code: a reminder that the client injects, and the text.
pub(crate) fn reminded(text: &str) -> Value {
    let reminder = format!("<system-reminder>\nAs you answer, know this:\n{}\n</system-reminder>\n", prose(300));
    json!([{"type": "text", "text": reminder}, {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}])
}

/// Returns a request of Claude Code with this many tools, each of about 2.6 kB.
pub(crate) fn claude_code(messages: &[Value], tools: usize) -> Value {
    let tool = |index: usize| json!({"name": format!("Tool{index}"), "description": prose(1_200), "input_schema": schema(&ARGUMENTS)});
    let ephemeral = json!({"type": "ephemeral"});
    let environment = "# Environment\n - Primary working directory: /home/dev/shop\n - Platform: linux\n";
    json!({
        "model": "claude-opus-5",
        "messages": messages,
        "system": [
            {"type": "text", "text": "x-anthropic-billing-header: cc_version=2.1.0.a1; cc_entrypoint=cli;"},
            {"type": "text", "text": "You are Claude Code, the CLI.", "cache_control": ephemeral},
            {"type": "text", "text": format!("{}\n{environment}", prose(6_000)), "cache_control": ephemeral},
        ],
        "tools": (0..tools).map(tool).collect::<Vec<_>>(),
        "metadata": {"user_id": json!({"device_id": "d0", "account_uuid": "", "session_id": "s-77"}).to_string()},
        "max_tokens": 64_000,
        "thinking": {"type": "adaptive"},
        "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
        "output_config": {"effort": "high"},
        "stream": true,
    })
}

/// Returns the first request of a turn of Claude Code: the message, then a system message with agents and skills.
pub(crate) fn claude_code_main(text: &str) -> Value {
    let agents = json!({"role": "system", "content": format!("Available agents:\n{}", prose(6_000))});
    claude_code(&[json!({"role": "user", "content": reminded(text)}), agents], 25)
}

/// Returns the request of Claude Code that continues the same turn after a tool call.
pub(crate) fn claude_code_continued(text: &str) -> Value {
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "Tool1", "input": {"command": "cargo test"}});
    let thinking = json!({"type": "thinking", "thinking": prose(400), "signature": "c2lnbmVk"});
    let result = json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": prose(3_000), "is_error": true});
    claude_code(
        &[
            json!({"role": "user", "content": reminded(text)}),
            json!({"role": "system", "content": prose(6_000)}),
            json!({"role": "assistant", "content": [thinking, call]}),
            json!({"role": "user", "content": [result, {"type": "text", "text": "<system-reminder>\nA note.\n</system-reminder>"}]}),
        ],
        25,
    )
}

/// Returns the request of Claude Code for a title.
pub(crate) fn claude_code_title() -> Value {
    let mut body = claude_code(&[json!({"role": "user", "content": "<session>\nfix the basket\n</session>"})], 0);
    body["system"][2]["text"] = json!("Generate a short, sentence-case title for this coding session.");
    body["output_config"]["format"] = json!({"type": "json_schema", "schema": {
        "type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"],
    }});
    body["thinking"] = json!({"type": "disabled"});
    body
}

/// Returns a message item of Responses with one text.
fn item(role: &str, text: &str) -> Value {
    json!({"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]})
}

/// Returns a request of Codex, by a sub-agent, that continues a turn after a tool call.
pub(crate) fn codex_continued(text: &str) -> Value {
    let environment =
        "<environment_context>\n  <cwd>/home/dev/shop</cwd>\n  <shell>bash</shell>\n</environment_context>";
    let function = |name: &str| json!({"type": "function", "name": name, "description": prose(300), "strict": false, "parameters": schema(&ARGUMENTS)});
    json!({
        "model": "gpt-6",
        "input": [
            item("developer", &prose(20_000)),
            item("developer", &format!("<skills_instructions>\n{}", prose(4_000))),
            item("user", environment),
            item("user", text),
            {"type": "reasoning", "summary": [], "encrypted_content": "Z0FBQUFB"},
            {"type": "function_call", "call_id": "call_1", "name": "exec_command", "arguments": "{\"cmd\":\"ls\"}"},
            {"type": "function_call_output", "call_id": "call_1", "output": "Process exited with code 0\n"},
        ],
        "tools": [
            function("exec_command"), function("write_stdin"),
            {"type": "custom", "name": "apply_patch", "description": "Edits files.", "format": {"type": "grammar"}},
            {"type": "tool_search", "execution": "client", "description": "Finds tools.", "parameters": {}},
            {"type": "web_search", "external_web_access": false},
        ],
        "tool_choice": "auto", "parallel_tool_calls": true, "reasoning": {"effort": "medium"}, "store": false,
        "stream": true, "include": ["reasoning.encrypted_content"], "prompt_cache_key": "s-1", "text": {"verbosity": "low"},
        "client_metadata": {"session_id": "s-1", "thread_id": "t-2", "x-codex-parent-thread-id": "s-1",
            "x-openai-subagent": "collab_spawn"},
    })
}

/// Returns the first request of a turn of opencode, which uses chat completions.
pub(crate) fn opencode(text: &str) -> Value {
    let system = format!(
        "You are opencode, a tool for the terminal.\n{}\n<env>\n  Working directory: /srv/shop\n</env>",
        prose(9_000)
    );
    let function = json!({"name": "bash", "description": prose(4_000), "parameters": schema(&ARGUMENTS)});
    json!({
        "model": "mock", "max_tokens": 32_000, "stream": true, "stream_options": {"include_usage": true},
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": text}],
        "tools": [{"type": "function", "function": function}], "tool_choice": "auto",
    })
}

/// Returns the request of opencode for a title.
pub(crate) fn opencode_title() -> Value {
    json!({
        "model": "small", "max_tokens": 32_000, "stream": true,
        "messages": [
            {"role": "system", "content": "You are a title generator. You output a title and nothing else."},
            {"role": "user", "content": "Generate a title for this conversation:\n"},
            {"role": "user", "content": "fix the basket"},
        ],
    })
}

/// Returns a request of aider, with its example conversation and its files before the message.
pub(crate) fn aider(text: &str) -> Value {
    let rules = "To suggest changes to a file you MUST return the whole file.\n";
    json!({
        "model": "mock", "stream": true, "temperature": 0,
        "messages": [
            {"role": "system", "content": "Act as an expert software developer.\nTake requests for changes."},
            {"role": "user", "content": "Change the greeting"},
            {"role": "assistant", "content": "Ok"},
            {"role": "user", "content": "I switched to a new code base. Please forget the above."},
            {"role": "assistant", "content": "Ok."},
            {"role": "user", "content": "I have *added these files to the chat* so see them.\n\na.py\n"},
            {"role": "assistant", "content": "Ok, I see them."},
            {"role": "user", "content": format!("{text}\n\n{rules}")},
        ],
    })
}

/// The text that Gemini CLI injects before the first message.
const SETUP: &str =
    "<session_context>\nThis is the Gemini CLI.\n- **Workspace Directories:**\n  - /srv/shop\n</session_context>";

/// Returns a request of Gemini CLI that continues a turn after a failed function call.
pub(crate) fn gemini_cli(text: &str) -> Value {
    json!({
        "contents": [
            {"role": "user", "parts": [{"text": SETUP}, {"text": text}]},
            {"role": "model", "parts": [
                {"functionCall": {"name": "read_file", "args": {"path": "a.rs"}}, "thoughtSignature": "c2ln"},
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "1", "name": "read_file", "response": {"error": "no such file"}}},
            ]},
        ],
        "systemInstruction": {"role": "user", "parts": [{"text": prose(30_000)}]},
        "tools": [{"functionDeclarations": [
            {"name": "read_file", "description": prose(500), "parametersJsonSchema": schema(&ARGUMENTS)},
        ]}],
        "generationConfig": {"temperature": 1, "topP": 0.95, "topK": 64, "thinkingConfig": {"includeThoughts": true}},
    })
}

/// Returns the request of Gemini CLI that classifies the complexity of a task.
pub(crate) fn gemini_cli_router(text: &str) -> Value {
    json!({
        "contents": [{"role": "user", "parts": [{"text": SETUP}]}, {"role": "user", "parts": [{"text": text}]}],
        "systemInstruction": {"parts": [{"text": "Score the complexity of the task."}]},
        "generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": {
            "type": "OBJECT", "properties": {"complexity_reasoning": {"type": "STRING"}, "complexity_score": {"type": "INTEGER"}},
        }},
    })
}

/// Returns a minimal request of an SDK.
pub(crate) fn small_chat() -> Value {
    json!({"model": "mock", "messages": [{"role": "user", "content": "hi"}], "stream": true})
}
