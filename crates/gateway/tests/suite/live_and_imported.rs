//! One conversation, recorded live and imported from the client's session file, has the same events, apart from listed fields.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    sync::Arc,
};

use contracts::events::{TurnEnded, TurnStarted};
use engine::{Engine, Home, Models, Stores};
use event_bus::{EventLog, MemoryLog, MemoryTexts, SystemClock, TextStore};
use event_core::Position;
use serde_json::{Value, json};
use transcripts::{
    claude_code::ClaudeCode,
    codex::Codex,
    session_file::{Format, SessionReader},
};

use crate::support::{SESSION, World};

const POLICY: &str = "schema_version: 1\ngateway: {client_model: auto}\nglobal_default: sonnet\n";

/// The output of every tool. It names a file.
const RESULT: &str = "db/schema.sql:3: green";

/// The events of a log: the payloads of each kind, in order.
type Events = BTreeMap<String, Vec<Value>>;

/// A kind of event and a field of it that differ. `*` stands for events that only one of the sources records.
type Difference = (&'static str, &'static str);

/// Differences of both clients. docs/architecture.md has the same table, with the reasons.
const BOTH: [Difference; 13] = [
    // A session file does not record when a request was sent, only when lines were written.
    ("llm.call_started", "*"),
    ("llm.call_completed", "began_at"),
    ("llm.call_completed", "latency_ms"),
    // The decision was made at another position of another log, and is not measured for an import.
    ("route.decided", "based_on"),
    ("route.decided", "elapsed_micros"),
    ("route.decided", "mode"),
    ("session.started", "source"),
    ("skill.routed", "elapsed_micros"),
    ("skill.routed", "mode"),
    // The gateway measures the JSON of a result, a session file its text.
    ("tool.finished", "output_bytes"),
    // Only the gateway has the request with its system prompt and tools; for an import, their size is estimated.
    ("turn.started", "features.tokens"),
    // Only an imported turn says that it is imported.
    ("turn.started", "request.imported"),
    ("turn.started", "tokens"),
];

/// Further differences of Claude Code.
const CLAUDE_CODE: [Difference; 3] = [
    // A session file names the model that ran, which is not the model that this client requested of the gateway.
    ("turn.started", "request.model"),
    ("turn.started", "request.named"),
    // A session file shows only what responses report.
    ("turn.started", "request.requires"),
];

/// Further differences of Codex, which writes the usage in a form of its own.
const CODEX: [Difference; 1] = [("llm.call_completed", "raw_usage")];

#[test]
fn a_conversation_of_claude_code_has_the_same_events_live_and_imported() {
    let world = World::new(POLICY);
    let mut file = SessionFile::default();
    let mut body = json!({
        "model": "claude-opus-4-8", "max_tokens": 1_000, "messages": [],
        "system": "You are Claude Code.\n\n# Environment\n - Primary working directory: /home/dev/shop\n",
        "tools": [{ "name": "Bash", "input_schema": { "type": "object" } }],
    });
    for message in ["TOOLCALL:Bash:{\"command\":\"cargo test src/cart.rs\"}", "and now the docs"] {
        let mut content = json!(message);
        loop {
            let user = json!({ "role": "user", "content": content });
            body["messages"].as_array_mut().unwrap().push(user.clone());
            file.claude_code("user", &user, "");
            let answer = world.post("/v1/messages", &SESSION, &body).json();
            let assistant = json!({ "role": "assistant", "content": answer["content"] });
            body["messages"].as_array_mut().unwrap().push(assistant);
            file.claude_code("assistant", &answer, "req_1");
            let calls = answer["content"].as_array().unwrap().iter().filter(|block| block["type"] == "tool_use");
            let result = |call: &Value| json!({ "type": "tool_result", "tool_use_id": call["id"], "content": RESULT });
            let results: Vec<Value> = calls.map(result).collect();
            if results.is_empty() {
                break;
            }
            content = Value::Array(results);
        }
    }
    world.ended(2);
    let imported = import::<ClaudeCode>(&file.text);
    assert_eq!(differences(&recorded(&world.log_text()), &imported), all(&CLAUDE_CODE));
}

