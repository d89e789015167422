//! Processes a turn from its input to its decision: resolves the input, captures and records the turn, decides it, and
//! records the decision.

use std::{collections::BTreeSet, sync::Arc};

use contracts::{
    ClientRequest, ContentHash, Decision, Delegation, MessageText, ModelId, NanoUsd, Requirement, Sealed, SessionId,
    Spending, Thread, Turn, TurnId,
    events::{
        DecisionMode, INLINE_TEXT_BYTES, RouteDecided, SessionSource, SessionStarted, TextBody, TurnStarted,
        TurnTextRecorded,
    },
    views::Outages,
};
use event_bus::MAX_TEXT_BYTES;
use event_core::{EventType, NewEvent, Timestamp};
use router_core::{AuxiliaryCalls, Banner, NoticeContext, OverrideError, RecordText, TurnStage, banners};

use crate::{
    capture::{CaptureContext, TextRecording, capture, project_path},
    decision::{decide_turn, seal_decision},
    engine::Engine,
    error::EngineError,
    mention::Mention,
    recorder::turn_event,
    sessions::Session,
    turn_events::session_started,
    turn_input::TurnInput,
    turn_outcome::{Route, TurnOutcome},
};

impl Engine {
    /// Records events of a turn, and the outages and verdicts that follow from them. Durable on return.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be written.
    pub fn record(&mut self, events: Vec<NewEvent>) -> Result<(), EngineError> {
        self.recorder.record(events)?;
        self.record_consequences()?;
        self.commit()
    }

    /// Records the start of a turn, the text of its message if the policy allows it, and the decisions about its skills and
    /// then about its model.
    /// `mention` is the `@` mention of the message; `at` is the time of the turn.
    pub(crate) fn start_and_decide(
        &mut self,
        turn: TurnId,
        input: TurnInput,
        mention: &Mention,
        at: Timestamp,
        mode: DecisionMode,
    ) -> Result<TurnOutcome, EngineError> {
        let spent = match mode {
            DecisionMode::Live => self.spent_now(&input, at),
            // The log may already have calls that ended after this turn began (decision D40).
            DecisionMode::Observed => self.spent_by(&input, at)?,
        };
        let started = Arc::new(self.capture(turn, &input, mention, at, mode, spent));
        let message = mention.strip_from(&input.message);
        let sealed = Sealed::new(turn.0.then(TurnStarted::KIND, 0), at, turn.0, Arc::clone(&started))?;
        let cause = sealed.event.id;
        let text = if self.text_recording() == TextRecording::FeaturesOnly {
            None
        } else {
            let text = TurnTextRecorded { turn, text: self.store_text(message)? };
            Some(turn_event(turn, 0, at, text)?.caused_by(cause))
        };
        let prepared = input.prepared_skills.clone();
        let skills = self.route_turn_skills(&started, message, at, mode, prepared.as_ref(), &input.skill_model)?;
        self.recorder.record(std::iter::once(sealed).chain(text).chain(skills.events))?;
        // The message is evidence about the previous turn, whose verdict this decision may read.
        self.record_due_verdicts()?;
        self.recorder.load_workspace(started.workspace.as_deref())?;
        let turn = Turn {
            skills: &skills.loaded,
            wish: skills.wish.as_ref(),
            ..Turn::new(&started, at, MessageText::Present(message))
        };
        let mut decided = self.decide(&turn, mode, &Outages::default());
        self.recorder.record(seal_decision(&mut decided, at)?)?;
        let banners = self.banners(&turn, &decided.decision, TurnStage::Decided);
        Ok(self.outcome(input, mention, at, banners, decided))
    }

