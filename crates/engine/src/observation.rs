//! Records turns from the session files of other clients, with the decision that the policy would have made about them.

use std::{collections::BTreeSet, sync::Arc};

use contracts::{
    ClientRequest, Requirement, Usage, WireApi,
    events::{DecisionMode, SessionSource, SessionStarted},
};
use transcripts::observed::{ObservedSession, ObservedTurn};

use crate::{
    engine::Engine,
    error::EngineError,
    mention::Mention,
    observe::{events_after_decision, model_id},
    skill_routing::PreparedSkills,
    turn_events::session_started,
    turn_input::TurnInput,
    turn_outcome::TurnOutcome,
};

impl Engine {
    /// Records the start of a session from the session file of another client.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be written.
    pub fn observe_session(&mut self, session: &ObservedSession) -> Result<(), EngineError> {
        let started = SessionStarted {
            session: session.id.clone(),
            source: session.source,
            workspace: session.workspace.clone(),
            client: session.client.clone(),
            parent: session.parent.clone(),
        };
        self.recorder.record([session_started(started, session.started_at)?])
    }

    /// Returns whether a turn from a session file came through the gateway. The log then has it with its calls and
    /// costs, and importing it would count them twice.
    ///
    /// If the session started in the gateway, all its turns came through it. If the session was imported before its
    /// client used the gateway, those turns came through it that had not ended when the gateway first saw the session.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be read.
    pub fn came_through_gateway(&mut self, turn: &ObservedTurn) -> Result<bool, EngineError> {
        self.load_session(&turn.session)?;
        let Some(session) = self.state().sessions.get(&turn.session) else { return Ok(false) };
        let is_of_gateway = session.source == Some(SessionSource::Gateway);
        Ok(is_of_gateway || session.gateway_since.is_some_and(|since| since <= turn.last_at()))
    }

    /// Records a turn from a session file and the decision that the policy would have made about it; returns its
    /// outcome. `None` if the turn came through the gateway or is decided already. In the latter case its other new
    /// events are recorded. Durable on return.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be written.
    pub fn observe_turn(
        &mut self,
        session: &ObservedSession,
        turn: &ObservedTurn,
    ) -> Result<Option<TurnOutcome>, EngineError> {
        self.observe_turn_with_skills(session, turn, None)
    }

    /// Records a turn from a session file as [`Engine::observe_turn`] does. Its skill decision chooses from the `prepared`
    /// skills; `None` if none are known.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be written.
    pub fn observe_turn_with_skills(
        &mut self,
        session: &ObservedSession,
        turn: &ObservedTurn,
        prepared: Option<&Arc<PreparedSkills>>,
    ) -> Result<Option<TurnOutcome>, EngineError> {
        if self.came_through_gateway(turn)? {
            return Ok(None);
        }
        let id = turn.id();
        let position_before = self.recorder.position();
        let mut outcome = None;
        if !self.recorder.contains(id.0.then("route.decided", 0))? {
            outcome = Some(self.decide_observed(session, turn, prepared)?);
        }
        let events = events_after_decision(turn, session.source, &self.models.registry)?;
        self.recorder.record(events)?;
        // If an import was killed, a turn may be started but undecided: the signals in it are recorded only after its
        // decision.
        if position_before < self.recorder.position() || (!self.is_evaluated() && !self.has_undecided_turn()) {
            self.record_due_verdicts()?;
        }
        Ok(outcome)
    }

    /// Returns whether the log has a turn that was started but not decided.
    fn has_undecided_turn(&self) -> bool {
        let mut sessions = self.recorder.state().sessions.iter().map(|(_, session)| session);
        sessions.any(|session| session.open.iter().any(|open| !open.decided))
    }

    /// Captures and decides a turn from a session file, and returns the outcome.
    fn decide_observed(
        &mut self,
        session: &ObservedSession,
        turn: &ObservedTurn,
        prepared: Option<&Arc<PreparedSkills>>,
    ) -> Result<TurnOutcome, EngineError> {
        self.record_configuration()?;
        let request = self.recorded_request(session, turn)?;
        let input = TurnInput {
            request: Some(request),
            prepared_skills: prepared.cloned(),
            ..TurnInput::observed(session, turn)
        };
        let mention = Mention::resolve_accepted(&input.message, &self.models.registry);
        self.start_and_decide(turn.id(), input, &mention, turn.started_at, DecisionMode::Observed)
    }

    /// Returns the properties of a turn's request that the session file shows. The model that ran counts as the
    /// requested model (decision D42).
    fn recorded_request(&self, session: &ObservedSession, turn: &ObservedTurn) -> Result<ClientRequest, EngineError> {
        let (api, client) = match session.source {
            SessionSource::ClaudeCode => (WireApi::AnthropicMessages, Some("claude-code")),
            SessionSource::Codex => (WireApi::OpenAiResponses, Some("codex")),
            SessionSource::OpenAiLog | SessionSource::CommandLine | SessionSource::Gateway => {
                (WireApi::OpenAiChat, None)
            }
        };
        let model = turn.model().map(|name| model_id(&self.models.registry, session.source, name)).transpose()?;
        let mut request = ClientRequest {
            api,
            client: client.map(str::to_owned),
            model: model.as_ref().map(|model| model.model().to_owned()).unwrap_or_default(),
            named: model.filter(|model| self.models.registry.get(model).is_some()),
            auxiliary: None,
            subagent: turn.thread.sub_agent().is_some(),
            requires: turn.before.requires.clone(),
            // Codex records searches of the provider under this name.
            web_search: session.source == SessionSource::Codex && turn.before.tools.contains("web_search"),
            signed_by: BTreeSet::new(),
            brings_key_of: None,
            imported: true,
        };
        let uses_cache = |usage: &Usage| 0 < usage.cache_read + usage.cache_write_5m + usage.cache_write_1h;
        if api == WireApi::AnthropicMessages && turn.calls().any(|call| uses_cache(&call.usage)) {
            // This API caches only what the client marks.
            request.requires.insert(Requirement::CacheControl);
        }
        request.signed_by = self.signed_by(&turn.session, &turn.thread, &request);
        Ok(request)
    }
}
