//! Decides the turns of recorded sessions under a policy, in memory, and counts which rule decided how many.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use contracts::Thread;
use engine::{Engine, EngineError, Home, Models, Stores};
use event_bus::{MemoryLog, MemoryTexts, SystemClock};
use serde::Serialize;

use crate::{context::local_offset, machine::Sample};

/// The time after which the trial stops, although more turns of the sample follow.
const MAX_TIME: Duration = Duration::from_secs(3);

/// The result of trying a policy on recorded sessions: the number of user messages that each rule would have decided.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct DryRun {
    /// The messages of main conversations that were decided.
    pub(crate) messages: u64,
    /// The name and the count of every rule of the policy, in its order.
    pub(crate) rules: Vec<(String, u64)>,
    /// The messages that no rule decided although one matched, because its model was rejected.
    pub(crate) rejected: u64,
}

impl DryRun {
    /// Decides the messages of a sample of recorded sessions under the policy of a home folder. Stops after
    /// [`MAX_TIME`]. Nothing is written.
    pub(crate) fn of(sample: &Sample, home: &Home) -> Result<Self, EngineError> {
        let stores = Stores {
            log: Arc::new(MemoryLog::new()),
            texts: Arc::new(MemoryTexts::default()),
            clock: Box::new(SystemClock),
            offset: local_offset,
        };
        let mut engine = Engine::with_models(home, Models::load(&home.models())?, stores)?;
        let started = Instant::now();
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let mut dry_run = Self::default();
        for (session, turn) in &sample.turns {
            if MAX_TIME < started.elapsed() {
                break;
            }
            let Some(outcome) = engine.observe_turn(session, turn)? else { continue };
            if turn.thread != Thread::Main {
                continue;
            }
            dry_run.messages += 1;
            let Some(decision) = outcome.decision() else { continue };
            match decision.winner().and_then(|entry| entry.reason.rule()) {
                Some(rule) => *counts.entry(rule.to_owned()).or_default() += 1,
                None if decision
                    .chain
                    .iter()
                    .any(|entry| entry.slot == contracts::Slot::ConfiguredRules && entry.failure.is_some()) =>
                {
                    dry_run.rejected += 1;
                }
                None => {}
            }
        }
        let policy = Arc::clone(&engine.policy().policy);
        dry_run.rules =
            policy.rules().map(|rule| (rule.name.to_owned(), counts.remove(rule.name).unwrap_or_default())).collect();
        Ok(dry_run)
    }

    /// Returns the number of messages that any rule would have decided.
    pub(crate) fn decided(&self) -> u64 {
        self.rules.iter().map(|(_, count)| count).sum()
    }
}
