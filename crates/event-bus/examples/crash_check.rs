//! Checks a log against the output of `crash_writer`: `crash_check DIR < LINES`.
//!
//! Fails if an acknowledged event is missing or has another position, if positions have a gap, if an id occurs twice,
//! or if the log does not verify. Prints counts.
#![expect(clippy::print_stdout, reason = "the counts are the output")]

use std::{collections::BTreeMap, error::Error, io::BufRead as _, time::Instant};

use event_bus::{EventLog, SledLog, verify};
use event_core::{EventId, Position};

/// Opens the log in DIR, compares it with the acknowledgements on standard input, and verifies it.
fn main() -> Result<(), Box<dyn Error>> {
    let Some(directory) = std::env::args().nth(1) else { return Err("usage: crash_check DIR < LINES".into()) };
    let begun = Instant::now();
    let (log, repairs) = SledLog::open(&directory)?;
    let opening_time = begun.elapsed();
    for repair in &repairs {
        println!("repair: {repair}");
    }

    let mut positions: BTreeMap<EventId, Position> = BTreeMap::new();
    let mut read_up_to = Position::ORIGIN;
    loop {
        // `read_after` fails if a position is missing.
        let events = log.read_after(read_up_to, 1_024)?;
        let Some(last) = events.last() else { break };
        read_up_to = last.position;
        for event in events {
            if let Some(first) = positions.insert(event.event.id, event.position) {
                return Err(format!("{} is recorded at {first} and again at {}", event.event.id, event.position).into());
            }
            if log.find(event.event.id)? != Some(event.position) {
                return Err(format!("{} at {} is not found by its id", event.event.id, event.position).into());
            }
        }
    }
    if read_up_to != log.head()? {
        return Err(format!("the log ends at {} and reads up to {read_up_to}", log.head()?).into());
    }

    let mut acknowledged = 0_u64;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        // The last line of a killed process may be incomplete, and lines with `#` are repairs.
        let Some((position, id)) = line.split_once(' ').filter(|(_, id)| id.len() == 32) else { continue };
        let (position, id) = (Position(position.parse()?), id.parse::<EventId>()?);
        acknowledged += 1;
        if positions.get(&id) != Some(&position) {
            let actual = positions.get(&id);
            return Err(format!("{id} was acknowledged at {position}, the log has it at {actual:?}").into());
        }
    }
    drop(log);
    let verification = verify(&directory)?;
    if !verification.is_sound() || verification.indexed != Some(verification.events) {
        return Err(format!("the log does not verify: {verification:?}").into());
    }
    println!(
        "{} events, {acknowledged} acknowledgements, 0 missing, 0 holes, 0 duplicates, {} repairs, opened in {opening_time:?}",
        positions.len(),
        repairs.len(),
    );
    Ok(())
}
