//! `route`: previews a decision; accepts or dismisses a suggestion.

mod situation;

use std::{path::Path, sync::Arc};

use catalogue::estimate::PromptShape;
use contracts::{ModelId, Needs, SessionId, SkillOutcome, TurnId, events::SkillRouted};
use control::{AcceptSuggestion, DismissSuggestion};
use engine::{Engine, EngineError, Models, Stores, TurnInput, TurnOutcome, find_decision, last_main_decision};
use event_bus::{EventLog, MemoryLog, MemoryTexts, SystemClock};
use router_core::{chain_json, why};
use serde::Serialize;
use serde_json::{Value, json};
use transcripts::claude_code;

use super::{
    decision_view::{DecisionView, decided_by},
    rules::{key_remedy, registry_with_access},
};
use crate::{
    arguments::{RouteArguments, RouteCommand},
    context::{Context, local_offset, local_time},
    failure::Failure,
    machine::load_providers,
    screen::{FAINT, NOTICE, Table, escape_line, out, outln, styled, truncate},
};

/// Executes `turnwise route`: previews the decision about a message, decides the turns of a session file, or answers a
/// recommendation.
pub(super) fn run(context: &Context, arguments: &RouteArguments) -> Result<(), Failure> {
    match (&arguments.command, &arguments.session) {
        (Some(command), _) => answer_suggestion(context, command),
        (None, Some(file)) => decide_session_file(context, file),
        (None, None) => preview_message(context, arguments),
    }
}

/// The JSON output of `turnwise route`, which previews a decision without recording it.
#[derive(Serialize)]
struct PreviewView {
    /// The decision about the message; its fields become fields of the object.
    #[serde(flatten)]
    decision: Option<DecisionView>,
    /// The skill decision about the message; `None` if no skill is known in the workspace.
    skills: Option<Value>,
    /// The reason why a request to the model would fail for lack of a key; `None` if there is a key, a login, or no model.
    missing_key: Option<String>,
}

/// Returns a sentence with the remedy if neither a key nor the login of a client can reach a model; `None` otherwise.
///
/// # Errors
/// [`Failure`] if the configuration of the providers or of the models is invalid.
fn missing_key(context: &Context, model: &ModelId) -> Result<Option<String>, Failure> {
    let providers = load_providers(&context.home)?;
    let registry = registry_with_access(context, &providers)?;
    if registry.get(model).is_none_or(|spec| spec.configured) {
        return Ok(None);
    }
    let provider = model.provider();
    Ok(Some(format!("there is no key for {provider}: {}", key_remedy(&providers, provider))))
}

/// Prints the decision about the message in the arguments, without sending or recording it.
fn preview_message(context: &Context, arguments: &RouteArguments) -> Result<(), Failure> {
    let engine = context.engine_reader()?;
    context.print_problem_note(&engine);
    let models = &engine.models().registry;
    let mut input = turn_input(arguments)?;
    input.request = situation::request(&arguments.situation, models)?;
    input.delegation = situation::delegation(&arguments.situation)?;
    input.prepared_skills = engine.skill_library().prepare(input.workspace.as_deref(), &[]);
    let routed = engine.preview_skill_decision(&input)?;
    let outcome = engine.preview_assuming(input, &situation::assumptions(&arguments.situation, models)?)?;
    let access = outcome.model().and_then(|model| missing_key(context, model).transpose()).transpose();
    let view = PreviewView {
        decision: DecisionView::of(&outcome),
        skills: routed.as_ref().map(skills_json),
        missing_key: access.as_ref().ok().cloned().flatten(),
    };
    context.print(&view, || {
        for banner in &outcome.banners {
            outln!("{}\n", styled(NOTICE, &banner.to_string()));
        }
        if let Some(decision) = outcome.decision() {
            out!("{}", why(None, decision));
        }
        if let Some(routed) = &routed {
            outln!("\nSkills: {} ({})", escape_line(&skills_text(routed)), method(routed));
            outln!("{}", styled(FAINT, "`turnwise skills explain \"MESSAGE\"` shows why."));
        }
    })?;
    match &access {
        Ok(None) => {}
        Ok(Some(missing)) => context.print_note(missing),
        Err(failure) => context.print_note(&format!("keys are unknown: {}", failure.message().unwrap_or_default())),
    }
    if outcome.model().is_some() { Ok(()) } else { Err(Failure::Negative) }
}

/// Returns the outcome of a skill decision as a text.
fn skills_text(routed: &SkillRouted) -> String {
    routed.decision.chosen.as_ref().map_or_else(|| "no skill".to_owned(), ToString::to_string)
}

/// Returns the routing method of a skill decision, such as `keyword`.
fn method(routed: &SkillRouted) -> &'static str {
    routed.decision.winner().map_or("no_skill", |winner| winner.slot.method())
}

/// Returns a skill decision as JSON.
fn skills_json(routed: &SkillRouted) -> Value {
    let outcome = routed.decision.chosen.as_ref();
    json!({
        "outcome": outcome.map(SkillOutcome::name), "skills": outcome.map(SkillOutcome::skills), "method": method(routed),
        "chain": chain_json(&routed.decision),
    })
}

