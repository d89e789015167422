//! `model`: sets, clears or shows the model of a session (004 §9.1).

use contracts::SessionId;
use control::SelectModel;
use engine::{EngineError, ModelSelection, Sessions, find_decision};
use serde_json::json;

use crate::{
    context::Context,
    failure::Failure,
    screen::{out, outln},
};

/// The value of the argument that clears the model of the session.
const CLEAR: &str = "-";

/// Sets the model of a session to `choice`, a model's id or alias; clears it for `-`; prints it for `show`. Without
/// `session`, the session with the latest event is used.
///
/// # Errors
/// [`Failure::Invalid`] for an unknown model or session.
pub(super) fn run(context: &Context, choice: &str, session: Option<&str>) -> Result<(), Failure> {
    if choice == "show" {
        return show_model(context, session);
    }
    let session = session.map(SessionId::try_from).transpose().map_err(EngineError::from)?;
    let model = (choice != CLEAR).then(|| choice.to_owned());
    let mut writer = context.writer()?;
    let selected = writer.execute(SelectModel { session, model })?;
    writer.close()?;
    context.print(&selected, || {
        let effect = ModelSelection { model: selected.model.clone(), pending: selected.pending };
        outln!("{effect} (session {})", selected.session);
    })
}

/// Prints the model of a session, a change of model that waits for its next turn, and the decision of its last turn.
fn show_model(context: &Context, session: Option<&str>) -> Result<(), Failure> {
    let state = context.fold_state()?;
    let sessions = &state.sessions;
    let name = resolve_session(sessions, session)?;
    let session = sessions.get(&name).cloned().unwrap_or_default();
    let log = context.log_reader()?;
    let last = session.last_turn.map(|turn| find_decision(log.as_ref(), &turn.to_string())).transpose()?;
    let pending = session.pending().map(|choice| json!({ "model": choice }));
    let json = json!({
        "session": name, "model": session.sticky(), "pending": pending,
        "last_turn": last.as_ref().map(|last| &last.decided.decision),
    });
    context.print(&json, || {
        match session.sticky() {
            Some(model) => outln!("Session {name} is set to {model}."),
            None => outln!("Session {name} follows the policy; no model is set."),
        }
        match session.pending() {
            Some(Some(model)) => outln!("Model swap pending: {model}. Applies to next turn."),
            Some(None) => outln!("Return to the rules pending. Applies to next turn."),
            None => {}
        }
        if let Some(last) = last {
            out!("\n{}", last.text(context.texts().as_ref()));
        }
    })
}

/// Returns the id of the session called `name`; without a name, the session with the latest event.
///
/// # Errors
/// [`Failure::Invalid`] if the log has no such session, or none at all.
fn resolve_session(sessions: &Sessions, name: Option<&str>) -> Result<SessionId, Failure> {
    let Some(name) = name else {
        let latest = sessions.latest();
        return latest.map(|(session, _)| session.clone()).ok_or_else(|| EngineError::NothingDecided.into());
    };
    let id = SessionId::try_from(name).map_err(EngineError::from)?;
    match sessions.get(&id) {
        Some(_) => Ok(id),
        None => Err(EngineError::UnknownSession(name.to_owned()).into()),
    }
}
