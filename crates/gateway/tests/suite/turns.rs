//! Turns: messages start them, tool results continue them; sub-agents and auxiliary calls have their own.

use contracts::CallRole;
use contracts::events::{
    LlmCallCompleted, LlmCallStarted, RouteDecided, SessionSource, SessionStarted, ToolCalled, ToolFinished,
    ToolOutcome, TurnStarted, TurnStatus,
};
use hyper::StatusCode;
use serde_json::{Value, json};

use crate::support::{Answered, SESSION, World, message, with_tool_result};

const SONNET: &str = "schema_version: 1\ngateway: {client_model: auto}\nglobal_default: sonnet\n";

pub(crate) fn tool_turn(text: &str) -> Value {
    let mut body = message("claude-opus-4-8", text);
    body["tools"] = json!([{ "name": "Bash", "input_schema": { "type": "object" } }]);
    body
}

#[test]
fn a_message_is_decided_once_and_the_answers_of_tools_go_on_with_it_on_the_locked_model() {
    let world = World::new(SONNET);
    let body = tool_turn("TOOLCALL:Bash:{\"command\":\"cargo test\"}");
    let first = world.post("/v1/messages", &SESSION, &body);
    assert_eq!(first.header("x-turnwise-policy"), "GLOBAL_DEFAULT");
    // Another policy becomes active during the turn.
    world.set_policy("schema_version: 1\ngateway: {client_model: auto}\nglobal_default: opus\n");
    let second = world.post("/v1/messages", &SESSION, &with_tool_result(&body, &first.json()));
    assert_eq!(second.header("x-turnwise-policy"), "TURN_LOCK");
    assert_eq!(second.header("x-turnwise-turn"), first.header("x-turnwise-turn"));
    assert_eq!(second.header("x-turnwise-model"), "anthropic:claude-sonnet-5-5");
    let ended = world.ended(1);
    assert_eq!((ended[0].status, ended[0].llm_calls, ended[0].tool_calls), (TurnStatus::Completed, 2, 1));
    assert_eq!(world.events::<RouteDecided>().len(), 1);
    let called = world.events::<ToolCalled>();
    assert_eq!((called.len(), called[0].name.as_str()), (1, "Bash"));
    let finished = world.events::<ToolFinished>();
    assert_eq!(
        (finished.len(), finished[0].outcome, finished[0].call.as_str()),
        (1, ToolOutcome::Succeeded, called[0].call.as_str())
    );
    // The next message starts another turn, under the new policy.
    let mut third = with_tool_result(&body, &first.json());
    third["messages"].as_array_mut().unwrap().push(json!({ "role": "assistant", "content": "done" }));
    third["messages"].as_array_mut().unwrap().push(json!({ "role": "user", "content": "and now the docs" }));
    let third = world.post("/v1/messages", &SESSION, &third);
    assert_eq!(third.header("x-turnwise-model"), "anthropic:claude-opus-5-5");
}

#[test]
fn d46_a_budget_that_is_spent_during_a_turn_refuses_the_next_turn_and_not_this_one() {
    let world = World::new(
        "schema_version: 1\ngateway: {client_model: auto}\nglobal_default: sonnet\n\
         budgets: [{name: tiny, limit_usd: 0.000001, period: day}]\n",
    );
    let body = tool_turn("TOOLCALL:Bash:{\"command\":\"cargo test\"}");
    let first = world.post("/v1/messages", &SESSION, &body);
    assert_eq!((first.status, first.header("x-turnwise-policy")), (StatusCode::OK, "GLOBAL_DEFAULT"));
    // The first call has spent the budget; the turn continues on its model with the result of the tool.
    let second = world.post("/v1/messages", &SESSION, &with_tool_result(&body, &first.json()));
    assert_eq!((second.status, second.header("x-turnwise-policy")), (StatusCode::OK, "TURN_LOCK"), "{}", second.body);
    let ended = world.ended(1);
    assert_eq!((ended[0].status, ended[0].llm_calls), (TurnStatus::Completed, 2));
    let mut next = with_tool_result(&body, &first.json());
    let messages = next["messages"].as_array_mut().unwrap();
    messages.push(json!({ "role": "assistant", "content": "done" }));
    messages.push(json!({ "role": "user", "content": "and now the docs" }));
    let refused = world.post("/v1/messages", &SESSION, &next);
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert!(refused.body.contains("Budget \\\"tiny\\\" for all sessions"), "{}", refused.body);
}

