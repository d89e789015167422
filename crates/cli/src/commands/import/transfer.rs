//! Reads session files and sends their turns to the writer in requests of bounded size.

use control::{ImportTurns, ImportedPart, LogTotals, Writer};
use indicatif::ProgressDrawTarget;
use transcripts::{
    observed::{ObservedSession, ObservedTurn},
    session_file::{Format, SessionFile, TurnsByStart},
};

use super::report::Imported;
use crate::{failure::Failure, interrupt::Interrupt, screen::byte_bar};

/// Imports the turns of all files in the order of their start, so that each is decided with what had been spent by then.
/// Ctrl-C ends the import between two turns; the next import continues.
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

/// Collects turns until they fill a request, and sums up the results of the requests.
struct Transfer<'a> {
    writer: &'a mut Writer,
    parts: Vec<ImportedPart>,
    /// Turns in `parts`.
    turns: usize,
    /// Steps in `parts`.
    steps: usize,
    imported: Imported,
}

impl<'a> Transfer<'a> {
    fn new(writer: &'a mut Writer) -> Self {
        Self { writer, parts: Vec::new(), turns: 0, steps: 0, imported: Imported::default() }
    }

    fn add(&mut self, session: &ObservedSession, turn: ObservedTurn) -> Result<(), Failure> {
        self.steps += turn.steps.len();
        self.turns += 1;
        match self.parts.last_mut().filter(|part| part.session == *session) {
            Some(part) => part.turns.push(turn),
            None => self.parts.push(ImportedPart { session: session.clone(), turns: vec![turn] }),
        }
        if ImportTurns::MAX_TURNS <= self.turns || ImportTurns::MAX_STEPS <= self.steps {
            self.send()?;
        }
        Ok(())
    }

    /// Sends the collected turns; does nothing if there are none.
    fn send(&mut self) -> Result<(), Failure> {
        if self.parts.is_empty() {
            return Ok(());
        }
        let parts = std::mem::take(&mut self.parts);
        (self.turns, self.steps) = (0, 0);
        self.imported.add(self.writer.execute(ImportTurns { parts })?);
        Ok(())
    }
}
