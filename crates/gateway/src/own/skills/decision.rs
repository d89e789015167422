//! One skill decision as JSON.

use contracts::{TurnId, events::SkillRouted};
use event_bus::{LogError, TextStore};
use event_core::Recorded;
use serde_json::{Value, json};
use skills::{RoutedRequest, SkillSettings};

use super::overview::row_json;
use crate::view::{decision_json, rfc3339};

/// Returns the decision that `event` recorded as JSON: its row of the list (`request`; null if it is no longer in the history), the chain
/// and the inputs.
///
/// # Errors
/// [`LogError`] if the text of the message cannot be read.
pub(super) fn decision_view(
    event: &Recorded,
    routed: &SkillRouted,
    request: Option<&RoutedRequest>,
    settings: &SkillSettings,
    texts: &dyn TextStore,
) -> Result<Option<Value>, LogError> {
    let row = match request {
        Some(request) => {
            let record = request.complete_record(&settings.confidence, &mut |hash| texts.get(hash.0))?;
            row_json(request, &record)
        }
        None => Value::Null,
    };
    let turn: Option<TurnId> = request.and_then(|request| request.record().turn).or(routed.turn);
    let mut view = decision_json(routed);
    for (name, value) in [
        ("row", row),
        ("event", json!(event.event.id.to_string())),
        ("at", json!(rfc3339(event.event.at))),
        ("turn", json!(turn.map(|turn| turn.to_string()))),
        ("session", json!(routed.session)),
        ("workspace", json!(routed.workspace)),
        ("inputs", json!(routed.inputs)),
        ("elapsed_micros", json!(routed.elapsed_micros)),
        ("policy_hash", json!(routed.policy.to_string())),
    ] {
        view[name] = value;
    }
    Ok(Some(view))
}
