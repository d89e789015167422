//! Any bytes as an exported log.

use engine::{Chains, export, import};
use event_bus::{EventLog as _, MemoryLog, MemoryTexts};
use event_core::Position;

/// What is taken in goes out and in again without a difference, and its chain holds.
pub fn log_import(data: &[u8]) {
    for chains in [Chains::Required, Chains::Optional] {
        let (log, texts) = (MemoryLog::new(), MemoryTexts::new());
        // A wrong line ends the import; what stood before it is in the log.
        drop(import(&log, &texts, chains, &mut &data[..], |_| {}));
        let mut lines = Vec::new();
        export(&log, &texts, Position::ORIGIN, &mut lines, |_| {}).expect("what is in the log goes out");
        let (copy, copied) = (MemoryLog::new(), MemoryTexts::new());
        let done = import(&copy, &copied, Chains::Required, &mut lines.as_slice(), |_| {});
        let done = done.expect("what went out comes in");
        let events = log.read_after(Position::ORIGIN, usize::MAX).expect("the log reads");
        assert_eq!(done.events, events.len() as u64);
        assert_eq!(copy.read_after(Position::ORIGIN, usize::MAX).expect("the copy reads"), events);
    }
}
