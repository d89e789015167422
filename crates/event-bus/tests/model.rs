//! The log in memory, the log on the disk and a plain vector agree on whatever is done to them.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::collections::BTreeMap;

use event_bus::{EventLog, Expected, LogError, MemoryLog, SledLog};
use event_core::{Checkpoint, NewEvent, Position, Recorded, Timestamp};
use proptest::{collection::vec, prelude::*};
use support::event;

#[derive(Debug, Clone)]
enum Step {
    /// Facts by number: numbers come again, so ids do.
    Append {
        expected: Option<u64>,
        at: u64,
        numbers: Vec<u64>,
    },
    /// Facts restored so far behind the end; 0 continues the log.
    Restore {
        behind: u64,
        numbers: Vec<u64>,
    },
    Sync,
    Read {
        after: u64,
        limit: usize,
    },
    Find(u64),
    Save {
        name: u8,
        bytes: usize,
    },
    Load(u8),
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let numbers = || vec(0..40_u64, 0..6);
    prop_oneof![
        6 => (proptest::option::of(0..30_u64), 0..50_u64, numbers())
            .prop_map(|(expected, at, numbers)| Step::Append { expected, at, numbers }),
        1 => (0..2_u64, vec(40..80_u64, 0..4)).prop_map(|(behind, numbers)| Step::Restore { behind, numbers }),
        3 => Just(Step::Sync),
        2 => (0..40_u64, 0..20_usize).prop_map(|(after, limit)| Step::Read { after, limit }),
        2 => (0..80_u64).prop_map(Step::Find),
        1 => (0..3_u8, 0..9_000_usize).prop_map(|(name, bytes)| Step::Save { name, bytes }),
        1 => (0..3_u8).prop_map(Step::Load),
        1 => Just(Step::Reopen),
    ]
}

/// The log as a vector: the specification.
#[derive(Default)]
struct Model {
    facts: Vec<Recorded>,
    /// How many of them are durable.
    synced: usize,
    saved: BTreeMap<String, Checkpoint>,
}

type Answer = Result<Vec<Position>, String>;

impl Model {
    fn head(&self) -> u64 {
        self.facts.len() as u64
    }

    fn append(&mut self, expected: Option<u64>, at: u64, batch: &[NewEvent]) -> Answer {
        let before = self.facts.len();
        let recorded_at = Timestamp(at).max(self.facts.last().map_or(Timestamp(0), |fact| fact.recorded_at));
        let mut positions = Vec::new();
        for event in batch {
            let known = self.facts.iter().find(|fact| fact.event.id == event.id).map(|fact| fact.position);
            positions.push(known.unwrap_or(Position(self.head() + 1)));
            if known.is_none() {
                self.facts.push(Recorded::new(Position(self.head() + 1), recorded_at, event.clone()));
            }
        }
        let retry = self.facts.len() == before && !batch.is_empty();
        if expected.is_some_and(|expected| expected != before as u64) && !retry {
            self.facts.truncate(before);
            return Err("conflict".to_owned());
        }
        Ok(positions)
    }

    fn restore(&mut self, facts: &[Recorded]) -> Answer {
        let before = self.facts.len();
        for fact in facts {
            let last = self.facts.last().map_or(Timestamp(0), |fact| fact.recorded_at);
            let repeated = self.facts.iter().any(|known| known.event.id == fact.event.id);
            let refused = if fact.position.0 != self.head() + 1 || fact.recorded_at < last {
                "out of order"
            } else if repeated {
                "repeated"
            } else {
                self.facts.push(fact.clone());
                continue;
            };
            self.facts.truncate(before);
            return Err(refused.to_owned());
        }
        Ok(facts.iter().map(|fact| fact.position).collect())
    }
}

fn answer(appended: Result<event_bus::Appended, LogError>) -> Answer {
    appended.map(|appended| appended.positions).map_err(|error| match error {
        LogError::Conflict { .. } => "conflict".to_owned(),
        LogError::OutOfOrder { .. } => "out of order".to_owned(),
        LogError::Repeated { .. } => "repeated".to_owned(),
        other => other.to_string(),
    })
}

fn agree(steps: Vec<Step>) {
    let directory = tempfile::tempdir().unwrap();
    let (mut disk, _) = SledLog::open(directory.path()).unwrap();
    let memory = MemoryLog::new();
    let mut model = Model::default();
    for step in steps {
        match step {
            Step::Append { expected, at, numbers } => {
                let batch: Vec<NewEvent> = numbers.into_iter().map(event).collect();
                let wanted = model.append(expected, at, &batch);
                let expected = expected.map_or(Expected::Any, |expected| Expected::At(Position(expected)));
                for log in [&memory as &dyn EventLog, &disk] {
                    assert_eq!(answer(log.append(expected, Timestamp(at), &batch)), wanted);
                }
            }
            Step::Restore { behind, numbers } => {
                let facts: Vec<Recorded> = (1..)
                    .zip(numbers)
                    .map(|(index, number)| {
                        let position = Position((model.head() + index).saturating_sub(behind));
                        Recorded::new(position, Timestamp(100 + number / 20), event(number))
                    })
                    .collect();
                let wanted = model.restore(&facts);
                for log in [&memory as &dyn EventLog, &disk] {
                    assert_eq!(answer(log.restore(&facts)), wanted);
                }
            }
            Step::Sync | Step::Reopen => {
                memory.sync().unwrap();
                disk.sync().unwrap();
                model.synced = model.facts.len();
                if matches!(step, Step::Reopen) {
                    drop(disk);
                    let (again, repairs) = SledLog::open(directory.path()).unwrap();
                    assert_eq!(repairs, []);
                    disk = again;
                }
            }
            Step::Read { after, limit } => {
                let visible = &model.facts[..model.synced];
                let wanted: Vec<Recorded> =
                    visible.iter().skip(usize::try_from(after).unwrap()).take(limit).cloned().collect();
                for log in [&memory as &dyn EventLog, &disk] {
                    assert_eq!(log.read_after(Position(after), limit).unwrap(), wanted);
                    assert_eq!(log.head().unwrap(), Position(model.synced as u64));
                }
            }
            Step::Find(number) => {
                let visible = &model.facts[..model.synced];
                let wanted = visible.iter().find(|fact| fact.event.id == event(number).id).map(|fact| fact.position);
                for log in [&memory as &dyn EventLog, &disk] {
                    assert_eq!(log.find(event(number).id).unwrap(), wanted);
                }
            }
            Step::Save { name, bytes } => {
                let saved = Checkpoint { version: 1, position: Position(7), state: vec![name; bytes] };
                for log in [&memory as &dyn EventLog, &disk] {
                    log.save_checkpoint(&name.to_string(), &saved).unwrap();
                }
                model.saved.insert(name.to_string(), saved);
            }
            Step::Load(name) => {
                let wanted = model.saved.get(&name.to_string()).cloned();
                for log in [&memory as &dyn EventLog, &disk] {
                    assert_eq!(log.load_checkpoint(&name.to_string()).unwrap(), wanted);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn memory_disk_and_vector_agree(steps in vec(step(), 1..60)) {
        agree(steps);
    }
}
