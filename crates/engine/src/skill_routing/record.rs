//! Decides the skills of a turn and builds the events of the decision.

use std::{collections::BTreeSet, sync::Arc};

use contracts::{
    ContentHash, Sealed, SessionId, SkillOutcome, SkillReason, SkillWish, Thread,
    events::{
        DecisionMode, SkillClarificationRequested, SkillDeferred, SkillInputs, SkillLoaded, SkillModelReply,
        SkillReused, SkillRouted, SkillRoutingMode, SkillWished, TurnStarted,
    },
};
use event_core::{EventId, EventType as _, Timestamp};
use skills::{FailurePatterns, SKILL_DECIDER_VERSION, SkillRouter, SkillRouterError, SkillSettings, SkillSources};

use super::{
    decide::{SkillDecision, message_hash},
    index_events::index_events,
    library::SkillLibrary,
    prepared::PreparedSkills,
    question::{Questions, ResolvedDecision, SkillModel},
};
use crate::{
    capture::MAX_PATH_BYTES, engine::Engine, error::EngineError, home::Home, policy_file::ActivePolicy,
    recorder::turn_event, sessions::SessionSkills,
};

/// The maximum number of entries in `SkillRouting::recorded`, whose keys clients choose. If there are more, all are removed.
/// An index that is recorded again is the same event, which the log keeps once.
const MAX_RECORDED: usize = 4_096;

/// The skill routing of an engine: the settings of the active policy, and the skills of workspaces.
#[derive(Debug)]
pub(crate) struct SkillRouting {
    /// The skills of workspaces, which other threads read.
    library: Arc<SkillLibrary>,
    /// The router without skills, under the settings of the policy.
    no_skills: SkillRouter,
    /// The settings of the policy.
    pub(super) settings: Arc<SkillSettings>,
    /// The failures after which a deferred skill is due.
    pub(super) failures: FailurePatterns,
    /// The hash of the policy whose settings apply.
    policy: ContentHash,
    /// The questions to a model.
    pub(super) questions: Questions,
    /// The workspaces and hashes of skills that this engine has recorded, at most [`MAX_RECORDED`].
    recorded: BTreeSet<(Option<String>, ContentHash)>,
}

impl SkillRouting {
    /// Creates the skill routing of an engine.
    ///
    /// # Errors
    /// [`SkillRouterError`] if the settings of the policy are not valid.
    pub(crate) fn new(home: &Home, policy: &ActivePolicy) -> Result<Self, SkillRouterError> {
        let settings = settings_of(policy);
        Ok(Self {
            library: Arc::new(SkillLibrary::new(home.user.clone(), policy.hash, settings.clone())),
            no_skills: SkillRouter::new(SkillSources::default(), settings.clone())?,
            failures: failures_of(&settings),
            settings: Arc::new(settings),
            policy: policy.hash,
            questions: Questions::default(),
            recorded: BTreeSet::new(),
        })
    }

    /// Applies the settings of the active policy if it is another one.
    ///
    /// # Errors
    /// [`SkillRouterError`] if the settings are not valid.
    pub(crate) fn set_policy(&mut self, policy: &ActivePolicy) -> Result<(), SkillRouterError> {
        if self.policy != policy.hash {
            let settings = settings_of(policy);
            self.no_skills = SkillRouter::new(SkillSources::default(), settings.clone())?;
            self.library.set_settings(policy.hash, settings.clone());
            self.failures = failures_of(&settings);
            self.settings = Arc::new(settings);
            self.policy = policy.hash;
        }
        Ok(())
    }

    /// Forgets what the engine has recorded, after its state was folded from the log again.
    pub(crate) fn forget_recorded(&mut self) {
        self.recorded.clear();
    }
}

/// Compiles the failures after which a deferred skill is due. The patterns were validated with the policy.
fn failures_of(settings: &SkillSettings) -> FailurePatterns {
    FailurePatterns::new(&settings.retry).unwrap_or_else(|error| {
        tracing::error!(%error, "deferred skills are never due");
        FailurePatterns::none()
    })
}

