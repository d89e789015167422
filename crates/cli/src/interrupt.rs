//! Ctrl-C: the first asks for an end at the next clean place, the second ends the program at once.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use signal_hook::{consts::SIGINT, flag};

/// Exit code of a program that Ctrl-C has ended, as shells have it.
const ENDED: i32 = 130;

/// Whether Ctrl-C was pressed since this was made.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on. Where that cannot be done, Ctrl-C ends the program as it always does.
    pub(crate) fn listen() -> Self {
        let interrupt = Self::default();
        // In this order: the second Ctrl-C finds the flag set.
        let listening = flag::register_conditional_shutdown(SIGINT, ENDED, Arc::clone(&interrupt.0))
            .and_then(|_| flag::register(SIGINT, Arc::clone(&interrupt.0)));
        if let Err(error) = listening {
            tracing::warn!(%error, "cannot listen for Ctrl-C; it ends the program at once");
        }
        interrupt
    }

    pub(crate) fn pressed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