    /// Fills in the parts of a turn's input that depend on models, policy and log: the requested model, the signers of
    /// thinking, and the tier of an auxiliary call.
    pub(crate) fn resolve(&self, input: &mut TurnInput) {
        let Some(mut request) = input.request.take() else { return };
        request.named = self.models.registry.named(&request.model).map(|model| model.id.clone());
        request.signed_by = self.signed_by(&input.session, &input.thread, &request);
        if request.auxiliary.is_some()
            && let AuxiliaryCalls::Tier(tier) = self.policy.active().policy.gateway().auxiliary_calls
        {
            input.delegation = Some(Delegation { tier });
        }
        input.request = Some(request);
    }

    /// Resolves the `@` mention of a turn's message. In an auxiliary call a mention chooses no model, since the user
    /// wrote it for the main conversation, from which the client copied the text.
    pub(crate) fn mention(&self, input: &TurnInput) -> Result<Mention, OverrideError> {
        let registry = &self.models.registry;
        if input.request.as_ref().is_some_and(|request| request.auxiliary.is_some()) {
            let mention = Mention::resolve_accepted(&input.message, registry);
            return Ok(Mention { model: None, ..mention });
        }
        Mention::resolve(&input.message, registry)
    }

    /// Returns the models whose signed thinking a client's request may contain: the recorded signers of its thread, or,
    /// if there are none, the requested model. Empty if the request contains no signed thinking.
    pub(crate) fn signed_by(&self, session: &SessionId, thread: &Thread, request: &ClientRequest) -> BTreeSet<ModelId> {
        if !request.requires.contains(&Requirement::EarlierThinking) {
            return BTreeSet::new();
        }
        let recorded = self.state().sessions.get(session).map(|session| session.signers(thread)).unwrap_or_default();
        if recorded.is_empty() { request.named.iter().cloned().collect() } else { recorded }
    }

    /// Returns the length of the `@` mention at the start of each user message of the request, in bytes; see
    /// [`TurnOutcome::mention_bytes`].
    pub(crate) fn mention_bytes(&self, input: &TurnInput, mention: &Mention) -> Vec<usize> {
        let earlier = input.earlier_messages.iter();
        let earlier = earlier.map(|message| Mention::resolve_accepted(message, &self.models.registry).bytes);
        earlier.chain([mention.bytes]).collect()
    }

    /// Returns which part of a message the log records under the active policy.
    pub(crate) fn text_recording(&self) -> TextRecording {
        let policy = &self.policy.active().policy;
        match policy.record_text() {
            RecordText::Never => TextRecording::FeaturesOnly,
            // The log is on the user's own machine.
            RecordText::Local | RecordText::Always => TextRecording::Full { embedded: policy.embedding().is_some() },
        }
    }

    /// Records that a session started, unless the log already has its start.
    ///
    /// # Errors
    /// [`EngineError`] if an event cannot be encoded or appended to the log.
    pub(crate) fn start_session(&mut self, input: &TurnInput) -> Result<(), EngineError> {
        // The lookup in the folded state is the fast path.
        if self.state().sessions.get(&input.session).is_some_and(|session| session.source.is_some()) {
            return Ok(());
        }
        if self.recorder.contains(input.session.correlation().then(SessionStarted::KIND, 0))? {
            return Ok(());
        }
        let event = SessionStarted {
            session: input.session.clone(),
            source: if input.request.is_some() { SessionSource::Gateway } else { SessionSource::CommandLine },
            workspace: input.workspace.clone(),
            client: input.client.clone(),
            parent: input.parent.clone(),
        };
        self.recorder.record([session_started(event, self.now())?])
    }

    /// Returns the cost of all calls of the day of `at`, and the amounts spent in the other periods and scopes that
    /// apply to a turn.
    pub(crate) fn spent_now(&self, input: &TurnInput, at: Timestamp) -> (NanoUsd, Spending) {
        let costs = &self.state().costs;
        let client = input.request.as_ref().and_then(|request| request.client.as_deref());
        (costs.spent_today(at), costs.spending(&input.session, self.project(input).as_deref(), client, at))
    }