#[test]
fn rules_see_the_files_that_tool_results_name() {
    let world = World::new(
        "schema_version: 1\ngateway: {client_model: auto}\nglobal_default: sonnet\nrules:\n  - {name: databases, when: \
         {file_extensions_in_context: [sql]}, use: opus}\n",
    );
    let mut body = tool_turn("TOOLCALL:Bash:{\"command\":\"ls\"}");
    let first = world.post("/v1/messages", &SESSION, &body);
    assert_eq!(first.header("x-turnwise-policy"), "GLOBAL_DEFAULT", "nothing was touched before the first turn");
    let answer = first.json();
    body = with_tool_result(&body, &answer);
    let messages = body["messages"].as_array_mut().unwrap();
    messages.last_mut().unwrap()["content"][0]["content"] = json!([{ "type": "text", "text": "README\nSCHEMA.SQL\n" }]);
    world.post("/v1/messages", &SESSION, &body);
    world.ended(1);
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(json!({ "role": "assistant", "content": "done" }));
    messages.push(json!({ "role": "user", "content": "explain.sql is text of the user" }));
    let next = world.post("/v1/messages", &SESSION, &body);
    assert_eq!(next.header("x-turnwise-model"), "anthropic:claude-opus-5-5");
    assert_eq!(world.events::<ToolFinished>()[0].extensions, [".sql"]);
    let elsewhere =
        world.post("/v1/messages", &[("x-claude-code-session-id", "another")], &message("turnwise", "a.sql"));
    assert_eq!(elsewhere.header("x-turnwise-policy"), "GLOBAL_DEFAULT", "another session");
}

#[test]
fn the_session_the_client_and_what_it_asked_for_are_in_the_log() {
    let world = World::new(SONNET);
    world.post("/v1/messages", &SESSION, &message("claude-opus-4-8", "hello"));
    world.ended(1);
    let session = &world.events::<SessionStarted>()[0];
    assert_eq!((session.session.as_str(), session.source), (SESSION[0].1, SessionSource::Gateway));
    assert_eq!(session.client.as_deref(), Some("claude-code 2.1.197"));
    let request = world.events::<TurnStarted>()[0].request.clone().unwrap();
    assert_eq!(request.client.as_deref(), Some("claude-code"));
    assert_eq!(
        (request.model.as_str(), request.named.unwrap().as_str()),
        ("claude-opus-4-8", "anthropic:claude-opus-4-8")
    );
    let (started, completed) = (world.events::<LlmCallStarted>(), world.events::<LlmCallCompleted>());
    assert_eq!((started.len(), completed.len()), (1, 1));
    assert!(completed[0].cost.is_some_and(|cost| 0 < cost.0) && completed[0].raw_usage.is_some());
}

#[test]
fn a_client_without_ids_stays_in_one_session_for_one_conversation() {
    let world = World::new(SONNET);
    let body = message("turnwise", "what is a monad");
    let answer = world.post("/v1/messages", &[], &body);
    let mut longer = body;
    let messages = longer["messages"].as_array_mut().unwrap();
    messages.push(json!({ "role": "assistant", "content": answer.json()["content"] }));
    messages.push(json!({ "role": "user", "content": "and a functor" }));
    world.post("/v1/messages", &[], &longer);
    world.post("/v1/messages", &[], &message("turnwise", "something else"));
    world.ended(3);
    let sessions: Vec<_> = world.events::<TurnStarted>().into_iter().map(|turn| turn.session).collect();
    assert!(sessions[0] == sessions[1] && sessions[0] != sessions[2], "{sessions:?}");
}

#[test]
fn a_sub_agent_has_a_thread_of_its_own_and_rules_may_be_about_it() {
    let policy = "schema_version: 1\ngateway: {client_model: auto}\nglobal_default: opus\nrules:\n  - {name: helpers, when: {thread_is_subagent: true}, use: haiku}\n";
    let world = World::new(policy);
    let main = tool_turn("TOOLCALL:Bash:{\"command\":\"x\"}");
    let first = world.post("/v1/messages", &SESSION, &main);
    let headers = [SESSION[0], SESSION[1], ("x-claude-code-agent-id", "agent-7")];
    let helper = world.post("/v1/messages", &headers, &message("claude-haiku-4-5-20251001", "find the tests"));
    assert_eq!(helper.header("x-turnwise-model"), "anthropic:claude-haiku-5-5");
    assert_eq!(helper.header("x-turnwise-policy"), "CONFIGURED_RULES");
    // The main thread is not affected.
    let second = world.post("/v1/messages", &SESSION, &with_tool_result(&main, &first.json()));
    assert_eq!(second.header("x-turnwise-policy"), "TURN_LOCK");
    world.ended(2);
    let turns = world.events::<TurnStarted>();
    assert_eq!(turns[0].session, turns[1].session);
    assert_eq!(turns[1].thread.name(), Some("agent-7"));
    let roles: Vec<_> = world.events::<LlmCallCompleted>().iter().map(|call| call.thread.role()).collect();
    assert_eq!(roles, [CallRole::Planner, CallRole::Worker, CallRole::Planner]);
}

