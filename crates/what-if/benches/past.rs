//! Measures replay and backtest on the bundled session, imported many times.
#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

use std::{fs, hint::black_box, path::Path, sync::Arc};

use contracts::Registry;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine::{Engine, Home, Models, Stores};
use event_bus::{EventLog, ManualClock, MemoryLog, MemoryTexts, TextStore};
use event_core::Timestamp;
use processor_time::ProcessorTime;
use router_core::Policy;
use transcripts::{DEMO_SESSION, claude_code::SessionReader};
use what_if::{Backtest, Baseline, Candidate, Range, backtest, replay};

/// The number of imported sessions; each has nine turns.
const SESSIONS: usize = 120;

/// A log with its texts, and the models that it was recorded with.
struct Past {
    /// The log.
    log: Arc<dyn EventLog>,
    /// The texts of messages, policy and models.
    texts: Arc<dyn TextStore>,
    /// The built-in models.
    models: Arc<Registry>,
}

/// Imports the bundled session many times into a log in memory, each time with other ids.
fn past() -> Past {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("routing.yaml"), "global_default: sonnet\n").unwrap();
    let log: Arc<dyn EventLog> = Arc::new(MemoryLog::new());
    let texts: Arc<dyn TextStore> = Arc::new(MemoryTexts::new());
    let clock = Box::new(ManualClock::new(Timestamp::from_secs(1_800_000_000)));
    let stores = Stores { log: Arc::clone(&log), texts: Arc::clone(&texts), clock, offset: |_| 0 };
    let models = Models::from_registry(catalogue::load_registry(None).unwrap());
    let registry = Arc::clone(&models.registry);
    let mut engine = Engine::with_models(&Home::new(home.path(), None), models, stores).unwrap();
    engine.refresh_policy().unwrap();
    for number in 0..SESSIONS {
        let text = DEMO_SESSION
            .replace("\"sessionId\":\"", &format!("\"sessionId\":\"{number}-"))
            .replace("\"id\":\"msg_", &format!("\"id\":\"msg_{number}_"))
            .replace("\"id\":\"toolu_", &format!("\"id\":\"toolu_{number}_"));
        let mut reader = SessionReader::new(Path::new("session.jsonl"), text.as_bytes());
        while let Some(turn) = reader.next() {
            let session = reader.session().unwrap().clone();
            engine.observe_session(&session).unwrap();
            engine.observe_turn(&session, &turn).unwrap();
        }
    }
    engine.close().unwrap();
    Past { log, texts, models: registry }
}

/// Measures a backtest of one policy, and a replay, over all turns.
fn what_if(criterion: &mut Criterion<ProcessorTime>) {
    let Past { log, texts, models } = past();
    let events = log.head().unwrap().0;
    let policy = "rules:\n  - {name: typos, when: {message_contains_any: [typo]}, use: haiku}\nglobal_default: opus\n";
    let policy = Policy::load(policy, Arc::clone(&models), None).unwrap();
    let question = Backtest {
        candidates: vec![Candidate { name: "new".to_owned(), policy: Arc::new(policy) }],
        against: Baseline::Recorded,
        range: Range::default(),
        models,
    };
    let turns = SESSIONS * 9;
    let mut group = criterion.benchmark_group("past");
    group.sample_size(10).throughput(Throughput::Elements(turns as u64));
    group.bench_function(format!("backtest {turns} turns of {events} events"), |bencher| {
        bencher.iter(|| {
            let report = backtest(&*log, &*texts, &question, &mut |_| {}, &mut |_| true).unwrap();
            assert!(turns as u64 / 2 < report.turns);
            black_box(report)
        });
    });
    group.bench_function(format!("replay {turns} turns of {events} events"), |bencher| {
        bencher.iter(|| {
            let replayed = replay(&*log, &*texts, &Range::default(), |_| {}).unwrap();
            assert_eq!((replayed.decisions, &replayed.divergence), (turns as u64, &None));
            black_box(replayed)
        });
    });
    group.finish();
}

criterion_group!(name = benches; config = ProcessorTime::criterion(); targets = what_if);
criterion_main!(benches);
