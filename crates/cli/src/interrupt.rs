//! Handles Ctrl-C: the first one requests an orderly end, the second one ends the process at once.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use signal_hook::{consts::SIGINT, flag};

/// The exit code of a process ended by Ctrl-C: 128 plus the number of SIGINT, as in shells.
const INTERRUPTED_EXIT_CODE: i32 = 130;

/// A flag that is set when the user presses Ctrl-C. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Installs a handler that sets the flag at the first Ctrl-C; a second one ends the process. If that fails, the
    /// first Ctrl-C ends the process.
    pub(crate) fn listen() -> Self {
        let interrupt = Self::default();
        // The order matters: only the second Ctrl-C finds the flag set.
        let listening = flag::register_conditional_shutdown(SIGINT, INTERRUPTED_EXIT_CODE, Arc::clone(&interrupt.0))
            .and_then(|_| flag::register(SIGINT, Arc::clone(&interrupt.0)));
        if let Err(error) = listening {
            tracing::warn!(%error, "cannot listen for Ctrl-C; it ends the program at once");
        }
        interrupt
    }

    /// Returns whether Ctrl-C was pressed since [`Interrupt::listen`].
    pub(crate) fn was_pressed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
