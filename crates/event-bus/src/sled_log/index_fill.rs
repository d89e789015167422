//! Adds the events of the journal to the index.

use event_core::Position;

use crate::{
    LogError,
    index::{Index, IndexFailure},
    journal::{Cursor, ReadableJournal, Step},
};

/// Minimum number of bytes added to the index at once while it is built, except for the last ones.
const BATCH_BYTES: usize = 128 * 1024;

/// Number of batches between two barriers while it is built. The barriers limit sled's memory, which contains unflushed
/// data. They are not needed for safety, since the index is compared with the journal at each opening.
const BATCHES_PER_BARRIER: u64 = 64;

/// Adds all events of the journal after position `index_end` to the index, durably. Returns their number. The outer error
/// is a failure of the journal, the inner one a failure of the index.
pub(super) fn add_events_after(
    index: &Index,
    journal: &ReadableJournal,
    index_end: Position,
) -> Result<Result<u64, IndexFailure>, LogError> {
    let (offset, _) = journal.offsets.nearest_before(index_end.next());
    let mut cursor = Cursor::new(&*journal.file, offset, journal.end.offset);
    let (mut added_events, mut batches) = (0, 0_u64);
    let mut bytes = Vec::with_capacity(BATCH_BYTES);
    loop {
        let has_more = match cursor.next().map_err(LogError::io("read", &journal.path))? {
            Step::Frame(frame) => {
                if index_end < frame.position() {
                    bytes.extend_from_slice(frame.bytes());
                    added_events += 1;
                }
                true
            }
            // The journal was scanned before and was complete. If it ends early, the next opening reports it.
            Step::Invalid(_) | Step::End => false,
        };
        if BATCH_BYTES <= bytes.len() || !has_more {
            if let Err(failure) = index.add_frames(&bytes) {
                return Ok(Err(failure));
            }
            bytes.clear();
            batches += 1;
            if (batches % BATCHES_PER_BARRIER == 0 || !has_more)
                && let Err(failure) = index.barrier()
            {
                return Ok(Err(failure));
            }
        }
        if !has_more {
            return Ok(Ok(added_events));
        }
    }
}
