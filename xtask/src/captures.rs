//! Replays recorded requests of real clients through the gateway. Each must be answered, and forwarded unchanged.

use std::{collections::BTreeSet, path::Path};

use serde::Deserialize;
use serde_json::Value;

use crate::{
    clients::programs::{self, Environment, RunningProgram},
    failure::{Failure, Outcome},
    http::Request,
    passed::Passed,
    workspace,
};

/// A policy by which requested models are used and, with the strict settings, every request is forwarded without
/// adaptation.
const POLICY: &str =
    "schema_version: 1\nglobal_default: sonnet\ngateway: { client_model: default, adapt: [], keep_thinking: true }\n";

/// Headers of the recorded connection, and headers that do not match the stored body; they are not sent.
const DROPPED_HEADERS: [&str; 5] = ["host", "content-length", "transfer-encoding", "accept-encoding", "keep-alive"];

/// A recorded request of a real client, from a JSON file.
#[derive(Debug, Deserialize)]
struct Capture {
    /// The HTTP method.
    method: String,
    /// Path and query.
    path: String,
    /// Names and values of the headers, in order.
    headers: Vec<(String, String)>,
    /// The JSON body; null for a request without one.
    #[serde(default)]
    body: Value,
}

/// Replays the recorded requests in a folder through the gateway. Each `*.json` is an object with `method`, `path`,
/// `headers` (pairs) and `body`. Fails with a list of the requests that were not answered or were changed, or if there
/// are none. `skip_build` uses programs built earlier.
pub(crate) fn run(dir: &Path, skip_build: bool) -> Outcome<Passed> {
    let mut files = workspace::list_files(dir)?;
    files.retain(|path| path.extension().is_some_and(|kind| kind == "json"));
    if files.is_empty() {
        return Err(Failure::new(format!("`{}` has no requests", dir.display())));
    }
    let Environment { home: _home, mock, gateway } = programs::start_environment(POLICY, skip_build)?;
    let (mut problems, mut passed_count) = (Vec::new(), 0_usize);
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let capture = Capture::read(file)?;
        match capture.replay(&gateway, &mock)? {
            Ok(summary) => {
                passed_count += 1;
                println!("captures: {name}: {summary}");
            }
            Err(error) => problems.push(format!("{name}: {error}")),
        }
    }
    gateway.stop()?;
    Failure::unless_empty("recorded requests failed", &problems)?;
    Ok(Passed::with_note(format!("{passed_count} recorded requests answered and forwarded unchanged")))
}

impl Capture {
    /// Reads a recorded request from a file, and replaces the model `mock-…` of recordings by a known one.
    fn read(path: &Path) -> Outcome<Self> {
        let mut capture: Self = serde_json::from_str(&workspace::read_file(path)?)
            .map_err(|error| Failure::file("understand", path, &error))?;
        // Recordings name a model that exists only in the recorder.
        let known_model = if capture.path.contains("/messages") { "claude-opus-4-8" } else { "gpt-5.5" };
        match capture.body.get_mut("model") {
            Some(model) if model.as_str().is_some_and(|model| model.starts_with("mock-")) => {
                *model = known_model.into();
            }
            _ => {}
        }
        Ok(capture)
    }

