//! The signals that stop the gateway.

use std::future::pending;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The handlers of the signals that stop the gateway: SIGINT (Ctrl-C) and SIGTERM.
pub(super) struct Signals {
    interrupt: Option<Signal>,
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

fn listen(kind: SignalKind) -> Option<Signal> {
    signal(kind).inspect_err(|error| tracing::warn!(%error, "cannot listen for a signal")).ok()
}

async fn next(signal: Option<Signal>) {
    match signal {
        Some(mut signal) => drop(signal.recv().await),
        None => pending().await,
    }
}
