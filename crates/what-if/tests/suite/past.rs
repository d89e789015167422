//! A log fixture: the bundled session, imported under a policy.

use std::{fs, sync::Arc};

use contracts::Registry;
use engine::{Engine, Home, Models, Stores};
use event_bus::{EventLog, ManualClock, MemoryLog, MemoryTexts, TextStore};
use event_core::{Payload, Position, Recorded, Timestamp};
use router_core::Policy;
use transcripts::{DEMO_SESSION, claude_code::SessionReader};
use what_if::{Backtest, Baseline, Candidate, Range, Report, TurnRow};

/// A log with its texts, and the models that it was recorded with.
pub(crate) struct Past {
    /// The log.
    pub(crate) log: Arc<dyn EventLog>,
    /// The texts of messages, policy and models.
    pub(crate) texts: Arc<MemoryTexts>,
    /// The built-in models.
    pub(crate) models: Arc<Registry>,
}

impl Past {
    /// Imports the bundled session, decided under a policy with the text `policy`.
    pub(crate) fn under(policy: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("routing.yaml"), routing_every_turn(policy)).unwrap();
        let log: Arc<dyn EventLog> = Arc::new(MemoryLog::new());
        let texts = Arc::new(MemoryTexts::new());
        let clock = Box::new(ManualClock::new(Timestamp::from_secs(1_800_000_000)));
        let stores =
            Stores { log: Arc::clone(&log), texts: Arc::clone(&texts) as Arc<dyn TextStore>, clock, offset: |_| 0 };
        let models = Models::from_registry(catalogue::load_registry(None).unwrap());
        let registry = Arc::clone(&models.registry);
        let place = Home::new(home.path(), Some("/home/dev".into()));
        let mut engine = Engine::with_models(&place, models, stores).unwrap();
        engine.refresh_policy().unwrap();
        let mut reader = SessionReader::new("demo.jsonl".as_ref(), DEMO_SESSION.as_bytes());
        while let Some(turn) = reader.next() {
            let session = reader.session().unwrap().clone();
            engine.observe_session(&session).unwrap();
            engine.observe_turn(&session, &turn).unwrap();
        }
        engine.close().unwrap();
        Self { log, texts, models: registry }
    }

    /// Returns all events of the log.
    pub(crate) fn events(&self) -> Vec<Recorded> {
        self.log.read_after(Position::ORIGIN, usize::MAX).unwrap()
    }

    /// Copies the log with some events changed.
    pub(crate) fn with_events(self, change: impl FnMut(&mut Recorded)) -> Self {
        let mut events = self.events();
        events.iter_mut().for_each(change);
        let log = MemoryLog::new();
        log.restore(&events).unwrap();
        log.sync().unwrap();
        Self { log: Arc::new(log), ..self }
    }

    /// Copies the log without the text of any message.
    pub(crate) fn without_text(self) -> Self {
        self.with_events(|event| {
            if event.event.kind == "turn.text_recorded" {
                event.purged = Some(*blake3::hash(&event.event.payload).as_bytes());
                event.event.payload = Payload::default();
            }
        })
    }

    /// Loads a policy for a backtest; `name` is its name in the report.
    pub(crate) fn candidate(&self, name: &str, text: &str) -> Candidate {
        let policy = Policy::load(&routing_every_turn(text), Arc::clone(&self.models), Some("/home/dev")).unwrap();
        Candidate { name: name.to_owned(), policy: Arc::new(policy) }
    }

    /// Runs a backtest of policies, given by name and text, against the recorded run; returns the report and its rows.
    pub(crate) fn try_on(&self, policies: &[(&str, &str)]) -> (Report, Vec<TurnRow>) {
        self.ask(policies, Baseline::Recorded, Range::default())
    }

    /// Runs a backtest of policies, as `try_on` does, against another baseline and for the turns in `range`.
    pub(crate) fn ask(&self, policies: &[(&str, &str)], against: Baseline, range: Range) -> (Report, Vec<TurnRow>) {
        let candidates = policies.iter().map(|(name, text)| self.candidate(name, text)).collect();
        let question = Backtest { candidates, against, range, models: Arc::clone(&self.models) };
        let mut rows = Vec::new();
        let mut keep = |row: &TurnRow| rows.push(row.clone());
        let report = what_if::backtest(&*self.log, &*self.texts, &question, &mut keep, &mut |_| true).unwrap();
        (report, rows)
    }
}

impl Past {
    /// Removes all stored texts: those of policies, models and long messages.
    pub(crate) fn texts_without_policies(&self) {
        self.texts.sweep(&|_| false).unwrap();
    }
}

/// Adds the setting under which the policy decides turns that request a model by name, unless the text has a block of its
/// own.
fn routing_every_turn(policy: &str) -> String {
    if policy.contains("gateway:") { policy.to_owned() } else { format!("gateway: {{client_model: auto}}\n{policy}") }
}
