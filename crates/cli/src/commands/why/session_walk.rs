//! `why SESSION`: lists the turns of one session.

use contracts::SessionId;
use event_bus::EventLog;

use crate::{
    commands::turn_row,
    context::Context,
    failure::Failure,
    screen::{FAINT, Table, count_noun, outln, styled, truncate},
};

/// Returns the id of the session whose id starts with `start`; `None` if there is none.
///
/// # Errors
/// [`Failure::Invalid`] if there are several.
pub(super) fn find_session(context: &Context, start: &str) -> Result<Option<SessionId>, Failure> {
    let state = context.fold_state()?;
    let mut found = state.sessions.iter().map(|(id, _)| id).filter(|id| id.as_str().starts_with(start));
    match (found.next(), found.next()) {
        (Some(id), None) => Ok(Some(id.clone())),
        (None, _) => Ok(None),
        (Some(first), Some(second)) => Err(Failure::Invalid(format!(
            "`{start}` is the start of several sessions, such as {first} and {second}: write more of it"
        ))),
    }
}

/// Prints a list of the turns of a session, oldest first.
pub(super) fn print_session(context: &Context, log: &dyn EventLog, session: &SessionId) -> Result<(), Failure> {
    let texts = context.texts();
    let rows = gateway::session_turns(log, texts.as_ref(), session)?;
    context.print(&rows, || {
        outln!("Session {session}: {}", count_noun(rows.len() as u64, "turn"));
        let mut table = Table::new(&["TIME", "TURN", "STATUS", "MODEL", "WHY", ">COST", "MESSAGE"]);
        for row in &rows {
            table.add_row([
                turn_row::date_time(row),
                turn_row::short_id(row),
                turn_row::status(row).to_owned(),
                truncate(&turn_row::model(row), 14).to_owned(),
                truncate(&turn_row::why(row), 14).to_owned(),
                turn_row::cost(row),
                truncate(&turn_row::message(row), 10).to_owned(),
            ]);
        }
        table.print();
        outln!("{}", styled(FAINT, "turnwise why TURN explains one"));
    })
}
