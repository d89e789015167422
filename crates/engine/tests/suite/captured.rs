//! The inputs of a decision that are captured when a turn starts (004 §5.3.1).

use catalogue::estimate::PromptShape;
use contracts::{
    Needs, SideEffect,
    events::{SessionStarted, ToolCalled, TurnStarted},
};
use engine::{History, TurnInput};
use test_events::tool_called;

use crate::support::{
    Desk,
    desk::session,
    models::{GPT, HAIKU, OPUS, SONNET},
};

/// Returns an engine whose policy has one rule with this condition, for Opus; Haiku is the default.
fn desk(rule: &str) -> Desk {
    Desk::with(&format!("rules: [{{when: {rule}, use: opus}}]\nglobal_default: haiku\n"))
}

/// Returns the model of a turn in a new session; `change` modifies its input.
fn model(desk: &mut Desk, change: impl FnOnce(&mut TurnInput)) -> String {
    let name = format!("session-{}", desk.head());
    let mut new = TurnInput::new(session(&name), "m1", "hello");
    change(&mut new);
    desk.arrive(new).unwrap().model().unwrap().to_string()
}

/// The condition on the time of day uses the user's time zone.
#[test]
fn local_time_is_that_of_the_user() {
    // It is 14:23 UTC and 16:23 in the desk's time zone.
    assert_eq!(model(&mut desk("{time_of_day_between: ['16:23', '16:24']}"), |_| {}), OPUS);
    assert_eq!(model(&mut desk("{time_of_day_between: ['14:00', '15:00']}"), |_| {}), HAIKU);
}

/// The condition on estimated input tokens uses the tokenizer of the rule's model.
#[test]
fn the_prompt_is_measured_by_the_tokenizer_of_the_candidate() {
    let mut desk = desk("{estimated_input_tokens_gt: 10000}");
    let shape = |characters| PromptShape { characters, ..PromptShape::default() };
    assert_eq!(model(&mut desk, |new| new.prompt = shape(29_001)), OPUS);
    assert_eq!(model(&mut desk, |new| new.prompt = shape(29_000)), HAIKU);
}

/// The condition on images holds for images in the message, but not for those in the rest of the prompt.
#[test]
fn images_of_the_message_count_for_rules_and_those_of_the_prompt_for_models() {
    let mut desk = desk("{has_images: true}");
    assert_eq!(model(&mut desk, |new| new.images = true), OPUS);
    assert_eq!(model(&mut desk, |new| new.needs = Needs { images: true, ..new.needs }), HAIKU);
}

/// Skills and the history that a client states in its input are conditions of rules.
#[test]
fn skills_and_what_the_client_has_seen_are_taken_as_given() {
    let seen = |new: &mut TurnInput| {
        new.history = History { tool_calls: 1, extensions: [".sql".to_owned()].into(), ..History::default() };
    };
    assert_eq!(model(&mut desk("{file_extensions_in_context: .sql, has_tool_calls_in_history: true}"), seen), OPUS);
    let skilled = |new: &mut TurnInput| new.skills = ["system_design".to_owned()].into();
    assert_eq!(model(&mut desk("{skills_matching_message_includes: system_design}"), skilled), OPUS);
}

/// Files and tools of a tool call are conditions and features of later turns of the same session only.
#[test]
fn what_tools_touched_in_a_session_counts_for_its_later_turns() {
    let mut desk = desk("{file_extensions_in_context: .sql, has_tool_calls_in_history: true}");
    let turn = desk.start("one", "hello").turn;
    desk.record(
        turn,
        &ToolCalled {
            name: "Edit".to_owned(),
            extensions: vec![".sql".to_owned()],
            directories: vec!["db".to_owned()],
            ..tool_called(turn, session("one"), "t1")
        },
    );
    desk.end("one");
    assert_eq!(desk.turn("one", "go on").as_deref(), Some(OPUS));
    assert_eq!(desk.turn("two", "go on").as_deref(), Some(HAIKU));
    let later = &desk.all::<TurnStarted>()[1];
    assert_eq!((later.extensions.as_slice(), later.tool_calls_in_history), ([".sql".to_owned()].as_slice(), true));
    let features = &later.features;
    assert_eq!((&features.directories[..], &features.tools[..]), (&["db".to_owned()][..], &["Edit".to_owned()][..]));
    assert_eq!(features.side_effects, [SideEffect::Write]);
}

/// The workspace of a session's first turn applies to its later turns.
#[test]
fn a_session_remembers_its_workspace() {
    let mut desk = Desk::with("global_default: haiku\nworkspaces: {~/shop: {default: gpt}}");
    // Setting a model before the first turn does not count as a turn.
    let sonnet = desk.engine.model_named(SONNET).unwrap();
    desk.engine.select_model(&session("one"), Some(sonnet)).unwrap();
    desk.engine.select_model(&session("one"), None).unwrap();
    let mut new = TurnInput::new(session("one"), "m1", "hello");
    new.workspace = Some("/home/dev/shop/api".to_owned());
    desk.arrive(new).unwrap();
    desk.end("one");
    assert_eq!(desk.turn("one", "go on").as_deref(), Some(GPT));
    let started = desk.all::<SessionStarted>();
    assert_eq!((started.len(), started[0].workspace.as_deref()), (1, Some("/home/dev/shop/api")));
}