    /// Returns whether the request is for an upgrade to a websocket, which the gateway refuses.
    fn is_upgrade(&self) -> bool {
        self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("upgrade"))
    }

    /// Returns whether the request is for a response of a model, so that a turn is decided.
    fn is_turn(&self) -> bool {
        self.method == "POST" && !self.path.contains("count_tokens")
    }

    /// Sends the recorded request through the gateway and checks the response. Returns a summary; the inner error is
    /// the difference found.
    fn replay(&self, gateway: &RunningProgram, mock: &RunningProgram) -> Outcome<Result<String, String>> {
        mock.request_json("/control/reset", Some(&Value::Null))?;
        let is_kept = |name: &str| {
            !DROPPED_HEADERS.iter().any(|dropped| name.eq_ignore_ascii_case(dropped))
                && (self.is_upgrade() || !name.eq_ignore_ascii_case("connection"))
        };
        let headers: Vec<_> = self.headers.iter().filter(|(name, _)| is_kept(name)).cloned().collect();
        let body = if self.body.is_object() { self.body.to_string() } else { String::new() };
        let request = Request { method: &self.method, path: &self.path, headers: &headers, body: &body };
        let response = match request.send(&gateway.url) {
            Ok(response) => response,
            Err(error) => return Ok(Err(format!("no response: {error}"))),
        };
        let header = |name: &str| response.header(name).map(str::to_owned);
        let (status, turn, model) = (response.status, header("x-turnwise-turn"), header("x-turnwise-model"));
        let text = if self.is_upgrade() { Ok(String::new()) } else { response.into_text() };
        let text = match text {
            Ok(text) => text,
            Err(error) => return Ok(Err(format!("the response ended early: {error}"))),
        };
        let expected_status = if self.is_upgrade() { 426 } else { 200 };
        if status != expected_status || turn.is_some() != self.is_turn() {
            let start: String = text.chars().take(300).collect();
            return Ok(Err(format!("status {status} instead of {expected_status}, turn {turn:?}: {start}")));
        }
        let received_requests = mock.request_json("/control/requests", None)?;
        let received_requests: Vec<&Value> =
            received_requests.as_array().into_iter().flatten().filter(|request| !is_control(request)).collect();
        if !body.is_empty() {
            if let Err(difference) = self.compare(&received_requests) {
                return Ok(Err(difference));
            }
        } else if !received_requests.is_empty() {
            return Ok(Err(format!("it reached the provider: {received_requests:?}")));
        }
        let model_suffix = model.map(|model| format!(", {model}")).unwrap_or_default();
        Ok(Ok(format!("{} {} {status}{model_suffix}", self.method, self.path)))
    }

    /// Checks that the provider received exactly one request, and that it equals the recorded one apart from the model.
    fn compare(&self, requests: &[&Value]) -> Result<(), String> {
        let [request] = requests else {
            return Err(format!("{} requests reached the provider", requests.len()));
        };
        let path = request["path"].as_str().unwrap_or_default();
        if without_model(path) != without_model(&self.path) {
            return Err(format!("it reached the provider as `{path}`"));
        }
        let mut received_body: Value = serde_json::from_str(request["body"].as_str().unwrap_or_default())
            .map_err(|error| format!("the provider received no JSON: {error}"))?;
        let mut sent_body = self.body.clone();
        for body in [&mut received_body, &mut sent_body] {
            if let Some(fields) = body.as_object_mut() {
                fields.remove("model");
            }
        }
        // Usage of a Chat Completions stream must be requested; the gateway removes it for clients that did not.
        if self.path.ends_with("/chat/completions") && sent_body["stream"] == true {
            sent_body["stream_options"]["include_usage"] = true.into();
        }
        if received_body == sent_body {
            return Ok(());
        }
        let fields = |body: &Value| body.as_object().cloned().unwrap_or_default();
        let (received_fields, sent_fields) = (fields(&received_body), fields(&sent_body));
        let names: BTreeSet<_> = received_fields.keys().chain(sent_fields.keys()).map(String::as_str).collect();
        let differing_names: Vec<_> =
            names.into_iter().filter(|name| received_fields.get(*name) != sent_fields.get(*name)).collect();
        Err(format!("the provider received different {}", differing_names.join(", ")))
    }
}

/// Splits a path around the model, which Gemini's paths contain before a colon.
fn without_model(path: &str) -> (&str, &str) {
    match path.split_once("/models/").and_then(|(before, rest)| Some((before, rest.split_once(':')?.1))) {
        Some(parts) => parts,
        None => (path, ""),
    }
}

/// Returns whether a request that the mock provider received was sent by this program to control the mock.
fn is_control(request: &Value) -> bool {
    request["path"].as_str().is_some_and(|path| path.starts_with("/control/"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns a recorded POST request.
    fn capture(path: &str, body: Value) -> Capture {
        Capture { method: "POST".to_owned(), path: path.to_owned(), headers: Vec::new(), body }
    }

    /// Returns a request as the mock provider reports it.
    fn received(path: &str, body: &Value) -> Value {
        json!({"path": path, "body": body.to_string()})
    }

    #[test]
    fn only_the_model_may_differ() {
        let capture = capture("/v1/messages?beta=true", json!({"model": "a", "system": "s"}));
        let compared = |path: &str, body: Value| capture.compare(&[&received(path, &body)]);
        assert_eq!(compared("/v1/messages?beta=true", json!({"model": "b", "system": "s"})), Ok(()));
        let other = compared("/v1/messages?beta=true", json!({"model": "b", "system": "t", "top_k": 1}));
        assert_eq!(other, Err("the provider received different system, top_k".to_owned()));
        assert!(compared("/v1/messages", json!({"model": "a", "system": "s"})).is_err());
        assert!(capture.compare(&[]).is_err());
    }

    #[test]
    fn chat_stream_requests_its_usage() {
        let capture = capture("/v1/chat/completions", json!({"model": "a", "stream": true}));
        let body = json!({"model": "a", "stream": true, "stream_options": {"include_usage": true}});
        assert_eq!(capture.compare(&[&received("/v1/chat/completions", &body)]), Ok(()));
    }

    #[test]
    fn model_in_a_gemini_path_is_ignored() {
        assert_eq!(
            without_model("/v1beta/models/a:generateContent"),
            without_model("/v1beta/models/b:generateContent")
        );
        assert_ne!(without_model("/v1beta/models/a:generateContent"), without_model("/v1beta/models/a:countTokens"));
        assert_eq!(without_model("/v1/models?limit=1"), ("/v1/models?limit=1", ""));
    }
}