    /// Returns the cost of the day and the amounts spent in the other periods and scopes, as [`Engine::spent_now`]
    /// does, for an imported turn that started at `at`. Only calls that had ended by then count.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be read.
    fn spent_by(&mut self, input: &TurnInput, at: Timestamp) -> Result<(NanoUsd, Spending), EngineError> {
        let project = self.project(input);
        let client = input.request.as_ref().and_then(|request| request.client.as_deref());
        let change = self.recorder.past_costs()?.spent_by(&input.session, project.as_deref(), client, at);
        let (mut spent_today, mut spending) = (NanoUsd(0), Spending::default());
        change.add_to(&mut spent_today, &mut spending);
        Ok((spent_today, spending))
    }

    /// Returns the workspace by which the spending of a turn counts: its own, or else that of its session; `None` if
    /// unknown.
    fn project(&self, input: &TurnInput) -> Option<String> {
        let of_session = || self.state().sessions.get(&input.session)?.workspace.clone();
        input.workspace.as_deref().map(project_path).or_else(of_session)
    }

    /// Builds the event that captures a turn at its start, with the current state and the amounts spent.
    pub(crate) fn capture(
        &self,
        turn: TurnId,
        input: &TurnInput,
        mention: &Mention,
        at: Timestamp,
        mode: DecisionMode,
        (spent_today, spending): (NanoUsd, Spending),
    ) -> TurnStarted {
        let session = self.state().sessions.get(&input.session);
        let mut history = input.history.clone();
        // A session file has the whole history; a live client may resend a part of it.
        if mode == DecisionMode::Live
            && let Some(recorded) = session.and_then(Session::history)
        {
            history.merge(recorded);
        }
        let context = CaptureContext {
            turn,
            offset_minutes: (self.offset)(at),
            override_model: mention.model.clone(),
            text: mention.strip_from(&input.message),
            session,
            history: &history,
            spent_today,
            spending,
            text_recording: self.text_recording(),
        };
        capture(input, context)
    }

    /// Decides which model serves a captured turn, with the present policy, models and state, and with the `assumed`
    /// outages in addition to the present ones. Records nothing.
    pub(crate) fn decide(&self, turn: &Turn<'_>, mode: DecisionMode, assumed: &Outages) -> RouteDecided {
        decide_turn(&self.recorder, self.policy.active(), &self.models, turn, mode, assumed)
    }

    /// Returns the banners of a decision about a turn, for the user. `stage` (previewed, running or ended) determines
    /// the commands that the banners name.
    pub(crate) fn banners(&self, turn: &Turn<'_>, decision: &Decision, stage: TurnStage) -> Vec<Banner> {
        let policy = Some(&*self.policy.active().policy);
        banners(decision, &NoticeContext { policy, spent_today: turn.started.spent_today, turn: Some(turn), stage })
    }

    /// Builds the outcome of a turn that was decided or previewed: the decision with the banners for the user.
    pub(crate) fn outcome(
        &self,
        input: TurnInput,
        mention: &Mention,
        at: Timestamp,
        banners: Vec<Banner>,
        decided: RouteDecided,
    ) -> TurnOutcome {
        let mention_bytes = self.mention_bytes(&input, mention);
        TurnOutcome { turn: decided.turn, at, input, mention_bytes, route: Route::Decided(Box::new(decided)), banners }
    }

    /// Stores the text of a message: in its event if it is short, otherwise durably in the text store. Returns the text
    /// or the reference that the event contains. Only the first [`MAX_TEXT_BYTES`] bytes of a longer text are stored;
    /// rules read no more than these (decision D38).
    pub(crate) fn store_text(&self, text: &str) -> Result<TextBody, EngineError> {
        let text = text.get(..text.floor_char_boundary(MAX_TEXT_BYTES)).unwrap_or_default();
        if text.len() <= INLINE_TEXT_BYTES {
            return Ok(TextBody::Inline(text.to_owned()));
        }
        Ok(TextBody::Stored { hash: ContentHash(self.texts.put(text)?), bytes: text.len() as u64 })
    }
}
