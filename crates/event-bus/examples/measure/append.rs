//! Measures producers that wait until their events are durable, alternating with writes of the same bytes to a plain
//! file.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use event_bus::{Appender, Bus, Expected, MAX_BATCH_EVENTS, SledLog, SystemClock};

use crate::{
    Outcome,
    event::{BYTES, new_event},
    plain,
    process::processor_micros,
    row,
};

/// Number of tasks that append concurrently, and number of events in each of their batches.
const SHAPES: [(u64, u64); 6] = [(1, 1), (1, 64), (1, 256), (64, 1), (64, 64), (64, 256)];

/// Number of rounds. Each figure is the median of the rounds; the ratio is the median of the ratios within each round.
const ROUNDS: usize = 7;
/// Time for which a round appends to the log, and then writes to the plain file.
const ROUND: Duration = Duration::from_millis(400);

/// Result of one round.
#[derive(Debug, Clone, Copy)]
struct Round {
    /// Events per second appended to the log.
    rate: f64,
    /// Events per second written to the plain file.
    plain: f64,
    /// Processor time per event, in microseconds.
    micros: f64,
    /// Median time until a batch was durable.
    wait: Duration,
}

/// Measures all shapes on logs in `directory`, and prints a row for each.
pub(crate) fn measure(directory: &Path) -> Outcome {
    let mut rounds = vec![Vec::new(); SHAPES.len()];
    for number in 0..ROUNDS {
        for (shape, rounds) in SHAPES.into_iter().zip(&mut rounds) {
            let name = format!("{number}-{}-{}", shape.0, shape.1);
            rounds.push(round(&directory.join(name), shape)?);
        }
    }
    for ((producers, batch), rounds) in SHAPES.into_iter().zip(&rounds) {
        let median = |figure: &dyn Fn(&Round) -> f64| {
            let mut figures: Vec<f64> = rounds.iter().map(figure).collect();
            figures.sort_by(f64::total_cmp);
            figures[figures.len() / 2]
        };
        let (rate, ratio) = (median(&|round| round.rate), median(&|round| round.rate / round.plain));
        let (micros, wait) = (median(&|round| round.micros), median(&|round| round.wait.as_secs_f64() * 1e3));
        let producers_label = if producers == 1 { "one producer".to_owned() } else { format!("{producers} producers") };
        let batch_label = if batch == 1 { "one event at a time".to_owned() } else { format!("batches of {batch}") };
        let group = group(producers, batch);
        let figure = format!(
            "{rate:.0} events/s, p50 {wait:.2} ms, {micros:.1} µs of processor each; {ratio:.2} × a plain file in groups of {group}"
        );
        let targets: &[(&str, bool)] = match (producers, batch) {
            (64, 1) => &[
                ("20,000 events/s", 20_000.0 <= rate),
                ("12 µs of processor", micros <= 12.0),
                ("0.5 × a plain file", 0.5 <= ratio),
            ],
            (1, 64) => &[("12 µs of processor", micros <= 12.0)],
            _ => &[],
        };
        row(&format!("append: {producers_label}, {batch_label}"), &figure, targets);
    }
    Ok(())
}

/// Returns the maximum number of events that one barrier covers for `producers` waiting producers with batches of
/// `batch` events.
fn group(producers: u64, batch: u64) -> usize {
    usize::try_from(producers * batch).unwrap_or(MAX_BATCH_EVENTS).min(MAX_BATCH_EVENTS)
}

/// Runs one round in `directory`, which is removed afterwards. Fails if the journal has another size per event than the
/// plain file.
fn round(directory: &Path, (producers, batch): (u64, u64)) -> Result<Round, Box<dyn std::error::Error>> {
    let (log, _) = SledLog::open(directory)?;
    let bus = Bus::start(Appender::new(Arc::new(log), SystemClock))?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let (begun, processor) = (Instant::now(), processor_micros());
    let until = begun + ROUND;
    let mut waits = runtime.block_on(async {
        let tasks: Vec<_> =
            (0..producers).map(|producer| tokio::spawn(produce(bus.clone(), producer, batch, until))).collect();
        let mut waits = Vec::new();
        for task in tasks {
            waits.extend(task.await.unwrap_or_default());
        }
        waits
    });
    let (elapsed, processor) = (begun.elapsed(), processor_micros() - processor);
    let events = (waits.len() as u64 * batch).max(1) as f64;
    bus.close_blocking()?;
    drop(bus);
    let journal = std::fs::metadata(directory.join("journal"))?.len() as f64;
    if (journal / events - BYTES as f64).abs() > 8.0 {
        return Err(format!(
            "an event takes {:.0} bytes of journal, the plain file is given {BYTES}",
            journal / events
        )
        .into());
    }
    waits.sort();
    let plain = plain::rate(&directory.join("plain"), group(producers, batch), ROUND)?;
    std::fs::remove_dir_all(directory)?;
    Ok(Round {
        rate: events / elapsed.as_secs_f64(),
        plain,
        micros: processor as f64 / events,
        wait: waits.get(waits.len() / 2).copied().unwrap_or_default(),
    })
}

/// Appends batches one after the other until `until`. Returns the time until each was durable.
async fn produce(bus: Bus, producer: u64, batch: u64, until: Instant) -> Vec<Duration> {
    let mut waits = Vec::new();
    for number in (0..).step_by(usize::try_from(batch).unwrap_or(1)) {
        let events = (number..number + batch).map(|number| new_event(producer, number)).collect();
        let sent_at = Instant::now();
        if until < sent_at || bus.append(Expected::Any, events).await.is_err() {
            break;
        }
        waits.push(sent_at.elapsed());
    }
    waits
}
