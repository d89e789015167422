//! Prints a line on the standard error for every turn that ends while the gateway runs.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{JoinHandle, sleep, spawn},
    time::Duration,
};

use event_bus::{EventLog, TextStore};
use gateway::Board;

use crate::{
    commands::turn_row,
    screen::{escape_line, print_error_line},
};

/// The interval between two reads of the log.
const READ_INTERVAL: Duration = Duration::from_millis(250);

/// The maximum number of printed turns that are remembered, so that each is printed once.
const MAX_PRINTED: usize = 10_000;

/// A thread that prints one line for each turn that ends, until this value is dropped.
#[derive(Debug)]
pub(super) struct TurnLines {
    /// Set to true to stop the thread.
    stopped: Arc<AtomicBool>,
    /// The thread; `None` after it was joined.
    thread: Option<JoinHandle<()>>,
}

impl TurnLines {
    /// Starts a thread that prints a line for each turn that ends from now on.
    pub(super) fn start(log: Arc<dyn EventLog>, texts: Arc<dyn TextStore>) -> Self {
        let stopped = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&stopped);
        let mut board = Board::new(log, texts);
        let thread = spawn(move || {
            let mut printed = BTreeSet::new();
            // The first changes are the turns before the start.
            let mut is_first = true;
            while !stop.load(Ordering::Relaxed) {
                match board.changes() {
                    Ok(rows) if is_first => drop(rows),
                    Ok(rows) => {
                        for row in rows.iter().filter(|row| row["status"] != "running") {
                            if printed.insert(row["turn"].to_string()) {
                                print_error_line(&escape_line(&turn_row::line(row)));
                            }
                        }
                    }
                    Err(error) => tracing::debug!(%error, "turns cannot be printed"),
                }
                is_first = false;
                if MAX_PRINTED < printed.len() {
                    printed.clear();
                }
                sleep(READ_INTERVAL);
            }
        });
        Self { stopped, thread: Some(thread) }
    }
}

impl Drop for TurnLines {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::debug!("the thread that prints turns has panicked");
        }
    }
}