/// Returns the settings of a policy. They were validated when the policy was loaded; a policy of the log that is not valid
/// for this version has the defaults.
fn settings_of(policy: &ActivePolicy) -> SkillSettings {
    SkillSettings::of_policy(&policy.policy).unwrap_or_else(|problem| {
        tracing::error!(%problem, "the settings of skill routing cannot be used; their defaults apply");
        SkillSettings::default()
    })
}

/// The skills of a turn: those that the decision about its model reads, and the events to record.
#[derive(Debug, Default)]
pub(crate) struct TurnSkills {
    /// The skills that the decision loads; empty if it loads none.
    pub(crate) loaded: Vec<String>,
    /// The model or tier that one of them asks for; `None` if none does.
    pub(crate) wish: Option<SkillWish>,
    /// The events of the decision.
    pub(crate) events: Vec<Sealed>,
}

/// The message of a skill decision, with its place.
pub(crate) struct RoutedMessage<'a> {
    /// The captured turn; `None` for the prompt of a hook.
    pub(crate) turn: Option<&'a TurnStarted>,
    /// The session.
    pub(crate) session: &'a SessionId,
    /// The thread.
    pub(crate) thread: &'a Thread,
    /// The workspace; `None` if it is unknown.
    pub(crate) workspace: Option<&'a str>,
    /// The message without the `@` mention.
    pub(crate) text: &'a str,
    /// How the decision is used.
    pub(crate) mode: SkillRoutingMode,
    /// Whether the user can answer a question.
    pub(crate) interactive: bool,
}

impl Engine {
    /// Returns the library that reads the skills of workspaces. Other threads prepare skills with it.
    pub fn skill_library(&self) -> &Arc<SkillLibrary> {
        &self.skill_routing.library
    }

    /// Decides the skills of a turn that was captured at `at` with the message `text`, from the `prepared` skills (`None` if
    /// none are known), or refers to the decision of a hook about the same message. If it depends on the reply of a model that
    /// is asked beside the request, it is not among the events, and loads no skill. An auxiliary call has no decision,
    /// because its text is not a message of the user. Records nothing but the text of a new index.
    pub(crate) fn route_turn_skills(
        &mut self,
        started: &TurnStarted,
        text: &str,
        at: Timestamp,
        mode: DecisionMode,
        prepared: Option<&Arc<PreparedSkills>>,
        asking: &SkillModel,
    ) -> Result<TurnSkills, EngineError> {
        if matches!(started.thread, Thread::Auxiliary(_)) {
            return Ok(TurnSkills::default());
        }
        let turn = started.turn;
        let session = self.state().sessions.get(&started.session);
        let hooked = session
            .filter(|_| started.is_of_conversation())
            .and_then(|session| session.skills()?.hook_decision(message_hash(text), at));
        if let Some(hooked) = hooked {
            let reused = SkillReused { turn, session: started.session.clone(), decision: hooked.event };
            let loaded = hooked.loaded.clone();
            let wish = wish_of(&loaded, prepared.map(|prepared| &**prepared));
            let event = turn_event(turn, 0, at, reused)?.caused_by(turn.0.then(TurnStarted::KIND, 0));
            let mut events = vec![event];
            events.extend(wished_event(started, at, wish.as_ref())?);
            return Ok(TurnSkills { loaded, wish, events });
        }
        let message = RoutedMessage {
            turn: Some(started),
            session: &started.session,
            thread: &started.thread,
            workspace: started.workspace.as_deref(),
            text,
            mode: match mode {
                DecisionMode::Live => SkillRoutingMode::Observed,
                DecisionMode::Observed => SkillRoutingMode::Imported,
            },
            interactive: started.is_of_conversation(),
        };
        let prepared = self.current_skills(prepared);
        let mut events = self.new_index_events(prepared.as_deref())?;
        let unasked = self.decide_skills(&message, prepared.as_deref(), None);
        let resolved = self.resolve_skills(&message, prepared.as_ref(), unasked, asking, at)?;
        let ResolvedDecision { routed, event } = resolved;
        let cause = turn.0.then(TurnStarted::KIND, 0);
        events.extend(event.map(|event| event.caused_by(cause)));
        let Some(routed) = routed.map(Arc::new) else { return Ok(TurnSkills { events, ..TurnSkills::default() }) };
        let id = turn.0.then(SkillRouted::KIND, 0);
        events.push(Sealed::new(id, at, turn.0, Arc::clone(&routed))?.caused_by(cause));
        events.extend(following_events(&routed, id, at, turn.0)?);
        if started.request.is_some()
            && let Some(skill) = skill_of_command(&routed)
        {
            let (session, thread) = (started.session.clone(), started.thread.clone());
            let loaded = SkillLoaded { turn, session, thread, skill, call: None };
            events.push(turn_event(turn, 0, at, loaded)?.caused_by(id));
        }
        let loaded = loaded_skills(&routed);
        let wish = wish_of(&loaded, prepared.as_deref());
        events.extend(wished_event(started, at, wish.as_ref())?);
        Ok(TurnSkills { loaded, wish, events })
    }

