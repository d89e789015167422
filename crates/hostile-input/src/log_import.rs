//! Exported logs of any bytes.

use engine::{Chains, export, import};
use event_bus::{EventLog as _, MemoryLog, MemoryTexts};
use event_core::Position;

/// Imports the input, exports the result and imports it again: the events are equal and the hash chain is valid.
pub fn log_import(data: &[u8]) {
    for chains in [Chains::Required, Chains::Optional] {
        let (log, texts) = (MemoryLog::new(), MemoryTexts::new());
        // An invalid line ends the import; the lines before it are in the log.
        drop(import(&log, &texts, chains, &mut &data[..], |_| {}));
        let mut lines = Vec::new();
        export(&log, &texts, Position::ORIGIN, &mut lines, |_| {}).expect("a log can be exported");
        let (copy, copied) = (MemoryLog::new(), MemoryTexts::new());
        let done = import(&copy, &copied, Chains::Required, &mut lines.as_slice(), |_| {});
        let done = done.expect("an export can be imported");
        let events = log.read_after(Position::ORIGIN, usize::MAX).expect("the log reads");
        assert_eq!(done.events, events.len() as u64);
        assert_eq!(copy.read_after(Position::ORIGIN, usize::MAX).expect("the copy reads"), events);
    }
}
