//! A test fixture: an engine on a log in memory, with its own policy file and a settable clock.

use std::{fs, path::PathBuf, sync::Arc};

use contracts::{
    ClientRequest, ModelId, SessionId, ThreadId, TurnId, Usage, WireApi,
    events::{ErrorClass, LlmCallCompleted, StopReason, TurnStatus},
};
use engine::{Engine, EngineError, Home, Models, PolicyFileProblems, RouterState, Stores, TurnInput, TurnOutcome};
use event_bus::{EventLog, ManualClock, MemoryLog, MemoryTexts, ProjectionSet as _, TextStore};
use event_core::{NewEvent, Position, Recorded, Timestamp};
use tempfile::TempDir;
use test_events::{call_completed, call_failed};

use super::models::{model_id, models};

/// The afternoon of 2026-05-08, when the turn of 004 §7.4 took place.
pub(crate) const START: Timestamp = Timestamp::from_secs(1_778_250_191);

/// An engine with its log, texts, policy file and clock.
pub(crate) struct Desk {
    pub(crate) home: TempDir,
    pub(crate) clock: ManualClock,
    pub(crate) now: Timestamp,
    pub(crate) log: Arc<dyn EventLog>,
    pub(crate) texts: Arc<dyn TextStore>,
    pub(crate) models: Models,
    pub(crate) engine: Engine,
    /// The number of calls recorded so far, from which their ids are derived.
    calls: u64,
}

pub(crate) fn session(name: &str) -> SessionId {
    name.try_into().unwrap()
}

/// Returns a request of a client of the gateway.
pub(crate) fn client_request() -> ClientRequest {
    ClientRequest {
        api: WireApi::AnthropicMessages,
        client: Some("claude-code".to_owned()),
        model: "turnwise".to_owned(),
        named: None,
        auxiliary: None,
        subagent: false,
        requires: [].into(),
        web_search: false,
        signed_by: [].into(),
        brings_key_of: None,
        imported: false,
    }
}

impl Desk {
    /// Creates an engine with an empty log and this text as its policy file.
    pub(crate) fn with(policy: &str) -> Self {
        Self::open(Some(policy), Arc::new(MemoryLog::new()), Arc::new(MemoryTexts::new()), models())
    }

    /// Creates an engine with an empty log and without a policy file.
    pub(crate) fn without_a_policy() -> Self {
        Self::open(None, Arc::new(MemoryLog::new()), Arc::new(MemoryTexts::new()), models())
    }

    pub(crate) fn open(
        policy: Option<&str>,
        log: Arc<dyn EventLog>,
        texts: Arc<dyn TextStore>,
        models: Models,
    ) -> Self {
        let home = tempfile::tempdir().unwrap();
        if let Some(policy) = policy {
            fs::write(home.path().join("routing.yaml"), policy).unwrap();
        }
        let clock = ManualClock::new(START);
        let engine = engine(&home, &log, &texts, &models, &clock);
        Self { home, clock, now: START, log, texts, models, engine, calls: 0 }
    }

    /// Ends the program without saving its state, and starts it again on the same files and log.
    pub(crate) fn restarted(self) -> Self {
        self.stands_where_the_log_says();
        let engine = engine(&self.home, &self.log, &self.texts, &self.models, &self.clock);
        Self { engine, ..self }
    }

    pub(crate) fn policy_path(&self) -> PathBuf {
        self.home.path().join("routing.yaml")
    }

    pub(crate) fn edit_policy(&self, text: &str) {
        fs::write(self.policy_path(), text).unwrap();
        // A change is taken when the file has not been written for 100 ms.
        std::thread::sleep(std::time::Duration::from_millis(110));
    }

    pub(crate) fn remove_policy(&self) {
        fs::remove_file(self.policy_path()).unwrap();
    }

    /// Advances the clock by this number of milliseconds.
    pub(crate) fn pass_millis(&mut self, millis: u64) {
        self.now = self.now.plus_micros(millis * 1_000);
        self.clock.set(self.now);
    }

    pub(crate) fn pass_secs(&mut self, seconds: u64) {
        self.pass_millis(seconds * 1_000);
    }

    /// Starts a turn of a session, named by the next number.
    pub(crate) fn start(&mut self, name: &str, message: &str) -> TurnOutcome {
        let number = self.engine.state().sessions.get(&session(name)).map_or(0, |session| session.turns);
        self.arrive(TurnInput::new(session(name), format!("message-{number}"), message)).unwrap()
    }

    /// Reloads the policy file, passes an input to the engine, and commits.
    pub(crate) fn arrive(&mut self, input: TurnInput) -> Result<TurnOutcome, EngineError> {
        self.arrive_with_trouble(input).map(|(outcome, _)| outcome)
    }

    /// Passes an input to the engine, as [`Desk::arrive`] does; also returns the problems of the policy file.
    pub(crate) fn arrive_with_trouble(
        &mut self,
        input: TurnInput,
    ) -> Result<(TurnOutcome, Option<PolicyFileProblems>), EngineError> {
        let trouble = self.engine.refresh_policy()?;
        let outcome = self.engine.arrive(input);
        // A refused turn may have recorded events before, such as the loaded policy.
        self.engine.commit()?;
        Ok((outcome?, trouble))
    }

    /// Completes the running turn of a session.
    pub(crate) fn end(&mut self, name: &str) {
        self.end_as(name, TurnStatus::Completed);
    }

