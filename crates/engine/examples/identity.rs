//! How far the simulated prompt cache is from what was recorded: `identity HOME`, or the folder of a log.
//!
//! Prints one line for all sessions, as `cargo xtask corpus` shows it, then the thirds by length, the first read of
//! each line of work given; with `--sessions`, a line for every session as well.
#![expect(clippy::print_stdout, reason = "printing is what an example does")]

use std::{error::Error, path::PathBuf};

use costs::prompt_cache::{Calls, Identity, Opening};
use engine::{Home, Models, facts};
use event_bus::JournalReader;
use event_core::Position;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("say which home, or which folder of a log")?);
    let each = arguments.next().is_some_and(|argument| argument == "--sessions");
    let home = Home::new(&folder, None);
    let models = Models::load(&home.models())?;
    let log = JournalReader::open(if home.log().exists() { home.log() } else { folder })?;

    let (mut calls, mut given, mut predicted) =
        (Calls::default(), Identity::new(Opening::Given), Identity::new(Opening::Predicted));
    for fact in facts(&log, Position::ORIGIN) {
        if let Some(call) = calls.advance(&fact?)? {
            let prices = models.registry.get(&call.model).and_then(|model| model.prices);
            given.add(&call, prices.as_ref());
            predicted.add(&call, prices.as_ref());
        }
    }

    let figures = |identity: &Identity| Some(format!("total {:+}, median {}", identity.total()?, identity.median()?));
    let nothing = || "no call with a price".to_owned();
    println!(
        "identity: {} (first read of each thread given); predicted as well: {}",
        figures(&given).unwrap_or_else(nothing),
        figures(&predicted).unwrap_or_else(nothing),
    );
    for third in given.thirds() {
        println!(
            "  {:4}-{:<4} calls: {} sessions, total {:+}, median {}, mean {:+}",
            third.shortest, third.longest, third.sessions, third.total, third.median, third.mean
        );
    }
    if 0 < given.unpriced_calls() {
        println!("  without {} calls whose price is not known", given.unpriced_calls());
    }
    if each {
        for ((session, given), (_, predicted)) in given.sessions().zip(predicted.sessions()) {
            let shown = |error: Option<_>| error.map_or_else(|| "-".to_owned(), |error| format!("{error:+}"));
            println!(
                "  {session} {:4} calls {:>10.4} {:>10} {:>10}",
                given.calls,
                given.recorded,
                shown(predicted.error()),
                shown(given.error())
            );
        }
    }
    Ok(())
}
