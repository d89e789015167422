//! The endpoint that sets the sticky model of a session.

use std::sync::Arc;

use contracts::SessionId;
use engine::EngineError;
use hyper::{Request, StatusCode, body::Incoming as Body};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Outcome, Trouble, read};
use crate::gateway::Gateway;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Choice {
    /// The model's id or alias, or null to clear it. Required: a missing field is an error, not null.
    model: Value,
}

/// Sets or clears the sticky model of a known session. While a turn runs, the change applies from the next turn on (004 §3.3).
pub(super) async fn model(gateway: &Arc<Gateway>, session: &str, request: Request<Body>) -> Outcome {
    let Choice { model } = read(request).await?;
    let name = match model {
        Value::Null => None,
        Value::String(name) => Some(name),
        _ => return Err(Trouble::new(StatusCode::BAD_REQUEST, "`model` is the name of a model, or null")),
    };
    let unknown =
        || Trouble::new(StatusCode::NOT_FOUND, "there is no such session; the page and `turnwise cost` name them");
    let session = SessionId::try_from(session).map_err(|_| unknown())?;
    let asked = session.clone();
    let (selected, durable) = gateway
        .bus()
        .command(move |engine| {
            if engine.state().sessions.get(&asked).is_none() {
                return Ok(None);
            }
            let model = name.map(|name| engine.model_named(&name)).transpose()?;
            engine.select_model(&asked, model).map(Some)
        })
        .await?;
    let selected = selected.map_err(|error| wrong(&error))?.ok_or_else(unknown)?;
    durable.wait().await?;
    Ok(json!({ "session": session, "model": selected.model, "pending": selected.pending }))
}

fn wrong(error: &EngineError) -> Trouble {
    let status = match error {
        EngineError::UnknownModel { .. } => StatusCode::BAD_REQUEST,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    Trouble::new(status, error.to_string())
}