#[test]
fn a_conversation_of_codex_has_the_same_events_live_and_imported() {
    let id = "01a1ede2-6680-7d11-9c55-0a1b2c3d4e5f";
    let headers = [("session-id", id), ("thread-id", id), ("user-agent", "codex_exec/0.169.0 (Linux)")];
    let world = World::new(POLICY.replace("sonnet", "gpt-5.5").as_str());
    let mut file = SessionFile::default();
    file.codex(
        "session_meta",
        &json!({ "session_id": id, "id": id, "timestamp": file.now(), "cwd": "/home/dev/shop", "originator": "codex_exec",
            "cli_version": "0.169.0", "source": "exec", "model_provider": "openai" }),
    );
    let tool = json!({ "type": "function", "name": "exec_command", "parameters": { "type": "object" } });
    let environment = "<environment_context>\n  <cwd>/home/dev/shop</cwd>\n</environment_context>";
    let text = json!([{ "type": "input_text", "text": environment }]);
    let environment = json!({ "type": "message", "role": "user", "content": text });
    file.codex("response_item", &environment);
    let mut body = json!({ "model": "gpt-5.5", "instructions": "You are Codex.", "input": [environment], "tools": [tool],
        "store": false });
    let mut totals = [0_u64; 5];
    for message in ["TOOLCALL:exec_command:{\"cmd\":\"cargo test\"}", "and now the docs"] {
        file.codex("event_msg", &json!({ "type": "task_started", "turn_id": message }));
        file.codex("turn_context", &json!({ "turn_id": message, "cwd": "/home/dev/shop", "model": "gpt-5.5" }));
        let text = json!([{ "type": "input_text", "text": message }]);
        let mut input = vec![json!({ "type": "message", "role": "user", "content": text })];
        file.codex("response_item", &input[0]);
        file.codex("event_msg", &json!({ "type": "user_message", "message": message }));
        while !input.is_empty() {
            body["input"].as_array_mut().unwrap().append(&mut input);
            let answer = world.post("/v1/responses", &headers, &body).json();
            for item in answer["output"].as_array().unwrap() {
                body["input"].as_array_mut().unwrap().push(item.clone());
                file.codex("response_item", item);
                if item["type"] == "function_call" {
                    let output =
                        json!({ "type": "function_call_output", "call_id": item["call_id"], "output": RESULT });
                    input.push(output);
                }
            }
            file.codex("event_msg", &token_count(&answer["usage"], &mut totals));
            for output in &input {
                file.codex("response_item", output);
            }
        }
        file.codex("event_msg", &json!({ "type": "task_complete", "turn_id": message }));
    }
    world.ended(2);
    let imported = import::<Codex>(&file.text);
    assert_eq!(differences(&recorded(&world.log_text()), &imported), all(&CODEX));
}

/// Returns the line in which Codex records the usage of a call and of all calls so far.
fn token_count(usage: &Value, totals: &mut [u64; 5]) -> Value {
    let last = [
        &usage["input_tokens"],
        &usage["input_tokens_details"]["cached_tokens"],
        &usage["output_tokens"],
        &usage["output_tokens_details"]["reasoning_tokens"],
        &usage["total_tokens"],
    ];
    let last = last.map(|count| count.as_u64().unwrap_or_default());
    for (total, count) in totals.iter_mut().zip(last) {
        *total += count;
    }
    let named = |[input, cached, output, reasoning, total]: [u64; 5]| {
        json!({ "input_tokens": input, "cached_input_tokens": cached, "output_tokens": output,
            "reasoning_output_tokens": reasoning, "total_tokens": total })
    };
    json!({ "type": "token_count", "info": { "total_token_usage": named(*totals), "last_token_usage": named(last) } })
}

/// A session file that grows as its client writes it, one second between lines.
#[derive(Default)]
struct SessionFile {
    text: String,
    lines: u32,
}

impl SessionFile {
    fn now(&self) -> String {
        format!("2026-11-22T10:00:{:02}.000Z", self.lines)
    }

    fn push(&mut self, line: &Value) {
        writeln!(self.text, "{line}").unwrap();
        self.lines += 1;
    }

    fn claude_code(&mut self, kind: &str, message: &Value, request: &str) {
        let mut line = json!({ "type": kind, "uuid": format!("u{}", self.lines), "timestamp": self.now(),
            "sessionId": SESSION[0].1, "cwd": "/home/dev/shop", "version": "2.1.197", "message": message });
        if !request.is_empty() {
            line["requestId"] = json!(request);
        }
        self.push(&line);
    }

    fn codex(&mut self, kind: &str, payload: &Value) {
        self.push(&json!({ "timestamp": self.now(), "type": kind, "payload": payload }));
    }
}