    /// Ends the running turn of a session with this status.
    pub(crate) fn end_as(&mut self, name: &str, status: TurnStatus) {
        let turn = self.running(name).unwrap();
        self.engine.end_turn(&session(name), turn, status).unwrap();
        self.engine.commit().unwrap();
        self.stands_where_the_log_says();
    }

    /// Returns the model that the running turn of a session is locked to; `None` if no turn runs.
    pub(crate) fn locked_model(&self, name: &str) -> Option<&ModelId> {
        self.engine.state().sessions.get(&session(name))?.running_turn(&contracts::Thread::Main)?.model.as_ref()
    }

    /// Checks that the state folded while recording equals the state folded from the log's bytes.
    pub(crate) fn stands_where_the_log_says(&self) {
        let rebuilt = event_bus::fold_all::<RouterState>(self.log.as_ref()).unwrap();
        assert_eq!(rebuilt.position(), self.log.head().unwrap());
        let live = self.engine.state().checkpoints().unwrap();
        for ((name, rebuilt), (_, live)) in rebuilt.checkpoints().unwrap().into_iter().zip(live) {
            assert!(rebuilt == live, "the live state of projection `{name}` differs from one rebuilt from the log");
        }
    }

    /// Runs a turn from its start to its end, without calls; returns its model.
    pub(crate) fn turn(&mut self, name: &str, message: &str) -> Option<String> {
        let model = self.start(name, message).model().cloned();
        if model.is_some() {
            self.end(name);
        }
        model.map(|model| model.to_string())
    }

    /// Runs a turn as [`Desk::turn`] does, and does not compare the state with the log: sessions may have left memory.
    pub(crate) fn turn_without_check(&mut self, name: &str) {
        let id = session(name);
        self.engine.load_session(&id).unwrap();
        let turn = self.start(name, "hello").turn;
        self.engine.end_turn(&id, turn, TurnStatus::Completed).unwrap();
        self.engine.commit().unwrap();
    }

    /// Returns the running turn of a session; `None` if none runs.
    pub(crate) fn running(&self, name: &str) -> Option<TurnId> {
        self.engine.state().sessions.get(&session(name))?.running_turn(&contracts::Thread::Main).map(|open| open.turn)
    }

    /// Records a completed call of the running turn, by the model it is locked to.
    pub(crate) fn answer(&mut self, name: &str, stop_reason: StopReason) {
        let model = self.locked_model(name).unwrap().to_string();
        self.answer_as(name, &model, None, Usage { input: 1_000, output: 100, ..Usage::default() }, stop_reason);
    }

    /// Records a completed call of the running turn, on its own thread or by a worker.
    pub(crate) fn answer_as(
        &mut self,
        name: &str,
        model: &str,
        worker: Option<&str>,
        usage: Usage,
        stop_reason: StopReason,
    ) {
        let turn = self.running(name).unwrap();
        let prices = self.models.registry.named(model).and_then(|model| model.prices);
        let event = LlmCallCompleted {
            thread: worker.map(|worker| ThreadId::try_from(worker).unwrap()).into(),
            usage,
            cost: prices.map(|prices| prices.cost(&usage)),
            stop_reason,
            tool_calls: u32::from(stop_reason == StopReason::ToolUse),
            ..call_completed(turn, session(name), model_id(model))
        };
        self.record(turn, &event);
    }

    /// Records a failed call of `model` in the running turn of a session.
    pub(crate) fn fail(&mut self, name: &str, model: &str, class: ErrorClass) {
        let turn = self.running(name).unwrap();
        self.record(turn, &call_failed(turn, session(name), model_id(model), class));
    }

    /// Records an event of a turn for which the engine has no method, at the present time.
    pub(crate) fn record<E: event_core::EventType>(&mut self, turn: TurnId, event: &E) {
        self.calls += 1;
        let id = turn.0.then(E::KIND, 1_000 + self.calls);
        self.engine.record(vec![NewEvent::new(id, self.now, turn.0, event).unwrap()]).unwrap();
    }

    /// Returns all events of the log, in order.
    pub(crate) fn events(&self) -> Vec<Recorded> {
        self.log.read_after(Position::ORIGIN, usize::MAX).unwrap()
    }

    /// Returns the kinds of the events after a position, in order.
    pub(crate) fn kinds_after(&self, position: Position) -> Vec<String> {
        let events = self.log.read_after(position, usize::MAX).unwrap();
        events.iter().map(|event| event.event.kind.to_string()).collect()
    }

    pub(crate) fn head(&self) -> Position {
        self.log.head().unwrap()
    }

    /// Returns the content of all events of the type `E`, in the order of the log.
    pub(crate) fn all<E: event_core::EventType>(&self) -> Vec<E> {
        self.events().iter().filter_map(|event| event.read::<E>().unwrap()).collect()
    }
}

fn engine(
    home: &TempDir,
    log: &Arc<dyn EventLog>,
    texts: &Arc<dyn TextStore>,
    models: &Models,
    clock: &ManualClock,
) -> Engine {
    let stores =
        Stores { log: Arc::clone(log), texts: Arc::clone(texts), clock: Box::new(clock.clone()), offset: |_| 120 };
    Engine::with_models(&Home::new(home.path(), Some("/home/dev".into())), models.clone(), stores).unwrap()
}