    /// Returns the skills that a turn would load, with the wish of one of them, for a preview. Records nothing.
    pub(crate) fn preview_skills(
        &self,
        started: &TurnStarted,
        text: &str,
        prepared: Option<&Arc<PreparedSkills>>,
    ) -> (Vec<String>, Option<SkillWish>) {
        if matches!(started.thread, Thread::Auxiliary(_)) {
            return (Vec::new(), None);
        }
        let message = RoutedMessage {
            turn: Some(started),
            session: &started.session,
            thread: &started.thread,
            workspace: started.workspace.as_deref(),
            text,
            mode: SkillRoutingMode::Observed,
            interactive: started.is_of_conversation(),
        };
        let prepared = self.current_skills(prepared);
        let loaded = loaded_skills(&self.decide_skills(&message, prepared.as_deref(), None));
        let wish = wish_of(&loaded, prepared.as_deref());
        (loaded, wish)
    }

    /// Returns prepared skills under the settings of the active policy, which can have changed since they were prepared.
    /// `None` if none are known.
    pub(crate) fn current_skills(&self, prepared: Option<&Arc<PreparedSkills>>) -> Option<Arc<PreparedSkills>> {
        let prepared = prepared?;
        let policy = self.policy.active();
        if prepared.policy == policy.hash {
            return Some(Arc::clone(prepared));
        }
        let updated = prepared.with_settings(settings_of(policy), policy.hash);
        updated.inspect_err(|error| tracing::error!(%error, "the skills of a workspace cannot be used")).ok()
    }

    /// Decides the skills of a message with the present state of its session. `reply` is that of the model that was asked;
    /// `None` if none was asked.
    pub(crate) fn decide_skills(
        &self,
        message: &RoutedMessage<'_>,
        prepared: Option<&PreparedSkills>,
        reply: Option<SkillModelReply>,
    ) -> SkillRouted {
        let started_at = self.now();
        let history = self.state().sessions.get(message.session).and_then(|session| session.skills());
        let history = history.filter(|_| *message.thread == Thread::Main);
        let inputs = SkillInputs {
            prior_skill: history.and_then(|history| history.prior_skill().map(str::to_owned)),
            asked_before: history.is_some_and(SessionSkills::has_asked),
            interactive: message.interactive,
            model_reply: reply,
            ..SkillInputs::default()
        };
        let router = prepared.map_or(&self.skill_routing.no_skills, |prepared| &prepared.router);
        let SkillDecision { decision, omitted } = SkillDecision::new(router, message.text, &inputs);
        let elapsed = self.now().micros_since(started_at);
        SkillRouted {
            session: message.session.clone(),
            thread: message.thread.clone(),
            turn: message.turn.map(|started| started.turn),
            workspace: message.workspace.filter(|path| path.len() <= MAX_PATH_BYTES).map(str::to_owned),
            text: message_hash(message.text),
            text_bytes: message.text.len() as u64,
            mode: message.mode,
            inputs,
            policy: self.policy.active().hash,
            sources: prepared.map(|prepared| prepared.hash),
            decider: SKILL_DECIDER_VERSION,
            // An imported turn did not wait for its decision, and every import records the same event.
            elapsed_micros: match message.mode {
                SkillRoutingMode::Imported => 0,
                SkillRoutingMode::Hook | SkillRoutingMode::Observed => u32::try_from(elapsed).unwrap_or(u32::MAX),
            },
            omitted,
            decision,
        }
    }