/// Converts the arguments of `route` into the input of a routing decision.
fn turn_input(arguments: &RouteArguments) -> Result<TurnInput, Failure> {
    let session = arguments.continue_session.as_deref().unwrap_or("preview");
    let session = SessionId::try_from(session).map_err(EngineError::from)?;
    let message = arguments.message.clone().unwrap_or_default();
    let mut new = TurnInput::new(session, "preview", message.clone());
    let workspace = arguments.workspace.clone().or_else(|| std::env::current_dir().ok());
    new.workspace = workspace.and_then(|path| std::path::absolute(path).ok()).map(|path| path.display().to_string());
    new.images = arguments.images;
    new.needs = Needs {
        images: arguments.images,
        tools: arguments.tools,
        system_prompt: arguments.system_prompt,
        structured_output: arguments.structured_output,
    };
    new.prompt = PromptShape {
        recorded_tokens: arguments.tokens,
        characters: message.chars().count() as u64,
        messages: 1,
        images: u64::from(arguments.images),
        ..PromptShape::default()
    };
    new.workload.clone_from(&arguments.workload);
    new.skills = arguments.skills.iter().cloned().collect();
    new.history = engine::History {
        tool_calls: u64::from(arguments.tool_history),
        extensions: arguments.extensions.iter().map(|name| router_core::extension_name(name)).collect(),
        ..engine::History::default()
    };
    Ok(new)
}

/// Decides every turn of a session file, starting with an empty log in memory, and prints the decisions.
fn decide_session_file(context: &Context, file: &Path) -> Result<(), Failure> {
    let stores = Stores {
        log: Arc::new(MemoryLog::new()),
        texts: Arc::new(MemoryTexts::default()),
        clock: Box::new(SystemClock),
        offset: local_offset,
    };
    let models = Models::load(&context.home.models())?;
    let mut engine = Engine::with_models(&context.home, models, stores)?;
    let mut reader = claude_code::read(file).map_err(|error| Failure::Failed(format!("{error}: {}", error.source)))?;
    let mut rows = Vec::new();
    while let Some(turn) = reader.next() {
        let Some(session) = reader.session().cloned() else { continue };
        let ran_on = turn.calls().next().map(|call| call.model.clone());
        if let Some(outcome) = engine.observe_turn(&session, &turn)? {
            rows.push((outcome, ran_on, turn.message));
        }
    }
    let issues: Vec<_> = reader.issues().iter().map(ToString::to_string).collect();
    let views: Vec<_> = rows
        .iter()
        .map(|(outcome, ran_on, _)| json!({ "ran_on": ran_on, "decision": DecisionView::of(outcome) }))
        .collect();
    context.print(&json!({ "turns": views, "issues": issues }), || {
        let mut table = Table::new(&[">#", "STARTED", "RAN ON", "CHOSEN", "DECIDED BY", "MESSAGE"]);
        for (number, (outcome, ran_on, message)) in (1..).zip(&rows) {
            table.add_row(turn_row(number, outcome, ran_on.as_deref(), message));
        }
        table.print();
        for issue in &issues {
            outln!("{} {issue}", styled(NOTICE, "skipped:"));
        }
    })
}

/// Returns the table cells of a decided turn. `ran_on` is the model that the turn ran on in the session; `None` if it
/// is unknown.
fn turn_row(number: u32, outcome: &TurnOutcome, ran_on: Option<&str>, message: &str) -> [String; 6] {
    let start = truncate(message.lines().next().unwrap_or_default(), 40).to_owned();
    [
        number.to_string(),
        local_time(outcome.at),
        ran_on.unwrap_or("-").to_owned(),
        outcome.model().map_or_else(|| "-".to_owned(), ToString::to_string),
        outcome.decision().map(decided_by).unwrap_or_default(),
        start,
    ]
}

/// Accepts or dismisses the model that the pattern store suggested for a turn.
fn answer_suggestion(context: &Context, command: &RouteCommand) -> Result<(), Failure> {
    let (RouteCommand::Override { turn } | RouteCommand::Ignore { turn }) = command;
    let turn = resolve_turn(context.log_reader()?.as_ref(), turn)?;
    let mut writer = context.writer()?;
    match command {
        RouteCommand::Override { .. } => {
            let event = writer.execute(AcceptSuggestion { turn })?;
            writer.close()?;
            let text = format!("Turn {turn} goes to {} instead of {}.", event.model, event.original);
            context.print(&event, || outln!("{text}"))
        }
        RouteCommand::Ignore { .. } => {
            let event = writer.execute(DismissSuggestion { turn })?;
            writer.close()?;
            let text = format!("Turn {turn} stays on {}; {} was dismissed.", event.model, event.dismissed);
            context.print(&event, || outln!("{text}"))
        }
    }
}

/// Returns the id of the turn that an argument names: `last`, an id, or the start of an id.
pub(super) fn resolve_turn(log: &dyn EventLog, turn: &str) -> Result<TurnId, Failure> {
    let insight = if turn == "last" { last_main_decision(log)? } else { find_decision(log, turn)? };
    Ok(insight.decided.turn)
}
