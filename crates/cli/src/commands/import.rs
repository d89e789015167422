//! `import`: imports the sessions that other clients recorded.

mod report;
mod transfer;

use std::path::{Path, PathBuf};

use control::RefreshPolicy;
use transcripts::{
    claude_code::{self, ClaudeCode},
    codex::{self, Codex},
    openai_log::{self, OpenAiLog},
    session_file::{DiscoverError, Format, SessionFile},
};

use crate::{
    arguments::ImportCommand,
    context::Context,
    failure::Failure,
    interrupt::Interrupt,
    machine::{ClientKind, session_folder},
};

/// Executes `turnwise import`: records the turns of another client's session files in the log.
pub(super) fn run(context: &Context, command: ImportCommand) -> Result<(), Failure> {
    let default_folder = |kind| context.home.user.as_deref().and_then(|user| session_folder(kind, user));
    match command {
        ImportCommand::ClaudeCode { path } => {
            let path = resolve_folder(path, default_folder(ClientKind::ClaudeCode))?;
            import::<ClaudeCode>(context, &path, claude_code::discover, "*.jsonl", "claude-code DIR")
        }
        ImportCommand::Codex { path } => {
            let path = resolve_folder(path, default_folder(ClientKind::Codex))?;
            import::<Codex>(context, &path, codex::discover, "rollout-*.jsonl", "codex DIR")
        }
        ImportCommand::OpenaiLog { file } => {
            import::<OpenAiLog>(context, &file, openai_log::discover, "*.jsonl", "openai-log FILE")
        }
    }
}

/// Returns the folder with session files: the folder of the argument, or else the default folder of the client. Fails
/// if there is neither.
fn resolve_folder(path: Option<PathBuf>, default: Option<PathBuf>) -> Result<PathBuf, Failure> {
    path.or(default)
        .ok_or_else(|| Failure::Invalid("there is no home folder: name the folder of the sessions".to_owned()))
}

/// Imports all session files of one client below `path`. `discover` finds the files. Error messages contain
/// `file_pattern`, the pattern of their names, and `command`, the subcommand with its argument.
fn import<F: Format>(
    context: &Context,
    path: &Path,
    discover: fn(&Path) -> Result<Vec<SessionFile>, DiscoverError>,
    file_pattern: &str,
    command: &str,
) -> Result<(), Failure> {
    let files = discover(path).map_err(|error| {
        let next = format!("name the folder of the sessions: turnwise import {command}");
        Failure::Invalid(format!("{error}: {}; {next}", error.source))
    })?;
    if files.is_empty() {
        return Err(Failure::Invalid(format!("`{}` has no session files ({file_pattern})", path.display())));
    }
    let mut writer = context.writer()?;
    let policy = writer.execute(RefreshPolicy {})?;
    context.print_policy_note(&policy.path, policy.errors, policy.first_error.as_deref());
    let interrupt = Interrupt::listen();
    let imported = transfer::import_files::<F>(&mut writer, &files, !context.json, &interrupt)?;
    writer.close()?;
    context.print(&imported, || report::print(&imported))?;
    if imported.files < files.len() {
        let (done, all) = (imported.files, files.len());
        let next = "what was read is imported, and the same command continues with the rest";
        return Err(Failure::Failed(format!("stopped by Ctrl-C after {done} of {all} complete files: {next}")));
    }
    Ok(())
}
