//! The answer to a message that the user of Claude Code submits: which skill fits.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use client_formats::user_text::{UserText, classify};
use contracts::{
    ContentHash, Decision, SessionId, SkillChoice, SkillOutcome, Thread,
    events::{SkillInputs, SkillRouted, SkillRoutingMode},
};
use control::{Connection, HookDecision, RoutePrompt, Writer};
use engine::SkillDecision;
use event_bus::{Clock as _, SystemClock};
use event_core::Timestamp;
use router_core::RecordText;
use serde::Deserialize;
use skills::{SKILL_DECIDER_VERSION, SkillRouter, SkillSources};

use super::{installed_skill::can_load, skill_cache::SkillCache, spool::Spool, suggestion::suggestion};
use crate::{
    arguments::SkillPlaces,
    client_input::read_client_input,
    commands::{rules::open_policy, skills::Loaded},
    context::Context,
    failure::Failure,
    time_limit::within,
};

/// The longest time that the running gateway may take to decide. Without an answer the hook decides itself.
const GATEWAY_LIMIT: Duration = Duration::from_millis(8);

/// The longest path of a workspace that is recorded, in bytes.
const MAX_PATH_BYTES: usize = 1_000;

/// The JSON that Claude Code writes when the user submits a message, with the fields that are used.
#[derive(Debug, Deserialize)]
struct Input {
    /// The id of the session; without a valid one the decision is not recorded.
    #[serde(default)]
    session_id: String,
    /// The working folder of Claude Code.
    cwd: PathBuf,
    /// The message, as the user typed it.
    prompt: String,
}

/// The answer of the hook.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    /// The text for the model; `None` if there is nothing to suggest.
    pub(super) suggestion: Option<String>,
    /// What did not work, as a sentence; `None` if all did. There can be a suggestion as well.
    pub(super) problem: Option<String>,
}

impl Answer {
    /// Creates the answer of a hook that could not decide.
    pub(super) fn failed(problem: String) -> Self {
        Self { suggestion: None, problem: Some(problem) }
    }
}

/// A message for which the skills are decided.
struct Message<'a> {
    /// The session; `None` if Claude Code names none.
    session: Option<SessionId>,
    /// The folder of the project.
    workspace: PathBuf,
    /// The text that the user typed.
    text: &'a str,
    /// The time at which the hook started. It identifies the decision, with session and text.
    at: Timestamp,
}

impl Message<'_> {
    /// Returns the text that suggests the skills of a decision; `None` if there is nothing to suggest.
    fn suggestion(&self, context: &Context, decision: &Decision<SkillChoice>) -> Option<String> {
        suggestion(decision, |name| can_load(&self.workspace, context.home.user.as_deref(), name))
    }
}

/// Reads a message from the standard input and decides which skills it loads: in the running gateway, which records the
/// decision, or else in this process, which keeps the decision until a command records it.
pub(super) fn answer(context: &Context) -> Answer {
    let at = SystemClock.now();
    let input = match read_client_input::<Input>() {
        Ok(input) => input,
        Err(cause) => return Answer::failed(format!("the input of the hook cannot be used: {cause}")),
    };
    let Some(text) = typed_text(&input.prompt) else { return Answer::default() };
    let session = SessionId::try_from(input.session_id.as_str()).ok();
    let message = Message { session, workspace: workspace(&input.cwd), text, at };
    let keeps = match ask_gateway(context, &message) {
        GatewayAnswer::Decided(routed) => {
            return Answer { suggestion: message.suggestion(context, &routed.decision), problem: None };
        }
        GatewayAnswer::NotRecorded => true,
        GatewayAnswer::Late => false,
    };
    decide_here(context, &message, keeps).unwrap_or_else(|failure| {
        Answer::failed(failure.message().unwrap_or("the decision about skills failed").to_owned())
    })
}

/// Returns the part of a message that the user typed; `None` if Claude Code wrote the message itself, such as the report of a
/// background task.
fn typed_text(prompt: &str) -> Option<&str> {
    match classify(prompt, None) {
        UserText::Typed(range) => prompt.get(range),
        _ => None,
    }
}

/// Returns the folder of the project, which Claude Code states to its hooks. `cwd` is used without it; it differs once a
/// command has changed the folder.
fn workspace(cwd: &Path) -> PathBuf {
    let project = std::env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    project.filter(|project| project.is_absolute()).unwrap_or_else(|| cwd.to_owned())
}

