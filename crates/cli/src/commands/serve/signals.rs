//! [`Signals`], the signals that stop the gateway.

use std::future::pending;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The handlers of the signals that stop the gateway: SIGINT (Ctrl-C) and SIGTERM.
pub(super) struct Signals {
    /// The handler of SIGINT; `None` if it could not be installed.
    interrupt: Option<Signal>,
    /// The handler of SIGTERM; `None` if it could not be installed.
    terminate: Option<Signal>,
}

impl Signals {
    /// Installs the handlers. If that fails for a signal, the signal ends the process at once; the log survives that.
    pub(super) fn listen() -> Self {
        Self { interrupt: listen(SignalKind::interrupt()), terminate: listen(SignalKind::terminate()) }
    }

    /// Resolves when one of the signals is received.
    pub(super) async fn received(self) {
        tokio::select! {
            () = next(self.interrupt) => {}
            () = next(self.terminate) => {}
        }
    }
}

/// Installs the handler of a signal; logs an error and returns `None` if that fails.
fn listen(kind: SignalKind) -> Option<Signal> {
    signal(kind).inspect_err(|error| tracing::warn!(%error, "cannot listen for a signal")).ok()
}

/// Resolves when the signal is received; never if it has no handler.
async fn next(signal: Option<Signal>) {
    match signal {
        Some(mut signal) => drop(signal.recv().await),
        None => pending().await,
    }
}
