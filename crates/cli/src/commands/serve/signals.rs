//! [`Signals`], the signals that stop the gateway, and the time that it has to stop.

use std::{future::pending, time::Duration};

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The exit code of a gateway that did not stop in time and was ended.
const ENDED_EXIT_CODE: i32 = 3;

/// The handlers of the signals that stop the gateway: SIGINT (Ctrl-C) and SIGTERM. SIGHUP, sent when the terminal of the
/// gateway is closed, has no effect, because clients in other terminals use the gateway.
pub(super) struct Signals {
    /// The handler of SIGINT; `None` if it could not be installed.
    interrupt: Option<Signal>,
    /// The handler of SIGTERM; `None` if it could not be installed.
    terminate: Option<Signal>,
}

impl Signals {
    /// Installs the handlers of SIGINT and SIGTERM. If the handler of a signal cannot be installed, the signal ends the
    /// process at once; the log stays valid.
    pub(super) fn listen() -> Self {
        if let Some(mut hangup) = listen(SignalKind::hangup()) {
            tokio::spawn(async move {
                while hangup.recv().await.is_some() {
                    tracing::info!("the terminal of the gateway was closed; it continues");
                }
            });
        }
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

/// Starts a thread that ends the process after `limit`, unless it has ended before. The log is then as after a kill:
/// complete up to the last acknowledged event, and the next start records the running calls as failed.
#[expect(clippy::exit, reason = "a thread that does not end must not keep the gateway from stopping")]
pub(super) fn end_process_after(limit: Duration) {
    std::thread::spawn(move || {
        std::thread::sleep(limit);
        tracing::error!(seconds = limit.as_secs_f64(), "the gateway did not stop in time and is ended");
        std::process::exit(ENDED_EXIT_CODE);
    });
}

/// Installs the handler of a signal; logs an error and returns `None` if that fails.
fn listen(kind: SignalKind) -> Option<Signal> {
    signal(kind).inspect_err(|error| tracing::warn!(%error, "cannot listen for a signal")).ok()
}

/// Resolves when the signal is received; never if its handler could not be installed.
async fn next(signal: Option<Signal>) {
    match signal {
        Some(mut signal) => drop(signal.recv().await),
        None => pending().await,
    }
}