/// The answer of the gateway about a message.
enum GatewayAnswer {
    /// The gateway decided and records the decision.
    Decided(Box<SkillRouted>),
    /// No gateway runs, or it cannot decide, so that it records nothing.
    NotRecorded,
    /// The gateway did not answer within [`GATEWAY_LIMIT`]. It records its decision when it has read the request.
    Late,
}

/// Has the running gateway decide about a message and record the decision.
fn ask_gateway(context: &Context, message: &Message<'_>) -> GatewayAnswer {
    let (Some(session), Some(workspace)) = (message.session.clone(), message.workspace.to_str()) else {
        return GatewayAnswer::NotRecorded;
    };
    let request = RoutePrompt::new(session, Some(workspace.to_owned()), message.text.to_owned(), message.at);
    let home = context.home.dir.clone();
    let answer = within(GATEWAY_LIMIT, move || {
        let connection = Connection::open(&home).ok().flatten()?;
        Writer::Gateway(connection).execute(request).ok()
    });
    match answer {
        Some(Some(routed)) => GatewayAnswer::Decided(Box::new(routed)),
        Some(None) => GatewayAnswer::NotRecorded,
        None => GatewayAnswer::Late,
    }
}

/// Decides about a message in this process. If it `keeps` the decision, the next command that writes the log records it.
fn decide_here(context: &Context, message: &Message<'_>, keeps: bool) -> Result<Answer, Failure> {
    let policy = open_policy(context)?;
    let mut cache = SkillCache::open(&context.home.dir, &message.workspace);
    let places = SkillPlaces { workspace: Some(message.workspace.clone()), dirs: Vec::new(), table: None };
    let loaded = Loaded::read_with(context, &places, &policy, &mut cache.reader)?;
    let cached = cache.save();
    let (router, findings) = loaded.router_with_findings(&[])?;
    let inputs = SkillInputs { interactive: true, ..SkillInputs::default() };
    let started = Instant::now();
    let SkillDecision { decision, omitted } = SkillDecision::new(&router, message.text, &inputs);
    let elapsed = started.elapsed().as_micros();
    // The record has no place for skills that are excluded because of their age: they are only not suggested.
    let is_stale = decision.chosen.iter().flat_map(SkillOutcome::loaded).any(|skill| loaded.stale.contains_key(skill));
    let suggestion = message.suggestion(context, &decision).filter(|_| !is_stale);
    // A model that the message names with `@` is not part of the text of its turn, so the turn would not find the decision.
    let session = message.session.clone().filter(|_| keeps && !message.text.starts_with('@'));
    let kept = session.map_or(Ok(()), |session| {
        let sources = sources_text(&router)?;
        let routed = SkillRouted {
            session,
            thread: Thread::Main,
            turn: None,
            workspace: message.workspace.to_str().filter(|path| path.len() <= MAX_PATH_BYTES).map(str::to_owned),
            text: hash_of(message.text),
            text_bytes: message.text.len() as u64,
            mode: SkillRoutingMode::Hook,
            inputs,
            policy: policy.active().hash,
            sources: sources.as_deref().map(hash_of),
            decider: SKILL_DECIDER_VERSION,
            elapsed_micros: u32::try_from(elapsed).unwrap_or(u32::MAX),
            omitted,
            decision,
        };
        let records_text = policy.active().policy.record_text() != RecordText::Never;
        let text = records_text.then(|| message.text.to_owned());
        let decision = HookDecision { at: message.at, routed, text };
        Spool::new(&context.home.dir)
            .append(&decision, sources.as_deref())
            .map_err(|error| format!("the decision of the hook cannot be kept for the log: {error}"))
    });
    let problem = cached.and(kept).err().or_else(|| findings.first().map(ToString::to_string));
    Ok(Answer { suggestion, problem })
}

/// Returns the JSON text of the skills that a router decides with, by which the log identifies them; `None` without skills.
///
/// # Errors
/// A message if the skills cannot be written as JSON.
fn sources_text(router: &SkillRouter) -> Result<Option<String>, String> {
    if *router.sources() == SkillSources::default() {
        return Ok(None);
    }
    serde_json::to_string(router.sources()).map(Some).map_err(|error| format!("the skills cannot be kept: {error}"))
}

/// Returns the hash of a text in the log.
fn hash_of(text: &str) -> ContentHash {
    ContentHash(*blake3::hash(text.as_bytes()).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_user_typed_is_decided() {
        assert_eq!(typed_text("<system-reminder>\nuse deploy\n</system-reminder>\n\nfix it"), Some("fix it"));
        for text in ["", "  ", "<task-notification>\n<task-id>1", "<command-name>/deploy</command-name>"] {
            assert_eq!(typed_text(text), None, "{text}");
        }
    }
}
