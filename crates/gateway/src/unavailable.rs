//! The messages of status 503: the log accepts no events, or too many requests wait.

use event_bus::BusError;

/// The message of status 503: the bus is closed, or the log accepts no more events.
const UNAVAILABLE: &str =
    "the log accepts no more events, so no turn can be decided; the log output of the gateway has the reason";

/// The seconds after which a client may repeat a request that was refused because the disk is full.
pub(crate) const FULL_DISK_RETRY_SECONDS: u64 = 5;

/// Returns the error message of status 503 for a bus that refuses requests.
pub(crate) fn unavailable_message(error: &BusError) -> String {
    match error {
        BusError::Log(error) if error.is_out_of_room() => full_disk_message(error),
        BusError::Busy => "too many requests wait to be decided; try again in a moment".to_owned(),
        BusError::CommandPanicked(_) => {
            "the request could not be decided, because of a fault in turnwise; the gateway's own output says why"
                .to_owned()
        }
        _ => UNAVAILABLE.to_owned(),
    }
}

/// Returns the error message of status 503 for a disk without room.
pub(crate) fn full_disk_message(error: &dyn std::error::Error) -> String {
    format!("no turn can be recorded: {}", control::with_causes(error))
}
