//! Reads session files and sends their turns to the writer in requests of bounded size.

use control::{ImportTurns, ImportedPart, LogTotals, Writer};
use indicatif::ProgressDrawTarget;
use transcripts::{
    observed::{ObservedSession, ObservedTurn},
    session_file::{Format, SessionFile, TurnsByStart},
};

use super::report::Imported;
use crate::{failure::Failure, interrupt::Interrupt, screen::byte_bar};

/// Imports the turns of all session files in the order of their start, so that each turn is decided with the spending
/// up to then. Ctrl-C ends the import between two turns; the next import continues there.
pub(super) fn import_files<F: Format>(
    writer: &mut Writer,
    files: &[SessionFile],
    shows_progress: bool,
    interrupt: &Interrupt,
) -> Result<Imported, Failure> {
    let bar = byte_bar(files.iter().map(|file| file.bytes).sum(), "importing");
    if !shows_progress {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let mut transfer = Transfer::new(writer);
    let mut turns = TurnsByStart::<F>::new(files.to_vec());
    while !interrupt.was_pressed()
        && let Some(next) = turns.next()
    {
        let (session, turn) = next.map_err(|error| Failure::Failed(format!("{error}: {}", error.source)))?;
        transfer.add(&session, turn)?;
        bar.set_position(turns.bytes_read());
    }
    transfer.send()?;
    bar.finish_and_clear();
    let mut imported = transfer.imported;
    imported.files = turns.files_read();
    imported.bytes = turns.bytes_read();
    imported.issues = turns.issues().iter().map(ToString::to_string).collect();
    let totals = writer.execute(LogTotals {})?;
    imported.sessions = totals.sessions;
    (imported.total_cost_nano_usd, imported.unpriced_calls) = (totals.cost, totals.unpriced_calls);
    Ok(imported)
}

/// Collects imported turns until they fill a request to the writer of the log, and sums up the results of the requests.
struct Transfer<'a> {
    /// Executes the requests: in a running gateway, or on the log itself.
    writer: &'a mut Writer,
    /// The collected turns, which the next request imports.
    parts: Vec<ImportedPart>,
    /// Turns in `parts`.
    turns: usize,
    /// Steps in `parts`.
    steps: usize,
    /// Bytes of messages in `parts`.
    message_bytes: usize,
    /// The results of all requests so far.
    imported: Imported,
}

impl<'a> Transfer<'a> {
    /// Creates a transfer that has collected no turns.
    fn new(writer: &'a mut Writer) -> Self {
        Self { writer, parts: Vec::new(), turns: 0, steps: 0, message_bytes: 0, imported: Imported::default() }
    }

    /// Adds a turn of a session, and sends the collected turns if they fill a request.
    fn add(&mut self, session: &ObservedSession, turn: ObservedTurn) -> Result<(), Failure> {
        self.steps += turn.steps.len();
        self.turns += 1;
        self.message_bytes += turn.message.len();
        match self.parts.last_mut().filter(|part| part.session == *session) {
            Some(part) => part.turns.push(turn),
            None => self.parts.push(ImportedPart { session: session.clone(), turns: vec![turn] }),
        }
        let is_full = ImportTurns::MAX_TURNS <= self.turns
            || ImportTurns::MAX_STEPS <= self.steps
            || ImportTurns::MAX_MESSAGE_BYTES <= self.message_bytes;
        if is_full {
            self.send()?;
        }
        Ok(())
    }

    /// Sends the collected turns as one import request and adds its result to the totals; does nothing if there are
    /// none.
    fn send(&mut self) -> Result<(), Failure> {
        if self.parts.is_empty() {
            return Ok(());
        }
        let parts = std::mem::take(&mut self.parts);
        (self.turns, self.steps, self.message_bytes) = (0, 0, 0);
        self.imported.add(self.writer.execute(ImportTurns::new(parts))?);
        Ok(())
    }
}
