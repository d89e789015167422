//! The commands, one module each.

mod backtest;
mod cases;
mod cost;
mod decision_view;
mod demo;
mod doctor;
mod events;
mod feedback;
mod hook;
mod import;
mod init;
mod launch;
mod model;
mod models;
mod patterns;
mod providers;
mod range;
mod replay;
mod route;
mod rules;
mod savings;
mod serve;
mod sessions;
mod skills;
mod status;
mod statusline;
mod token;
mod triggers;
mod turn_row;
mod watch;
mod why;

use std::io::Write as _;

use clap::CommandFactory as _;

pub(crate) use cost::Dimension;
pub(crate) use hook::{record_before_report, record_kept_decisions, run as run_hook};
use init::SettingsScope;

use crate::{
    arguments::{Arguments, Command},
    context::Context,
    failure::Failure,
    machine::ClientKind,
};

/// Runs the command that the command line names, in its environment.
pub(crate) fn run(context: &Context, command: Command) -> Result<(), Failure> {
    match command {
        Command::Init { claude_code: true, remove, project, force } => {
            let scope = if project { SettingsScope::Project } else { SettingsScope::User };
            if remove { init::remove(context, scope) } else { init::install(context, scope, force) }
        }
        Command::Init { force, .. } => init::run(context, force),
        Command::Doctor { online } => doctor::run(context, online),
        Command::Route(arguments) => route::run(context, &arguments),
        Command::Why { turn } => why::run(context, &turn),
        Command::Sessions { number } => sessions::run(context, number),
        Command::Rules(command) => rules::run(context, command),
        Command::Model { choice, session } => model::run(context, &choice, session.as_deref()),
        Command::Models { command } => models::run(context, command),
        Command::Status => status::run(context),
        Command::Providers { command } => providers::run(context, command),
        Command::Cost(arguments) => cost::run(context, &arguments),
        Command::Savings(range) => savings::run(context, &range),
        Command::Feedback(arguments) => feedback::run(context, &arguments),
        Command::Patterns(command) => patterns::run(context, command),
        Command::Skills(command) => skills::run(context, &command),
        Command::Hook(command) => {
            hook::run(context, command);
            Ok(())
        }
        Command::Triggers(command) => triggers::run(context, &command),
        Command::Cases(command) => cases::run(context, &command),
        Command::Replay(range) => replay::run(context, &range),
        Command::Backtest(arguments) => backtest::run(context, &arguments),
        Command::Import(command) => import::run(context, command),
        Command::Events(command) => events::run(context, command),
        Command::Serve(arguments) => serve::run(context, &arguments),
        Command::Claude { arguments } => launch::run(context, ClientKind::ClaudeCode, &arguments),
        Command::Codex { arguments } => launch::run(context, ClientKind::Codex, &arguments),
        Command::Token(command) => token::run(context, command),
        Command::StatusLine => statusline::run(context),
        Command::Watch { turns } => watch::run(context, turns),
        Command::Demo => demo::run(context),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "turnwise", &mut script);
            // `generate` panics if it cannot write. As for other commands, a closed output is no error.
            let _ = std::io::stdout().write_all(&script);
            Ok(())
        }
    }
}
