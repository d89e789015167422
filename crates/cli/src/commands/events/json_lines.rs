//! `events export` and `events import`: the log as JSON Lines.

use std::{
    fs::File,
    io::{self, BufReader, BufWriter, Write},
    path::Path,
};

use engine::{ChainCheck, EngineError, ExchangeSummary};
use event_bus::{EventLog, SledLog, TextFiles};
use event_core::Position;

use crate::{
    context::Context,
    failure::Failure,
    screen::{BAD, EscapedJsonLines, byte_bar, count_noun, event_bar, outln, print_error_line, styled},
};

/// Exports the events after a position as JSON Lines, with the texts they refer to. Writes to `file`, which is
/// replaced, and prints a summary. Without `file`, writes the lines to the standard output.
pub(super) fn export(context: &Context, file: Option<&Path>, after: Position) -> Result<(), Failure> {
    let log = context.log_reader()?;
    let texts = TextFiles::open(context.home.log());
    let head = log.head()?;
    let Some(path) = file else {
        let mut out = BufWriter::new(EscapedJsonLines::new(io::stdout().lock()));
        let done = engine::export(log.as_ref(), &texts, after, &mut out, |_| {})?;
        return check_texts(done.missing_texts);
    };
    let bar = event_bar(head.0.saturating_sub(after.0), "exporting");
    let mut out = BufWriter::new(File::create(path).map_err(|error| Failure::file("create", path, &error))?);
    let done =
        engine::export(log.as_ref(), &texts, after, &mut out, |position| bar.set_position(position.0 - after.0))?;
    let file = out.into_inner().map_err(|error| Failure::file("write", path, error.error()))?;
    file.sync_all().map_err(|error| Failure::file("write", path, &error))?;
    bar.finish_and_clear();
    context.print(&done, || {
        outln!("{} events and {} texts written to {}", done.events, done.texts, path.display());
        print_chain(&done);
    })?;
    check_texts(done.missing_texts)
}

/// Prints how many texts an export lacks because the text store does not contain them any more.
///
/// # Errors
/// [`Failure::Negative`] if there are any.
fn check_texts(missing: u64) -> Result<(), Failure> {
    if missing == 0 {
        return Ok(());
    }
    let texts = count_noun(missing, "text");
    print_error_line(&format!(
        "{} {texts} of the log are not in its folder `texts`, so the export lacks them; `turnwise events verify` lists them",
        styled(BAD, "incomplete:")
    ));
    Err(Failure::Negative)
}

/// Imports events from JSON Lines in a file, or in the standard input for `-`, and prints a summary. Events that the
/// log already contains are skipped. `without_chain` accepts lines without a hash chain.
///
/// # Errors
/// [`Failure::Invalid`] for a line that is invalid or does not continue the log, after the lines before it were
/// imported; [`Failure::Failed`] if the file cannot be read or another process has the log open.
pub(super) fn import(context: &Context, path: &Path, without_chain: bool) -> Result<(), Failure> {
    let chain_check = if without_chain { ChainCheck::Optional } else { ChainCheck::Required };
    let opened = SledLog::open(context.home.log());
    let (log, _) = opened.map_err(|error| {
        context.in_use_failure(
            error,
            "an import has to continue the log where it ends while the gateway adds events to it",
        )
    })?;
    let texts = TextFiles::open(context.home.log());
    let done = if path.as_os_str() == "-" {
        engine::import(&log, &texts, chain_check, &mut io::stdin().lock(), |_| {})
    } else {
        let file = File::open(path).map_err(|error| Failure::file("open", path, &error))?;
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        let bar = byte_bar(length, "importing");
        let done = engine::import(&log, &texts, chain_check, &mut BufReader::new(file), |read| bar.inc(read));
        bar.finish_and_clear();
        done
    };
    log.close()?;
    let done = done.map_err(|error: EngineError| with_file_name(path, error))?;
    io::stdout().flush().ok();
    context.print(&done, || {
        outln!("{} events and {} texts read, {} events were known", done.events, done.texts, done.known);
        if 0 < done.unchained {
            outln!("  {} of them carried no hash chain: nothing shows whether they were changed", done.unchained);
        }
        print_chain(&done);
    })
}

/// Prints the hash of the last exported or imported event, by which two copies of a log can be compared; nothing if
/// there is none.
fn print_chain(done: &ExchangeSummary) {
    if let Some(chain) = done.chain {
        outln!("  hash chain at the end  {chain}");
    }
}

/// Converts the error of an import to a failure whose message begins with the name of the imported file.
fn with_file_name(path: &Path, error: EngineError) -> Failure {
    let prefixed = |message: String| format!("`{}`: {message}", path.display());
    match Failure::from(error) {
        Failure::Invalid(message) => Failure::Invalid(prefixed(message)),
        Failure::Failed(message) => Failure::Failed(prefixed(message)),
        Failure::Negative => Failure::Negative,
    }
}
