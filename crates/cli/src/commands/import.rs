//! `import`: sessions other clients recorded, every turn of them decided.

use std::{
    collections::BTreeSet,
    env,
    path::{Path, PathBuf},
};

use contracts::{NanoUsd, SessionId};
use engine::Engine;
use serde::Serialize;
use transcripts::{
    claude_code::{self, ClaudeCode},
    codex::{self, Codex},
    observed::{ObservedTurn, Step},
    openai_log::{self, OpenAiLog},
    session_file::{DiscoverError, Format, SessionFile, SessionReader},
};

use super::init::claude_sessions;
use crate::{
    arguments::ImportCommand,
    context::Context,
    failure::Failure,
    interrupt::Interrupt,
    screen::{NOTICE, byte_bar, counted, styled},
};

/// What an import did.
#[derive(Debug, Default, Serialize)]
pub(super) struct Imported {
    pub(super) files: usize,
    pub(super) bytes: u64,
    pub(super) sessions: u64,
    pub(super) turns: u64,
    /// Turns that were decided now; those known before keep their decision.
    pub(super) decisions: u64,
    pub(super) refused: u64,
    pub(super) calls: u64,
    pub(super) failed_calls: u64,
    pub(super) tools: u64,
    pub(super) compactions: u64,
    /// Sessions with turns that came through the gateway: the log has those turns, with what they cost.
    pub(super) gateway_sessions: u64,
    /// Those turns; they are not among the numbers above.
    pub(super) gateway_turns: u64,
    #[serde(skip)]
    through_gateway: BTreeSet<SessionId>,
    /// Events the log did not have.
    pub(super) new_events: u64,
    pub(super) issues: Vec<String>,
    /// What all calls of the log cost, in nano-dollars.
    pub(super) total_cost_nano_usd: NanoUsd,
    pub(super) unpriced_calls: u64,
}

impl Imported {
    fn leave_out(&mut self, turn: &ObservedTurn) {
        self.gateway_turns += 1;
        self.gateway_sessions += u64::from(self.through_gateway.insert(turn.session.clone()));
    }

    fn count(&mut self, turn: &ObservedTurn) {
        self.turns += 1;
        for step in &turn.steps {
            match step {
                // A call the file stops in is recorded once the file has grown.
                Step::Call(call) => self.calls += u64::from(call.complete),
                Step::ToolCalled(_) => self.tools += 1,
                Step::Failed(_) => self.failed_calls += 1,
                Step::Compacted(_) => self.compactions += 1,
                Step::ToolFinished(_) | Step::Resumed(_) => {}
            }
        }
    }
}

pub(super) fn run(context: &Context, command: ImportCommand) -> Result<(), Failure> {
    match command {
        ImportCommand::ClaudeCode { path } => {
            let path = folder(path, context.home.user.as_deref().map(claude_sessions))?;
            import::<ClaudeCode>(context, &path, claude_code::discover, "*.jsonl", "claude-code DIR")
        }
        ImportCommand::Codex { path } => {
            let path = folder(path, codex_sessions(context.home.user.as_deref()))?;
            import::<Codex>(context, &path, codex::discover, "rollout-*.jsonl", "codex DIR")
        }
        ImportCommand::OpenaiLog { file } => {
            import::<OpenAiLog>(context, &file, openai_log::discover, "*.jsonl", "openai-log FILE")
        }
    }
}

