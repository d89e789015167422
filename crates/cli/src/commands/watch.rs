//! `watch`: shows turns, costs of the day and outages as they happen, until Ctrl-C.

mod screen;

use std::{io::IsTerminal as _, sync::Arc, thread::sleep, time::Duration};

use console::Term;
use engine::RouterState;
use event_bus::{Clock as _, EventLog, LogFollower, ProjectionSet as _, SystemClock, TextFiles};
use event_core::Timestamp;
use gateway::Board;
use serde_json::Value;

use super::turn_row;
use crate::{
    context::Context,
    failure::Failure,
    interrupt::Interrupt,
    screen::{escape_line, outln, print_json, redraw, styled},
};
use screen::{Size, screen};

/// The interval between two reads of the log.
const READ_INTERVAL: Duration = Duration::from_millis(250);

/// Executes `turnwise watch` until Ctrl-C: draws the latest `turns` turns on the terminal, or prints each turn that
/// changes if the output is not a terminal or `--json` is set.
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

/// Returns a follower of the log whose state is complete up to the present head of the log.
fn follow_state(context: &Context, log: Arc<dyn EventLog>) -> Result<LogFollower<RouterState>, Failure> {
    let state = context.fold_state()?;
    Ok(LogFollower::new(log, state.position(), state))
}

/// Prints a new or changed turn on one line. With `--json`, prints the object that the gateway's API returns for the
/// turn.
fn print_turn(context: &Context, row: &Value) {
    if context.json {
        print_json(&row.to_string());
    } else {
        let text = |name: &str| escape_line(row[name].as_str().unwrap_or_default()).into_owned();
        outln!("{} {:<9} {} {}", text("at"), text("status"), text("model"), text("reason"));
        // The row is printed with each change, its notices only with the last one.
        if text("status") != "running" {
            for line in turn_row::notice_lines(row) {
                outln!("  ! {line}");
            }
        }
    }
}

/// Redraws the screen of `watch`: today's spending, outages and turns, within the size of the terminal. `rows` are the
/// latest turns.
fn draw(rows: &[Value], state: &RouterState, now: Timestamp) {
    let (lines, columns) = Term::stdout().size();
    let size = Size { columns: usize::from(columns), lines: usize::from(lines) };
    let text: Vec<_> = screen(rows, state, now, size).into_iter().map(|(style, line)| styled(style, &line)).collect();
    if let Err(error) = redraw(&text) {
        tracing::debug!(%error, "the screen cannot be drawn");
    }
}