    /// Returns the events about prepared skills that this engine has not recorded for their workspace, and stores their
    /// text first. Empty without skills.
    pub(super) fn new_index_events(&mut self, prepared: Option<&PreparedSkills>) -> Result<Vec<Sealed>, EngineError> {
        let Some(prepared) = prepared else { return Ok(Vec::new()) };
        let recorded = &mut self.skill_routing.recorded;
        let key = (prepared.workspace.clone(), prepared.hash);
        if recorded.contains(&key) {
            return Ok(Vec::new());
        }
        if MAX_RECORDED <= recorded.len() {
            recorded.clear();
        }
        recorded.insert(key);
        self.texts.put(&prepared.text)?;
        Ok(index_events(prepared, self.now())?)
    }
}

/// Builds the event of a deferred skill or of a question, if the decision with the id `decision` ends in one.
pub(super) fn following_events(
    routed: &SkillRouted,
    decision: EventId,
    at: Timestamp,
    correlation: EventId,
) -> Result<Option<Sealed>, EngineError> {
    let (session, turn) = (routed.session.clone(), routed.turn);
    let sealed = match &routed.decision.chosen {
        Some(SkillOutcome::Defer { skill }) => {
            let event = SkillDeferred { decision, session, turn, skill: skill.clone() };
            Sealed::new(decision.then(SkillDeferred::KIND, 0), at, correlation, Arc::new(event))?
        }
        Some(SkillOutcome::Ask { skills }) => {
            let event = SkillClarificationRequested { decision, session, turn, skills: skills.clone() };
            Sealed::new(decision.then(SkillClarificationRequested::KIND, 0), at, correlation, Arc::new(event))?
        }
        Some(SkillOutcome::Load { .. } | SkillOutcome::None) | None => return Ok(None),
    };
    Ok(Some(sealed.caused_by(decision)))
}

/// Returns the skills that a decision loads.
pub(super) fn loaded_skills(routed: &SkillRouted) -> Vec<String> {
    routed.decision.chosen.as_ref().map(|outcome| outcome.loaded().to_vec()).unwrap_or_default()
}

/// Returns the first wish of loaded skills; `None` if none of them asks for a model or a tier.
fn wish_of(loaded: &[String], prepared: Option<&PreparedSkills>) -> Option<SkillWish> {
    let index = &prepared?.router.sources().index;
    let skills = loaded.iter().filter_map(|name| index.get(name));
    let mut asking = skills.filter(|skill| skill.model.is_some() || skill.tier.is_some());
    asking.next().map(|skill| SkillWish { skill: skill.name.clone(), model: skill.model.clone(), tier: skill.tier })
}

/// Builds the event of the wish of a skill in a turn, if there is one.
fn wished_event(started: &TurnStarted, at: Timestamp, wish: Option<&SkillWish>) -> Result<Option<Sealed>, EngineError> {
    let Some(wish) = wish.cloned() else { return Ok(None) };
    let event = SkillWished { turn: started.turn, session: started.session.clone(), wish };
    Ok(Some(turn_event(started.turn, 0, at, event)?.caused_by(started.turn.0.then(TurnStarted::KIND, 0))))
}

/// Returns the first skill that the user's slash command names, which the client then loads itself; `None` for a message
/// without such a command.
fn skill_of_command(routed: &SkillRouted) -> Option<String> {
    let winner = routed.decision.winner()?;
    let is_command = matches!(winner.reason, SkillReason::SlashCommand { .. });
    winner.candidate.as_ref().filter(|_| is_command)?.loaded().first().cloned()
}
