//! Skills that a decision deferred and that are due after a tool call failed in their domain.

use contracts::{
    SkillOutcome,
    events::{SkillActivated, SkillDeferred, SkillRouted},
};
use serde_json::{Value, json};

use crate::support::{SESSION, World, message};

/// Returns a request of a sub-agent, which nobody can ask, that offers three skills and has the mock call a tool three times.
fn request(text: &str) -> Value {
    let list = "<system-reminder>\nThe following skills are available for use with the Skill tool:\n\n- database: Schema changes, \
                migrations, queries and row level security.\n- nextjs-app-router: Pages, layouts, routing and server actions.\n\
                - testing: Unit tests and stories.\n</system-reminder>";
    let mut body = message("claude-sonnet-5", "");
    let tool = |name: &str| json!({ "name": name, "input_schema": { "type": "object" } });
    body["tools"] = json!([tool("Skill"), tool("Bash")]);
    let calls = "<system-reminder>\nTOOLCALL:Bash:{} TOOLCALL:Bash:{} TOOLCALL:Bash:{}\n</system-reminder>";
    let parts = [list, calls, text].map(|text| json!({ "type": "text", "text": text }));
    body["messages"][0]["content"] = json!(parts);
    body
}

/// Returns the request with failed results for all tool calls in a response, in their order.
fn with_failures(body: &Value, answer: &Value, outputs: &[&str]) -> Value {
    let calls = answer["content"].as_array().unwrap().iter().filter(|block| block["type"] == "tool_use");
    let result = |(call, output): (&Value, &&str)| {
        let content = json!([{ "type": "text", "text": output }]);
        json!({ "type": "tool_result", "tool_use_id": call["id"], "is_error": true, "content": content })
    };
    let results: Vec<_> = calls.zip(outputs).map(result).collect();
    assert_eq!(results.len(), outputs.len());
    let mut body = body.clone();
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(json!({ "role": "assistant", "content": answer["content"] }));
    messages.push(json!({ "role": "user", "content": results }));
    body
}

/// SC-29, SC-30, SC-31, SC-35: a failure in the domain of a skill makes it due, once for a deferral; another failure does not,
/// nor does one in a turn whose decision deferred nothing.
#[test]
fn a_failure_in_its_domain_makes_a_deferred_skill_due_once() {
    let world = World::new("global_default: haiku\n");
    let headers = [SESSION[0], SESSION[1], ("x-claude-code-agent-id", "agent-7")];
    let body = request("queries for the chart colours legend");
    let answer = world.post("/v1/messages", &headers, &body).json();
    let routed = world.events::<SkillRouted>().remove(0);
    assert_eq!(routed.decision.chosen, Some(SkillOutcome::Defer { skill: "database".to_owned() }), "{routed:?}");
    assert_eq!(world.events::<SkillDeferred>().len(), 1);

    let outputs = ["connect ECONNRESET", "relation \"charts\" does not exist", "migration 4 not applied"];
    world.post("/v1/messages", &headers, &with_failures(&body, &answer, &outputs));
    let activated = world.events::<SkillActivated>();
    let call = answer["content"].as_array().unwrap().iter().filter_map(|block| block["id"].as_str()).nth(1);
    assert_eq!(activated.len(), 1, "{activated:?}");
    assert_eq!((activated[0].skill.as_str(), Some(activated[0].call.as_str())), ("database", call));
    assert_eq!(Some(activated[0].turn), routed.turn);

    let body = request("thank you");
    let answer = world.post("/v1/messages", &headers, &body).json();
    world.post("/v1/messages", &headers, &with_failures(&body, &answer, &outputs));
    assert_eq!(world.events::<SkillActivated>().len(), 1);
}
