//! `watch`: shows turns, costs of the day and outages as they happen, until Ctrl-C.

mod screen;

use std::{
    io::{IsTerminal as _, Write as _},
    sync::Arc,
    thread::sleep,
    time::Duration,
};

use console::Term;
use engine::RouterState;
use event_bus::{Clock as _, EventLog, LogFollower, ProjectionSet as _, SystemClock, TextFiles};
use event_core::Timestamp;
use gateway::Board;
use serde_json::Value;

use crate::{context::Context, failure::Failure, interrupt::Interrupt, screen::styled};
use screen::{Size, screen};

/// The interval between two reads of the log.
const READ_INTERVAL: Duration = Duration::from_millis(250);

pub(super) fn run(context: &Context, turns: usize) -> Result<(), Failure> {
    if !context.home.log().exists() {
        return Err(Failure::Invalid("there is no log yet; `turnwise serve` makes one".to_owned()));
    }
    let log = context.log_reader()?;
    let texts = Arc::new(TextFiles::open(context.home.log()));
    let (mut board, interrupt) = (Board::new(Arc::clone(&log), texts), Interrupt::listen());
    let draws = !context.json && std::io::stdout().is_terminal();
    let mut state = if draws { Some(follow_state(context, log)?) } else { None };
    let mut first = true;
    while !interrupt.was_pressed() {
        let changes = board.changes()?;
        match &mut state {
            Some(state) => {
                state.catch_up(|state, event| state.advance(event).map_err(engine::EngineError::from))?;
                // Outages end with time alone, so the screen is drawn even without new events.
                draw(&board.latest(turns), state.state(), SystemClock.now());
            }
            // The first call returns the existing turns, which are not printed.
            None if first => {}
            None => changes.iter().for_each(|row| print_turn(context, row)),
        }
        first = false;
        sleep(READ_INTERVAL);
    }
    Ok(())
}

/// Folds the state up to the head of the log, and follows the log from there.
fn follow_state(context: &Context, log: Arc<dyn EventLog>) -> Result<LogFollower<RouterState>, Failure> {
    let state = context.fold_state()?;
    Ok(LogFollower::new(log, state.position(), state))
}

/// Prints a changed turn on one line; JSON is the same object as in the gateway's API.
fn print_turn(context: &Context, row: &Value) {
    if context.json {
        println!("{row}");
    } else {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        anstream::println!("{} {:<9} {} {}", text("at"), text("status"), text("model"), text("reason"));
    }
}

/// Redraws the screen within the size of the terminal.
fn draw(rows: &[Value], state: &RouterState, now: Timestamp) {
    let (lines, columns) = Term::stdout().size();
    let size = Size { columns: usize::from(columns), lines: usize::from(lines) };
    let text: Vec<_> = screen(rows, state, now, size).into_iter().map(|(style, line)| styled(style, &line)).collect();
    // Cursor home, then clear to the end of the screen: this does not flicker. Without a final line feed, nothing scrolls.
    anstream::print!("\u{1b}[H\u{1b}[J{}", text.join("\r\n"));
    if let Err(error) = std::io::stdout().flush() {
        tracing::debug!(%error, "the screen cannot be drawn");
    }
}
