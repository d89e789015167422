//! `watch`: shows turns, costs of the day and outages as they happen, until Ctrl-C.

use std::{io::IsTerminal as _, sync::Arc, thread::sleep, time::Duration};

use contracts::CallRole;
use engine::RouterState;
use event_bus::{Clock as _, EventLog, LogFollower, ProjectionSet as _, SystemClock, TextFiles};
use event_core::Timestamp;
use gateway::Board;
use serde_json::Value;

use crate::{
    context::Context,
    failure::Failure,
    interrupt::Interrupt,
    screen::{BAD, FAINT, HEADING, Table, count_noun, styled, truncate},
};

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

/// Redraws the screen: spending of the day, outages, and the latest turns.
fn draw(rows: &[Value], state: &RouterState, now: Timestamp) {
    // Cursor home, then clear to the end of the screen: this does not flicker.
    anstream::print!("\u{1b}[H\u{1b}[J");
    let spent = state.costs.spent_today(now);
    let day = state.costs.latest_day().filter(|day| day.day == now.utc_day());
    let roles: Vec<_> = CallRole::ALL
        .into_iter()
        .filter_map(|role| Some((role, day?.roles.get(&role)?)))
        .map(|(role, total)| format!("{} {}", role.name(), total.cost))
        .collect();
    anstream::println!("{} {}   {}", styled(HEADING, "Today"), spent, styled(FAINT, &roles.join(" · ")));
    for (model, total) in day.iter().flat_map(|day| &day.models) {
        anstream::println!(
            "  {:<36} {:>10}  {}",
            model.as_str(),
            total.cost.to_string(),
            count_noun(total.calls, "call")
        );
    }
    let outages = state.availability.outages_at(now);
    let out: Vec<_> = outages
        .providers
        .iter()
        .map(|(name, until)| (name.to_string(), until))
        .chain(outages.models.iter().map(|(name, until)| (name.to_string(), until)))
        .filter(|(_, until)| now < **until)
        .collect();
    for (name, until) in out {
        let seconds = until.micros_since(now) / 1_000_000;
        anstream::println!("{} {name} for another {seconds} s", styled(BAD, "unavailable:"));
    }
    anstream::println!();
    let mut table = Table::new(&["TIME", "CLIENT", "STATUS", "MODEL", "WHY", ">COST", "MESSAGE"]);
    for row in rows {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let status = text("status");
        let time = text("at").get(11..19).unwrap_or_default().to_owned();
        let cost = row["cost"].as_u64().map(|nano| contracts::NanoUsd(nano).to_string()).unwrap_or_default();
        let policy_model = row["policy_choice"]["model"].as_str().and_then(|model| Some(model.split_once(':')?.1));
        let why = match row["rule"].as_str() {
            None if row["policy_choice"]["model"] == row["model"] => "imported".to_owned(),
            None if row["imported"] == true => format!("imported; policy: {}", policy_model.unwrap_or("refused")),
            Some(rule) => rule.to_owned(),
            None if text("reason").starts_with("requested \"") => "client's model".to_owned(),
            None => text("slot").to_lowercase().replace('_', " "),
        };
        let has_notices = row["notices"].as_array().is_some_and(|notices| !notices.is_empty());
        let mark = if has_notices { "! " } else { "" };
        let message = format!("{mark}{}", truncate(&text("message"), 46));
        let model = text("model").split_once(':').map(|(_, model)| model.to_owned()).unwrap_or_default();
        table.add_row([time, text("client"), status, model, why, cost, message]);
    }
    table.print();
    anstream::println!("{}", styled(FAINT, "Ctrl-C ends · turnwise why TURN · the gateway's page shows more"));
}
