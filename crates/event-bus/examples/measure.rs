//! Measures a log: `measure DIR append PRODUCERS SECONDS`, `measure DIR fill EVENTS`, `measure DIR open`.
#![expect(clippy::print_stdout, reason = "the figures are the output")]
#![expect(clippy::cast_precision_loss, reason = "rates need no more digits than an `f64` has")]

use std::{
    error::Error,
    fs,
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use event_bus::{Bus, EventLog, Expected, JournalReader, MAX_BATCH_EVENTS, SledLog, SystemClock, fold};
use event_core::{CodecError, EventId, NewEvent, Position, Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

type Outcome = Result<(), Box<dyn Error>>;

/// A projection that looks at every fact.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Bytes {
    facts: u64,
    bytes: u64,
}

impl Projection for Bytes {
    const NAME: &'static str = "measure.bytes";
    const VERSION: u32 = 1;

    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        self.facts += 1;
        self.bytes += event.event.payload.len() as u64;
        Ok(())
    }
}

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [directory, "append", producers, seconds] => {
            append(directory.as_ref(), producers.parse()?, seconds.parse()?, true)?;
            append(directory.as_ref(), producers.parse()?, seconds.parse()?, false)
        }
        [directory, "fill", events] => fill(directory.as_ref(), events.parse()?),
        [directory, "open"] => open(directory.as_ref()),
        _ => Err("usage: measure DIR append PRODUCERS SECONDS | fill EVENTS | open".into()),
    }
}

/// A fact of about 300 bytes with its envelope.
fn event(producer: u64, number: u64) -> NewEvent {
    NewEvent {
        id: EventId::derive(&[&producer.to_le_bytes(), &number.to_le_bytes()]),
        at: Timestamp(number),
        correlation: EventId::derive(&[&producer.to_le_bytes()]),
        causation: Some(EventId::derive(&[&number.to_le_bytes()])),
        kind: "llm.call_completed".into(),
        version: 1,
        payload: (0..224_u64).map(|index| (index.wrapping_mul(number) >> 3).to_le_bytes()[0]).collect(),
    }
}

/// Producers that each wait for one fact before they append the next: tasks on one thread, or a thread each.
fn append(directory: &Path, producers: u64, seconds: u64, tasks: bool) -> Outcome {
    let (log, _) = SledLog::open(directory)?;
    let first = log.head()?.0;
    let bus = Bus::start(Arc::new(log), SystemClock)?;
    let (begun, cpu) = (Instant::now(), processor_micros());
    let until = begun + Duration::from_secs(seconds);
    let loops = (0..producers).map(|producer| produce(bus.clone(), producer, first, until));
    let mut waits: Vec<Duration> = if tasks {
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        runtime.block_on(async {
            let mut waits = Vec::new();
            for task in loops.map(tokio::spawn).collect::<Vec<_>>() {
                waits.extend(task.await.unwrap_or_default());
            }
            waits
        })
    } else {
        let threads: Vec<_> = (0..producers)
            .map(|producer| {
                let bus = bus.clone();
                thread::spawn(move || {
                    let mut waits = Vec::new();
                    for number in first.. {
                        let asked = Instant::now();
                        let batch = vec![event(producer, number)];
                        if until < asked || bus.append_blocking(Expected::Any, batch).is_err() {
                            break;
                        }
                        waits.push(asked.elapsed());
                    }
                    waits
                })
            })
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect()
    };
    let (elapsed, cpu) = (begun.elapsed(), processor_micros() - cpu);
    waits.sort();
    let events = waits.len().max(1);
    println!(
        "{producers} {}: {:.0} events/s, p50 {:?}, p99 {:?}, {:.1} µs of processor per event",
        if tasks { "tasks" } else { "threads" },
        events as f64 / elapsed.as_secs_f64(),
        waits.get(events / 2).copied().unwrap_or_default(),
        waits.get(events * 99 / 100).copied().unwrap_or_default(),
        cpu as f64 / events as f64,
    );
    Ok(bus.close_blocking()?)
}

async fn produce(bus: Bus, producer: u64, first: u64, until: Instant) -> Vec<Duration> {
    let mut waits = Vec::new();
    for number in first.. {
        let asked = Instant::now();
        if until < asked || bus.append(Expected::Any, vec![event(producer, number)]).await.is_err() {
            break;
        }
        waits.push(asked.elapsed());
    }
    waits
}

/// One producer with full batches.
fn fill(directory: &Path, events: u64) -> Outcome {
    let (log, _) = SledLog::open(directory)?;
    let first = log.head()?.0;
    let (begun, cpu) = (Instant::now(), processor_micros());
    let numbers: Vec<u64> = (first..first + events).collect();
    for batch in numbers.chunks(MAX_BATCH_EVENTS) {
        let batch: Vec<NewEvent> = batch.iter().map(|number| event(0, *number)).collect();
        log.append(Expected::Any, Timestamp(first), &batch)?;
        log.sync()?;
    }
    let (elapsed, cpu) = (begun.elapsed(), processor_micros() - cpu);
    println!(
        "fill: {:.0} events/s, {:.1} µs of processor per event, {} MB at most",
        events as f64 / elapsed.as_secs_f64(),
        cpu as f64 / events as f64,
        peak_kilobytes() / 1_000,
    );
    let head = log.head()?.0;
    drop(log);
    println!(
        "journal: {:.0} B per event, index: {:.0} B per event",
        size(&directory.join("journal"))? as f64 / head as f64,
        size(&directory.join("index"))? as f64 / head as f64,
    );
    Ok(())
}

/// Opens the log, folds it, and opens it again for reading only.
fn open(directory: &Path) -> Outcome {
    let (begun, cpu) = (Instant::now(), processor_micros());
    let (log, repairs) = SledLog::open(directory)?;
    println!(
        "open: {:?}, {} ms of processor, {} MB at most",
        begun.elapsed(),
        (processor_micros() - cpu) / 1_000,
        peak_kilobytes() / 1_000
    );
    for repair in repairs {
        println!("  {repair}");
    }
    let begun = Instant::now();
    let state = fold::<Bytes>(&log)?;
    let rate = state.position().0 as f64 / begun.elapsed().as_secs_f64();
    println!("fold: {:?}, {rate:.0} events/s, {} MB at most", begun.elapsed(), peak_kilobytes() / 1_000);
    let begun = Instant::now();
    let mut found = 0;
    for number in 0..10_000 {
        found += u64::from(log.find(event(0, number * 7).id)?.is_some());
    }
    println!(
        "find: {:?} each, {found} of 10000 found, {} MB at most",
        begun.elapsed() / 10_000,
        peak_kilobytes() / 1_000
    );
    drop(log);
    let begun = Instant::now();
    let reader = JournalReader::open(directory)?;
    println!("open for reading: {:?}, {} facts", begun.elapsed(), reader.head()?);
    println!("read the last 50: {:?}", {
        let begun = Instant::now();
        reader.read_after(Position(reader.head()?.0.saturating_sub(50)), 50)?;
        begun.elapsed()
    });
    Ok(())
}

fn processor_micros() -> u64 {
    // The 14th and 15th fields, after a name in brackets: hundredths of a second.
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or_default();
    after.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum::<u64>() * 10_000
}

fn peak_kilobytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|figure| figure.parse().ok()).unwrap_or_default()
}

fn size(path: &Path) -> Result<u64, Box<dyn Error>> {
    let data = fs::metadata(path)?;
    if !data.is_dir() {
        return Ok(data.len());
    }
    fs::read_dir(path)?.map(|entry| size(&entry?.path())).sum()
}
