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

use crate::{commands::turn_row, screen::print_error_line};

/// The interval between two reads of the log.
const READ_INTERVAL: Duration = Duration::from_millis(250);

/// The most turns that are remembered as printed.
const MAX_PRINTED: usize = 10_000;

/// A thread that prints turns until it is dropped.
#[derive(Debug)]
pub(super) struct TurnLines {
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl TurnLines {
    /// Starts to print the turns that end from now on.
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
                                print_error_line(&turn_row::line(row));
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
