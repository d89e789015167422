//! Fuzz target for the import and export of logs.

use engine::{ChainCheck, export, import};
use event_bus::{EventLog as _, MemoryLog, MemoryTexts};
use event_core::Position;

/// Imports the input as an exported log, exports the result, and imports the export. Runs once with required and once
/// with optional hash chains.
///
/// Panics if the second import fails or its events differ from those of the first. An invalid line of the input ends
/// the first import and is not a violation.
pub fn check_log_import(data: &[u8]) {
    for chains in [ChainCheck::Required, ChainCheck::Optional] {
        let (log, texts) = (MemoryLog::new(), MemoryTexts::new());
        // An invalid line ends the import; the lines before it are in the log.
        drop(import(&log, &texts, chains, &mut &data[..], |_| {}));
        let mut lines = Vec::new();
        export(&log, &texts, Position::ORIGIN, &mut lines, |_| {}).expect("a log can be exported");
        let (copy, texts_of_copy) = (MemoryLog::new(), MemoryTexts::new());
        let report = import(&copy, &texts_of_copy, ChainCheck::Required, &mut lines.as_slice(), |_| {});
        let report = report.expect("an export can be imported");
        let events = log.read_after(Position::ORIGIN, usize::MAX).expect("the log reads");
        assert_eq!(report.events, events.len() as u64);
        assert_eq!(copy.read_after(Position::ORIGIN, usize::MAX).expect("the copy reads"), events);
    }
}