/// Claude Code's request for the title of a session; `text` is the conversation.
pub(crate) fn title(text: &str) -> Value {
    let mut body = message("claude-opus-4-8", &format!("<session>\n{text}\n</session>\n\nWrite the title."));
    body["tools"] = json!([]);
    body["system"] = json!([{ "type": "text", "text": "Generate a concise title of three to seven words for this coding session." }]);
    let schema = json!({ "type": "object", "properties": { "title": { "type": "string" } }, "required": ["title"], "additionalProperties": false });
    body["output_config"] = json!({ "format": { "type": "json_schema", "schema": schema } });
    body
}

#[test]
fn work_beside_the_conversation_goes_to_the_fast_tier_and_ends_nothing() {
    let world = World::new("schema_version: 1\ngateway: {client_model: auto}\nglobal_default: opus\n");
    let main = tool_turn("TOOLCALL:Bash:{\"command\":\"x\"}");
    let first = world.post("/v1/messages", &SESSION, &main);
    let beside = world.post("/v1/messages", &SESSION, &title("fix the build"));
    assert_eq!(beside.header("x-turnwise-model"), "anthropic:claude-haiku-5-5", "{}", beside.body);
    let second = world.post("/v1/messages", &SESSION, &with_tool_result(&main, &first.json()));
    assert_eq!(second.header("x-turnwise-policy"), "TURN_LOCK");
    world.ended(2);
    let roles: Vec<_> = world.events::<LlmCallCompleted>().iter().map(|call| call.thread.role()).collect();
    assert_eq!(roles, [CallRole::Planner, CallRole::Auxiliary, CallRole::Planner]);
}

#[test]
fn the_same_message_sent_again_is_another_turn() {
    let world = World::new(SONNET);
    for _ in 0..5 {
        world.post("/v1/messages", &[], &message("turnwise", "again"));
    }
    world.ended(5);
    let turns: std::collections::BTreeSet<_> =
        world.events::<RouteDecided>().into_iter().map(|made| made.turn).collect();
    assert_eq!(turns.len(), 5);
}

#[test]
fn many_requests_of_one_session_at_once_are_each_decided_and_each_end() {
    let world = World::new(SONNET);
    let bodies: Vec<_> = (0..40).map(|number| message("turnwise", &format!("question {}", number % 10))).collect();
    let statuses = world.post_all("/v1/messages", &bodies);
    assert!(statuses.iter().all(StatusCode::is_success), "{statuses:?}");
    let ended = world.ended(40);
    assert!(ended.iter().all(|turn| turn.status == TurnStatus::Completed));
    assert_eq!(world.events::<RouteDecided>().len(), 40);
    assert_eq!(world.events::<LlmCallCompleted>().len(), 40);
}

#[test]
fn runs_of_one_prompt_side_by_side_keep_each_its_own_turn_while_their_tools_work() {
    let world = World::new(SONNET);
    let body = tool_turn("TOOLCALL:Bash:{\"command\":\"cargo test\"}");
    let (one, other) = (world.post("/v1/messages", &[], &body), world.post("/v1/messages", &[], &body));
    assert_ne!(one.header("x-turnwise-turn"), other.header("x-turnwise-turn"));
    for first in [&one, &other] {
        let second = world.post("/v1/messages", &[], &with_tool_result(&body, &first.json()));
        assert_eq!(second.header("x-turnwise-policy"), "TURN_LOCK");
        assert_eq!(second.header("x-turnwise-turn"), first.header("x-turnwise-turn"));
    }
    let ended = world.ended(2);
    let counts = ended.iter().map(|turn| (turn.status, turn.llm_calls, turn.tool_calls));
    assert_eq!(counts.collect::<Vec<_>>(), [(TurnStatus::Completed, 2, 1); 2]);
    assert_eq!(world.events::<ToolFinished>().len(), 2);
}

/// Appends a user message after a response.
fn and_then(mut body: Value, text: &str) -> Value {
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(json!({ "role": "assistant", "content": "done" }));
    messages.push(json!({ "role": "user", "content": text }));
    body
}