/// Imports a session file into a log of its own.
fn import<F: Format>(text: &str) -> Events {
    let home = tempfile::tempdir().unwrap();
    let policy = if text.contains("gpt-5.5") { POLICY.replace("sonnet", "gpt-5.5") } else { POLICY.to_owned() };
    std::fs::write(home.path().join("routing.yaml"), policy).unwrap();
    let log = Arc::new(MemoryLog::new());
    let stores = Stores {
        log: Arc::clone(&log) as Arc<dyn EventLog>,
        texts: Arc::new(MemoryTexts::default()) as Arc<dyn TextStore>,
        clock: Box::new(SystemClock),
        offset: |_| 0,
    };
    let models = Models::from_registry(catalogue::load_registry(None).unwrap());
    let mut engine = Engine::with_models(&Home::new(home.path(), None), models, stores).unwrap();
    let mut reader = SessionReader::<_, F>::new("session.jsonl".as_ref(), text.as_bytes());
    while let Some(turn) = reader.next() {
        let session = reader.session().unwrap().clone();
        engine.observe_session(&session).unwrap();
        engine.observe_turn(&session, &turn).unwrap();
    }
    assert_eq!(reader.issues(), []);
    engine.commit().unwrap();
    let mut out = Vec::new();
    engine::export(log.as_ref(), &MemoryTexts::default(), Position::ORIGIN, &mut out, |_| ()).unwrap();
    recorded(&String::from_utf8(out).unwrap())
}

/// Parses an exported log: the events of its sessions. Ids, which each source derives from its own names of things, are
/// replaced: that of a turn by its number, that of a signal's event by null.
fn recorded(exported: &str) -> Events {
    let mut events = Events::new();
    let mut turns = Vec::new();
    for line in exported.lines() {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let kind = line["kind"].as_str().unwrap_or_default().to_owned();
        let is_of_session =
            ["session.", "turn.", "route.", "llm.", "tool.", "eval.", "skill."].iter().any(|of| kind.starts_with(of));
        if !is_of_session {
            continue;
        }
        let mut data = line["data"].take();
        if let Some(turn) = data["turn"].as_str().map(str::to_owned) {
            let number = turns.iter().position(|known| *known == turn).unwrap_or(turns.len());
            if number == turns.len() {
                turns.push(turn);
            }
            data["turn"] = json!(number);
        }
        for signal in data["signals"].as_array_mut().into_iter().flatten() {
            signal["event"].take();
        }
        events.entry(kind).or_default().push(data);
    }
    assert_eq!(events[<TurnEnded as event_core::EventType>::KIND].len(), 2);
    let [first, second] = &events[<TurnStarted as event_core::EventType>::KIND][..] else { panic!("{events:#?}") };
    let names_sql = |turn: &Value| turn["extensions"].as_array().unwrap().contains(&json!(".sql"));
    assert!(!names_sql(first) && names_sql(second), "the result of a tool names the file: {first} {second}");
    events
}

/// Returns the fields whose values differ; nested fields as `outer.inner`.
fn differences(live: &Events, imported: &Events) -> BTreeSet<(String, String)> {
    let mut differing = BTreeSet::new();
    for kind in live.keys().chain(imported.keys()) {
        let (Some(live), Some(imported)) = (live.get(kind), imported.get(kind)) else {
            differing.insert((kind.clone(), "*".to_owned()));
            continue;
        };
        assert_eq!(live.len(), imported.len(), "{kind}: {live:#?} {imported:#?}");
        for (live, imported) in live.iter().zip(imported) {
            compare("", live, imported, &mut |field| {
                differing.insert((kind.clone(), field));
            });
        }
    }
    differing
}

fn compare(path: &str, live: &Value, imported: &Value, differs: &mut impl FnMut(String)) {
    match (live, imported) {
        (Value::Object(one), Value::Object(other)) => {
            for name in one.keys().chain(other.keys()).collect::<BTreeSet<_>>() {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                compare(&path, &live[name], &imported[name], differs);
            }
        }
        _ if live == imported => {}
        _ => differs(path.to_owned()),
    }
}

fn all(of_client: &[Difference]) -> BTreeSet<(String, String)> {
    BOTH.iter().chain(of_client).map(|(kind, field)| ((*kind).to_owned(), (*field).to_owned())).collect()
}
