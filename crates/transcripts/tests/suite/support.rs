//! Turns as text, one line for each step, for snapshots that read as documentation.

use std::{fmt::Write as _, path::Path};

use contracts::{CacheVariant, Tokenizer};
use event_core::Timestamp;
use transcripts::{
    observed::{ObservedTurn, Step},
    session_file::{Format, Issue, SessionReader},
};

/// Reads a session file of the format `F`; returns its turns and the lines that could not be used.
pub(crate) fn read_turns<F: Format>(file: &str, bytes: &[u8]) -> (Vec<ObservedTurn>, Vec<Issue>) {
    let mut reader = SessionReader::<_, F>::new(Path::new(file), bytes);
    let turns = reader.by_ref().collect();
    (turns, reader.issues().to_vec())
}

/// Reads a session file of the format `F` and formats its session, turns, issues and counts of skipped lines. `name` is
/// the name of the file without extension.
pub(crate) fn render<F: Format>(name: &str, text: &str) -> String {
    let file = format!("{name}.jsonl");
    let mut reader = SessionReader::<_, F>::new(Path::new(&file), text.as_bytes());
    let mut out = String::new();
    let turns: Vec<ObservedTurn> = reader.by_ref().collect();
    if let Some(session) = reader.session() {
        let workspace = session.workspace.as_deref().unwrap_or("-");
        let client = session.client.as_deref().unwrap_or("-");
        writeln!(out, "session {} in {workspace}, client {client}, from {}", session.id, time(session.started_at))
            .unwrap();
    }
    for turn in &turns {
        render_turn(turn, &mut out);
    }
    for issue in reader.issues() {
        writeln!(out, "\nissue: {issue}").unwrap();
    }
    let skipped = reader.skipped();
    if 0 < skipped.repeated || !skipped.unknown.is_empty() {
        writeln!(out, "\nskipped: {} repeated, unknown {:?}", skipped.repeated, skipped.unknown).unwrap();
    }
    out
}

/// Formats the time of day in UTC as `HH:MM:SS`.
fn time(at: Timestamp) -> String {
    let seconds = at.0 / 1_000_000 % 86_400;
    format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

/// Appends a turn to `out`: its message, the state before it, one line for each step, and its end.
fn render_turn(turn: &ObservedTurn, out: &mut String) {
    let thread = turn.thread.name().map(|thread| format!(" [{thread}]")).unwrap_or_default();
    let image = if turn.message_has_images { " (image)" } else { "" };
    writeln!(out, "\nturn {}{thread} {} {:?}{image}", turn.name, time(turn.started_at), turn.message).unwrap();
    let before = &turn.before;
    write!(out, "  before: {} tokens", turn.estimates().for_tokenizer(Tokenizer::Anthropic)).unwrap();
    if before.images {
        write!(out, ", images").unwrap();
    }
    if 0 < before.tool_calls {
        let (tools, extensions, directories) = (&before.tools, &before.extensions, &before.directories);
        write!(out, ", {} tool calls {tools:?} {extensions:?} {directories:?}", before.tool_calls).unwrap();
    }
    out.push('\n');
    for step in &turn.steps {
        match step {
            Step::Call(call) => {
                let usage = &call.usage;
                let complete = if call.complete { "" } else { ", perhaps more to come" };
                let from = call.started_at.map_or_else(|| "?".to_owned(), time);
                let command = if call.variant == CacheVariant::COMMAND { " (command)" } else { "" };
                writeln!(
                    out,
                    "  {}-{}-{} call{command} {} of {}: in {} read {} 5m {} 1h {} out {}; {:?}, {} tools, {} thinking{complete}",
                    from,
                    time(call.began_at),
                    time(call.at),
                    call.message,
                    call.model,
                    usage.input,
                    usage.cache_read,
                    usage.cache_write_5m,
                    usage.cache_write_1h,
                    usage.output,
                    call.stop_reason,
                    call.tool_calls,
                    call.thinking_blocks,
                )
            }
            Step::ToolCalled(tool) => writeln!(
                out,
                "  {} tool {} {} {:?} {:?} {:?}",
                time(tool.at),
                tool.id,
                tool.name,
                tool.class.side_effect,
                tool.class.extensions,
                tool.class.directories
            ),
            Step::ToolFinished(result) => {
                writeln!(
                    out,
                    "  {} done {} {:?}, {} bytes",
                    time(result.at),
                    result.id,
                    result.outcome,
                    result.output_bytes
                )
            }
            Step::Failed(failure) => writeln!(
                out,
                "  {} failed {:?}, status {:?}, attempt {:?}, model {:?}",
                time(failure.at),
                failure.class,
                failure.status,
                failure.attempt,
                failure.model
            ),
            Step::Resumed(resumption) => {
                writeln!(out, "  {} resumed, {}", time(resumption.at), resumption.id)
            }
            Step::Compacted(compaction) => {
                writeln!(
                    out,
                    "  {} compacted {:?} from {:?} tokens",
                    time(compaction.at),
                    compaction.trigger,
                    compaction.tokens_before
                )
            }
        }
        .unwrap();
    }
    match turn.end {
        Some((status, at)) => writeln!(out, "  {} {status:?}", time(at)).unwrap(),
        None => writeln!(out, "  open").unwrap(),
    }
}
