//! Duration of reading session files: the bundled session repeated, about 1 MB.

use std::{hint::black_box, path::Path};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use processor_time::ProcessorTime;
use transcripts::{DEMO_SESSION, claude_code::SessionReader};

/// Returns the bundled session repeated, with distinct ids of lines and responses in each copy.
fn sessions(copies: usize) -> String {
    let copy = |number: usize| {
        let uuid = format!("\"uuid\":\"{number}-");
        DEMO_SESSION.replace("\"uuid\":\"", &uuid).replace("\"id\":\"msg_", &format!("\"id\":\"msg_{number}_"))
    };
    (0..copies).map(copy).collect()
}

/// Measures reading about 1 MB of a session file of Claude Code.
fn read(criterion: &mut Criterion<ProcessorTime>) {
    let file = sessions(18);
    let mut group = criterion.benchmark_group("read");
    group.sample_size(20).throughput(Throughput::Bytes(file.len() as u64));
    group.bench_function(format!("claude-code, {} KB", file.len() / 1_000), |bencher| {
        bencher.iter(|| {
            let mut reader = SessionReader::new(Path::new("session.jsonl"), file.as_bytes());
            let calls: usize = reader.by_ref().map(|turn| turn.calls().count()).sum();
            assert!(reader.issues().is_empty() && 18 < calls);
            black_box(calls)
        });
    });
    group.finish();
}

criterion_group!(name = benches; config = ProcessorTime::criterion(); targets = read);
criterion_main!(benches);