/// Where Codex keeps its session files.
fn codex_sessions(user: Option<&Path>) -> Option<PathBuf> {
    let home = env::var_os("CODEX_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    home.or_else(|| user.map(|user| user.join(".codex"))).map(|home| home.join("sessions"))
}

fn folder(path: Option<PathBuf>, default: Option<PathBuf>) -> Result<PathBuf, Failure> {
    path.or(default)
        .ok_or_else(|| Failure::Wrong("there is no home folder: name the folder of the sessions".to_owned()))
}

fn import<F: Format>(
    context: &Context,
    path: &Path,
    discover: fn(&Path) -> Result<Vec<SessionFile>, DiscoverError>,
    names: &str,
    command: &str,
) -> Result<(), Failure> {
    let files = discover(path).map_err(|error| {
        let next = format!("name the folder of the sessions: turnwise import {command}");
        Failure::Wrong(format!("{error}: {}; {next}", error.source))
    })?;
    if files.is_empty() {
        return Err(Failure::Wrong(format!("`{}` has no session files ({names})", path.display())));
    }
    let mut engine = context.engine()?;
    let trouble = engine.refresh_policy()?;
    context.policy_notice(trouble.as_ref());
    let interrupt = Interrupt::listen();
    let imported = import_files::<F>(&mut engine, &files, !context.json, &interrupt)?;
    engine.close()?;
    context.print(&imported, || show(&imported))?;
    if imported.files < files.len() {
        let (done, all) = (imported.files, files.len());
        let next = "they are whole, and the same command goes on from there";
        return Err(Failure::NotDone(format!("stopped by Ctrl-C after {done} of {all} files: {next}")));
    }
    Ok(())
}

/// Imports files in order, one at a time; each is on the disk before the next begins. Ctrl-C ends it between two files,
/// so that no session is there by half.
fn import_files<F: Format>(
    engine: &mut Engine,
    files: &[SessionFile],
    visible: bool,
    interrupt: &Interrupt,
) -> Result<Imported, Failure> {
    let bytes: u64 = files.iter().map(|file| file.bytes).sum();
    let bar = byte_bar(bytes, "importing");
    if !visible {
        bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
    }
    let before = engine.log().head()?;
    let mut imported = Imported::default();
    let mut done = 0;
    for file in files.iter().take_while(|_| !interrupt.pressed()) {
        let progress = bar.clone();
        import_file::<F>(engine, &file.path, &mut imported, move |read| progress.set_position(done + read))?;
        done += file.bytes;
        imported.files += 1;
    }
    imported.bytes = done;
    bar.finish_and_clear();
    imported.new_events = engine.log().head()?.0 - before.0;
    imported.sessions = engine.state().sessions.iter().count() as u64;
    let overall = engine.state().costs.overall();
    (imported.total_cost_nano_usd, imported.unpriced_calls) = (overall.cost, overall.unpriced_calls);
    Ok(imported)
}

fn import_file<F: Format>(
    engine: &mut Engine,
    path: &Path,
    imported: &mut Imported,
    progress: impl FnMut(u64),
) -> Result<(), Failure> {
    let reader =
        SessionReader::<_, F>::open(path).map_err(|error| Failure::NotDone(format!("{error}: {}", error.source)))?;
    let mut reader = reader.with_progress(progress);
    let mut seen = None;
    while let Some(turn) = reader.next() {
        let Some(session) = reader.session() else { continue };
        if seen.as_ref() != Some(&session.id) {
            engine.observe_session(session)?;
            seen = Some(session.id.clone());
        }
        if engine.came_through_gateway(&turn) {
            imported.leave_out(&turn);
            continue;
        }
        imported.count(&turn);
        if let Some(made) = engine.observe_turn(session, &turn)? {
            imported.decisions += 1;
            imported.refused += u64::from(made.model().is_none());
        }
    }
    imported.issues.extend(reader.issues().iter().map(ToString::to_string));
    Ok(engine.commit()?)
}

fn show(imported: &Imported) {
    let files = counted(imported.files as u64, "file");
    let happened = [
        counted(imported.turns, "turn"),
        counted(imported.calls, "call"),
        counted(imported.failed_calls, "failed call"),
        counted(imported.tools, "tool"),
        counted(imported.compactions, "compaction"),
    ];
    anstream::println!("{files} ({} MB): {}", imported.bytes.div_ceil(1_000_000), happened.join(", "));
    if 0 < imported.gateway_turns {
        let (sessions, turns) =
            (counted(imported.gateway_sessions, "session"), counted(imported.gateway_turns, "turn"));
        anstream::println!("dropped {turns} of {sessions}: through the gateway, so that the log has them already");
    }
    let decided = counted(imported.decisions, "turn");
    anstream::println!(
        "{decided} decided, {} of them refused; {}",
        imported.refused,
        counted(imported.new_events, "new event")
    );
    anstream::println!("The log's calls cost {} in all", imported.total_cost_nano_usd);
    if 0 < imported.unpriced_calls {
        anstream::println!(
            "  without {} of models whose prices are not known",
            counted(imported.unpriced_calls, "call")
        );
    }
    for issue in &imported.issues {
        anstream::println!("{} {issue}", styled(NOTICE, "skipped:"));
    }
    anstream::println!("\nNext: turnwise why last, turnwise cost, turnwise rules show");
}
