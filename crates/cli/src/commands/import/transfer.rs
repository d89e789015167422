//! Reads session files and sends their turns to the writer in requests of bounded size.

use std::path::Path;

use control::{ImportTurns, LogTotals, Writer};
use indicatif::ProgressDrawTarget;
use transcripts::{
    observed::{ObservedSession, ObservedTurn},
    session_file::{Format, SessionFile, SessionReader},
};

use super::report::Imported;
use crate::{failure::Failure, interrupt::Interrupt, screen::byte_bar};

/// Imports files one at a time, in order; each is durable before the next is read. Ctrl-C ends the import between two
/// files, so that no session is imported in part.
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
    let mut bytes = 0;
    for file in files.iter().take_while(|_| !interrupt.was_pressed()) {
        let progress = bar.clone();
        transfer.import_file::<F>(&file.path, move |read| progress.set_position(bytes + read))?;
        bytes += file.bytes;
        transfer.imported.files += 1;
    }
    bar.finish_and_clear();
    let mut imported = transfer.imported;
    imported.bytes = bytes;
    let totals = writer.execute(LogTotals {})?;
    imported.sessions = totals.sessions;
    (imported.total_cost_nano_usd, imported.unpriced_calls) = (totals.cost, totals.unpriced_calls);
    Ok(imported)
}

/// Collects turns until they fill a request, and sums up the results of the requests.
struct Transfer<'a> {
    writer: &'a mut Writer,
    /// The session of `turns`.
    session: Option<ObservedSession>,
    turns: Vec<ObservedTurn>,
    /// Steps in `turns`.
    steps: usize,
    imported: Imported,
}

impl<'a> Transfer<'a> {
    fn new(writer: &'a mut Writer) -> Self {
        Self { writer, session: None, turns: Vec::new(), steps: 0, imported: Imported::default() }
    }

    /// Imports a file; `progress` is called with the bytes read so far.
    fn import_file<F: Format>(&mut self, path: &Path, progress: impl FnMut(u64)) -> Result<(), Failure> {
        let opened = SessionReader::<_, F>::open(path);
        let reader = opened.map_err(|error| Failure::Failed(format!("{error}: {}", error.source)))?;
        let mut reader = reader.with_progress(progress);
        while let Some(turn) = reader.next() {
            let Some(session) = reader.session() else { continue };
            self.add(session, turn)?;
        }
        self.imported.issues.extend(reader.issues().iter().map(ToString::to_string));
        self.send()
    }

    fn add(&mut self, session: &ObservedSession, turn: ObservedTurn) -> Result<(), Failure> {
        if self.session.as_ref() != Some(session) {
            self.send()?;
            self.session = Some(session.clone());
        }
        self.steps += turn.steps.len();
        self.turns.push(turn);
        if ImportTurns::MAX_TURNS <= self.turns.len() || ImportTurns::MAX_STEPS <= self.steps {
            self.send()?;
        }
        Ok(())
    }

    /// Sends the collected turns; does nothing if there are none.
    fn send(&mut self) -> Result<(), Failure> {
        let (Some(session), false) = (&self.session, self.turns.is_empty()) else { return Ok(()) };
        let (session, turns) = (session.clone(), std::mem::take(&mut self.turns));
        self.steps = 0;
        self.imported.add(self.writer.execute(ImportTurns { session, turns })?);
        Ok(())
    }
}