#[test]
fn a_run_that_goes_on_to_its_next_message_takes_nothing_from_another_run_of_its_prompt() {
    let world = World::new(SONNET);
    let body = tool_turn("TOOLCALL:Bash:{\"command\":\"cargo test\"}");
    let (one, other) = (world.post("/v1/messages", &[], &body), world.post("/v1/messages", &[], &body));
    let brought = with_tool_result(&body, &one.json());
    assert_eq!(world.post("/v1/messages", &[], &brought).header("x-turnwise-policy"), "TURN_LOCK");
    world.set_policy("schema_version: 1\ngateway: {client_model: auto}\nglobal_default: opus\n");
    let next = world.post("/v1/messages", &[], &and_then(brought, "and now the docs"));
    assert_eq!(next.header("x-turnwise-model"), "anthropic:claude-opus-5-5");
    let second = world.post("/v1/messages", &[], &with_tool_result(&body, &other.json()));
    assert_eq!(second.header("x-turnwise-policy"), "TURN_LOCK");
    assert_eq!(second.header("x-turnwise-turn"), other.header("x-turnwise-turn"));
    assert_eq!(second.header("x-turnwise-model"), "anthropic:claude-sonnet-5-5");
    let ended = world.ended(3);
    assert!(ended.iter().all(|turn| turn.status == TurnStatus::Completed), "{ended:?}");
    assert_eq!(world.events::<RouteDecided>().len(), 3);
}

/// Asserts that the turn of a response ended first and was cancelled.
#[track_caller]
fn assert_was_cancelled(world: &World, answer: &Answered) {
    let ended = world.ended(1);
    let first = (ended[0].turn.to_string(), ended[0].status);
    assert_eq!(first, (answer.header("x-turnwise-turn").to_owned(), TurnStatus::Cancelled));
}

#[test]
fn a_turn_that_its_user_interrupted_ends_with_the_next_message_whether_or_not_the_client_names_its_session() {
    for headers in [&[][..], &SESSION] {
        let world = World::new(SONNET);
        let body = tool_turn("TOOLCALL:Bash:{\"command\":\"cargo test\"}");
        let first = world.post("/v1/messages", headers, &body);
        let mut next = with_tool_result(&body, &first.json());
        let blocks = next["messages"][2]["content"].as_array_mut().unwrap();
        for text in ["[Request interrupted by user for tool use]", "something else"] {
            blocks.push(json!({ "type": "text", "text": text }));
        }
        world.post("/v1/messages", headers, &next);
        assert_was_cancelled(&world, &first);
    }
}

#[test]
fn in_a_session_that_its_client_names_a_turn_ends_although_the_history_was_made_shorter() {
    let world = World::new(SONNET);
    let body = tool_turn("TOOLCALL:Bash:{\"command\":\"cargo test\"}");
    let first = world.post("/v1/messages", &SESSION, &body);
    world.post("/v1/messages", &SESSION, &and_then(body, "something else"));
    assert_was_cancelled(&world, &first);
}

#[test]
fn answers_of_tools_that_are_sent_again_count_once() {
    let world = World::new(SONNET);
    let body = tool_turn("TOOLCALL:Bash:{\"command\":\"cargo test\"}");
    let first = world.post("/v1/messages", &SESSION, &body);
    let answered = with_tool_result(&body, &first.json());
    world.mock.fail(mock_upstream::Failure::once(mock_upstream::Fault::Status { status: 400, retry_after: None }));
    assert_eq!(world.post("/v1/messages", &SESSION, &answered).status, 400);
    assert_eq!(world.post("/v1/messages", &SESSION, &answered).status, 200);
    world.ended(2);
    assert_eq!(world.events::<ToolCalled>().len(), 1);
    let turns: Vec<_> = world.events::<ToolFinished>().into_iter().map(|tool| tool.turn).collect();
    assert!(turns.len() == 2 && turns[0] != turns[1], "once in each turn that was told of it: {turns:?}");
}

#[test]
fn an_edit_of_the_policy_is_in_force_for_the_very_next_request() {
    let world = World::new("schema_version: 1\nglobal_default: sonnet\n");
    for number in 0..20 {
        // Both have the same length, so that only the times of the file differ.
        let (name, model) = [("haiku ", "claude-haiku-5-5"), ("sonnet", "claude-sonnet-5-5")][number % 2];
        world.set_policy(&format!("schema_version: 1\nglobal_default: {name}\n"));
        let answer = world.post("/v1/messages", &[], &message("turnwise", &format!("edit {number}")));
        assert_eq!(answer.header("x-turnwise-model"), format!("anthropic:{model}"), "edit {number}");
    }
}
