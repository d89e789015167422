//! Processes a turn from its input to its decision: resolves the input, captures and records the turn, decides it, and
//! records the decision.

use std::{collections::BTreeSet, sync::Arc};

use contracts::{
    ClientRequest, ContentHash, Delegation, MessageText, ModelId, NanoUsd, Period, Requirement, SessionId, Spending,
    Thread, Turn, TurnId,
    events::{
        DecisionMode, INLINE_TEXT_BYTES, RouteDecided, SessionSource, SessionStarted, TextBody, TurnStarted,
        TurnTextRecorded,
    },
    views::Outages,
};
use event_bus::MAX_TEXT_BYTES;
use event_core::{EventType, NewEvent, Sealed, Timestamp};
use router_core::{AuxiliaryCalls, NoticeContext, OverrideError, RecordText, banners};

use crate::{
    capture::{CaptureContext, TextRecording, capture, turn_from_event},
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

    /// Records the start of a turn, its text if the policy allows it, and its decision. `mention` is that of the
    /// input's message; `at` is the time of the turn.
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
            DecisionMode::Observed => {
                let past = self.recorder.past_costs()?;
                let (week, month) = (past.spent_in(Period::Week, at), past.spent_in(Period::Month, at));
                (past.spent_in(Period::Day, at), Spending { week, month, ..Spending::default() })
            }
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
        self.recorder.record(std::iter::once(sealed).chain(text))?;
        // The message is evidence about the previous turn, whose verdict this decision may read.
        self.record_due_verdicts()?;
        let (captured, mut decided) = self.decide(&started, message, at, mode);
        self.recorder.record(seal_decision(&mut decided, at)?)?;
        Ok(self.outcome(input, mention, &captured, decided))
    }

    /// Resolves the parts of an input that depend on models, policy and log: the requested model, the signers of
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

    /// Resolves the mention of an input's message. A mention chooses no model for an auxiliary call: the user wrote it
    /// for the main conversation, from which the client copied the text.
    pub(crate) fn mention(&self, input: &TurnInput) -> Result<Mention, OverrideError> {
        let registry = &self.models.registry;
        if input.request.as_ref().is_some_and(|request| request.auxiliary.is_some()) {
            let mention = Mention::resolve_accepted(&input.message, registry);
            return Ok(Mention { model: None, ..mention });
        }
        Mention::resolve(&input.message, registry)
    }

    /// Returns the models whose signed thinking a request may contain: the recorded signers of its thread, or, if there
    /// are none, the requested model. Empty if the request contains no signed thinking.
    pub(crate) fn signed_by(&self, session: &SessionId, thread: &Thread, request: &ClientRequest) -> BTreeSet<ModelId> {
        if !request.requires.contains(&Requirement::EarlierThinking) {
            return BTreeSet::new();
        }
        let recorded = self.state().sessions.get(session).map(|session| session.signers(thread)).unwrap_or_default();
        if recorded.is_empty() { request.named.iter().cloned().collect() } else { recorded }
    }

    /// Returns the length of the mention at the start of each user message of the request, in bytes; see
    /// [`TurnOutcome::mention_bytes`].
    pub(crate) fn mention_bytes(&self, input: &TurnInput, mention: &Mention) -> Vec<usize> {
        let earlier = input.earlier_messages.iter();
        let earlier = earlier.map(|message| Mention::resolve_accepted(message, &self.models.registry).bytes);
        earlier.chain([mention.bytes]).collect()
    }

    /// Returns what the log records of messages under the active policy.
    pub(crate) fn text_recording(&self) -> TextRecording {
        let policy = &self.policy.active().policy;
        match policy.record_text() {
            RecordText::Never => TextRecording::FeaturesOnly,
            // The log is on the user's own machine.
            RecordText::Local | RecordText::Always => TextRecording::Full { embedded: policy.embedding().is_some() },
        }
    }

    /// Records that a session started, if the log does not have it.
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

    /// Returns the cost of all calls of the day, and what was spent in the other periods and scopes of a turn.
    pub(crate) fn spent_now(&self, input: &TurnInput, at: Timestamp) -> (NanoUsd, Spending) {
        let costs = &self.state().costs;
        let session = self.state().sessions.get(&input.session);
        let project = input.workspace.as_deref().or_else(|| session?.workspace.as_deref());
        let client = input.request.as_ref().and_then(|request| request.client.as_deref());
        (costs.spent_today(at), costs.spending(&input.session, project, client, at))
    }

    /// Builds the event that captures a turn with the current state and what was spent.
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

    /// Decides a captured turn with the current policy, models and state. Returns the input of the decision with it.
    fn decide(&self, started: &TurnStarted, message: &str, at: Timestamp, mode: DecisionMode) -> (Turn, RouteDecided) {
        self.decide_assuming(started, message, at, mode, &Outages::default())
    }

    /// As [`Engine::decide`], with outages in addition to the present ones.
    pub(crate) fn decide_assuming(
        &self,
        started: &TurnStarted,
        message: &str,
        at: Timestamp,
        mode: DecisionMode,
        assumed: &Outages,
    ) -> (Turn, RouteDecided) {
        let turn = turn_from_event(started, at, MessageText::Present(message.to_owned()));
        let decided = decide_turn(&self.recorder, self.policy.active(), &self.models, &turn, mode, assumed);
        (turn, decided)
    }

    /// Builds the outcome of a decided turn.
    pub(crate) fn outcome(
        &self,
        input: TurnInput,
        mention: &Mention,
        captured: &Turn,
        decided: RouteDecided,
    ) -> TurnOutcome {
        let context = NoticeContext {
            policy: Some(&self.policy.active().policy),
            spent_today: captured.spent_today,
            turn: Some(captured),
        };
        let banners = banners(&decided.decision, &context);
        let mention_bytes = self.mention_bytes(&input, mention);
        let route = Route::Decided(Box::new(decided));
        TurnOutcome { turn: captured.id, at: captured.at, input, mention_bytes, route, banners }
    }

    /// Stores a text: in the event itself if it is short, otherwise durably in the text store. Returns the part of the
    /// event that holds or refers to it. Of a longer text only the first [`MAX_TEXT_BYTES`] are stored, which include all
    /// that a rule sees (decision D38).
    fn store_text(&self, text: &str) -> Result<TextBody, EngineError> {
        let text = text.get(..text.floor_char_boundary(MAX_TEXT_BYTES)).unwrap_or_default();
        if text.len() <= INLINE_TEXT_BYTES {
            return Ok(TextBody::Inline(text.to_owned()));
        }
        Ok(TextBody::Stored { hash: ContentHash(self.texts.put(text)?), bytes: text.len() as u64 })
    }
}
