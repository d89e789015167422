//! Matches a message with the regular expressions of the policy outside of the bus thread, if that may take long: a
//! hostile message then delays only its own client.

use std::{sync::Arc, thread::available_parallelism};

use event_bus::BusError;
use tokio::sync::Semaphore;

use crate::gateway::Gateway;

/// The length from which the time is estimated, in bytes. The regular expressions of a policy take at most 70 µs for each.
const MIN_BYTES: usize = 64;
/// The time that the bus thread may spend on matching a message, in microseconds.
const MAX_MICROS_ON_BUS: u64 = 5_000;

/// The maximum number of threads that match messages at the same time: one for each processor.
#[derive(Debug)]
pub(crate) struct Matchers(Arc<Semaphore>);

impl Default for Matchers {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(available_parallelism().map_or(1, usize::from))))
    }
}

/// Prepares the policy for a decision about a message. Returns at once if matching takes little time.
///
/// # Errors
/// [`BusError`] if the bus refuses requests.
pub(crate) async fn prepare_message(gateway: &Gateway, message: &str) -> Result<(), BusError> {
    if message.len() < MIN_BYTES {
        return Ok(());
    }
    let policy = gateway.bus().query(|engine| Arc::clone(&engine.policy().policy)).await?;
    if policy.micros_to_match(message.len()) <= MAX_MICROS_ON_BUS {
        return Ok(());
    }
    let text = message.to_owned();
    let text = gateway.bus().query(move |engine| engine.text_to_match(&text).to_owned()).await?;
    let Ok(permit) = Arc::clone(&gateway.matchers().0).acquire_owned().await else { return Ok(()) };
    let matching = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        policy.prepare_message(&text);
    });
    matching.await.map_err(|_| BusError::FollowerLost)
}
