//! Endpoints of the policy file: read, check, and save it if it is valid and unchanged since it was read.

use std::sync::Arc;

use adapters::write_own_file;
use engine::parse_policy;
use hyper::{Request, StatusCode, body::Incoming as Body};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ApiError, ApiResult, read_json};
use crate::gateway::Gateway;

/// Handles the page's request for the active policy. Returns it as JSON: path, text, hash, and whether it is the
/// built-in one.
pub(super) async fn policy(gateway: &Arc<Gateway>) -> ApiResult {
    Ok(gateway
        .bus()
        .query(|engine| {
            let policy = engine.policy();
            let file = engine.policy_path().display().to_string();
            let built_in = policy.path == engine::BUILT_IN_PATH;
            json!({ "path": file, "text": policy.text.as_ref(), "hash": policy.hash.to_string(), "built_in": built_in })
        })
        .await?)
}

/// The JSON body of the page's request to check a policy.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckRequest {
    /// The text of the policy.
    text: String,
}

/// Handles the page's request to check a policy text. Returns its errors with line and column; an empty list if it is
/// valid.
pub(super) async fn check_policy(gateway: &Arc<Gateway>, request: Request<Body>) -> ApiResult {
    let CheckRequest { text } = read_json(request).await?;
    Ok(json!({ "problems": problems(gateway, text).await? }))
}

/// Validates a policy text and returns its errors as JSON; empty if it is valid.
async fn problems(gateway: &Gateway, text: String) -> Result<Vec<Value>, ApiError> {
    let (registry, home) = gateway
        .bus()
        .query(|engine| (Arc::clone(&engine.models().registry), engine.policy_home().map(str::to_owned)))
        .await?;
    let checked = tokio::task::spawn_blocking(move || parse_policy(&text, registry, home.as_deref()).err()).await;
    let problems = checked.map_err(ApiError::internal)?.unwrap_or_default();
    let listed = problems
        .iter()
        .map(|problem| json!({ "line": problem.line, "column": problem.column, "message": problem.message }));
    Ok(listed.collect())
}

/// The JSON body of the page's request to save the policy.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SaveRequest {
    /// The new text of the policy file.
    text: String,
    /// The hash of the policy that the edit started from, in hexadecimal.
    based_on: String,
}

/// Handles the page's request to save the policy: replaces the file, activates the policy and returns its hash once
/// that is durable. Responds with 422 and the errors if the text is invalid, and with 409 if the active policy is not
/// the version that was edited.
pub(super) async fn save(gateway: &Arc<Gateway>, request: Request<Body>) -> ApiResult {
    let SaveRequest { text, based_on } = read_json(request).await?;
    let problems = problems(gateway, text.clone()).await?;
    if !problems.is_empty() {
        return Err(ApiError { status: StatusCode::UNPROCESSABLE_ENTITY, body: json!({ "problems": problems }) });
    }
    // Only the bus thread writes and reloads the file, so no other save comes between the comparison and the write.
    let (saved, durable) = gateway
        .bus()
        .command(move |engine| {
            engine.refresh_policy().map_err(ApiError::internal)?;
            if engine.policy().hash.to_string() != based_on || !engine.has_seen_policy_file() {
                let message = "the policy was changed meanwhile; reload it and make your change again";
                return Err(ApiError { status: StatusCode::CONFLICT, body: json!({ "message": message }) });
            }
            write_own_file(engine.policy_path(), text.as_bytes()).map_err(|error| {
                ApiError::internal(format!("cannot write `{}`: {error}", engine.policy_path().display()))
            })?;
            engine.read_saved_policy().map_err(ApiError::internal)?;
            Ok(json!({ "hash": engine.policy().hash.to_string() }))
        })
        .await?;
    durable.wait().await?;
    saved
}
