//! The policy file: read, checked, and written when it is right and nobody else has changed it.

use std::{io::Write as _, path::Path, sync::Arc};

use hyper::{Request, StatusCode, body::Incoming as Body};
use router_core::Policy;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Outcome, Trouble, read};
use crate::gateway::Gateway;

/// The policy as it stands.
pub(super) async fn policy(gateway: &Arc<Gateway>) -> Outcome {
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Check {
    text: String,
}

/// What is wrong with a text, if it were the policy.
pub(super) async fn check(gateway: &Arc<Gateway>, request: Request<Body>) -> Outcome {
    let Check { text } = read(request).await?;
    Ok(json!({ "problems": problems(gateway, text).await? }))
}

async fn problems(gateway: &Gateway, text: String) -> Result<Vec<Value>, Trouble> {
    let (registry, home) = gateway
        .bus()
        .query(|engine| (Arc::clone(&engine.models().registry), engine.home_of_policy().map(str::to_owned)))
        .await?;
    let checked = tokio::task::spawn_blocking(move || Policy::load(&text, registry, home.as_deref()).err()).await;
    let problems = checked.map_err(Trouble::broken)?.unwrap_or_default();
    let told = problems
        .iter()
        .map(|problem| json!({ "line": problem.line, "column": problem.column, "message": problem.message }));
    Ok(told.collect())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Save {
    text: String,
    /// The hash of the policy that was edited.
    based_on: String,
}

/// Writes the policy file.
pub(super) async fn save(gateway: &Arc<Gateway>, request: Request<Body>) -> Outcome {
    let Save { text, based_on } = read(request).await?;
    let problems = problems(gateway, text.clone()).await?;
    if !problems.is_empty() {
        return Err(Trouble { status: StatusCode::UNPROCESSABLE_ENTITY, body: json!({ "problems": problems }) });
    }
    // The engine's thread alone writes and reads the file, so nobody comes between the look and the writing.
    let (saved, durable) = gateway
        .bus()
        .command(move |engine| {
            engine.refresh_policy().map_err(Trouble::broken)?;
            if engine.policy().hash.to_string() != based_on {
                let message = "the policy was changed meanwhile; reload it and make your change again";
                return Err(Trouble { status: StatusCode::CONFLICT, body: json!({ "message": message }) });
            }
            write(engine.policy_path(), &text).map_err(|error| {
                Trouble::broken(format!("cannot write `{}`: {error}", engine.policy_path().display()))
            })?;
            engine.refresh_policy().map_err(Trouble::broken)?;
            Ok(json!({ "hash": engine.policy().hash.to_string() }))
        })
        .await?;
    durable.wait().await?;
    saved
}

/// Writes beside the file first, so that a crash leaves the old one or the new one.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let beside = path.with_extension("yaml.new");
    let mut file = std::fs::File::create(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&beside, path)
}
