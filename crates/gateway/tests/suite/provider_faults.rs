//! Every fault of a provider in every API of clients and providers, streamed and not: the response that the client
//! receives, and the events in the log.

mod faults;
mod healthy;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::atomic::{AtomicUsize, Ordering},
};

use adapters::ProviderEntry;
use contracts::{
    WireApi,
    events::{ErrorClass, LlmCallFailed, TurnEnded, TurnStatus},
};
use mock_upstream::{RawRequest, RawStep, RawUpstream};
use serde_json::{Value, json};

use crate::support::{Answered, Wish, World};
use faults::{FAULTS, Fault, MAX_RESPONSE_BYTES, Outcome};

/// The number of cells that run at once.
const THREADS: usize = 32;

/// A cell of the matrix.
#[derive(Debug, Clone, Copy)]
struct Cell {
    fault: usize,
    client: WireApi,
    provider: WireApi,
    streams: bool,
}

impl Cell {
    fn fault(&self) -> &'static Fault {
        &FAULTS[self.fault]
    }

    fn outcome(&self) -> Outcome {
        if self.streams { self.fault().streamed } else { self.fault().whole }
    }

    /// The name of the provider. It has two cells, so that its failures are no outage.
    fn provider_name(&self) -> String {
        format!("p{:02}-{}-{}", self.fault, short(self.provider), short(self.client))
    }

    /// The model, whose name contains the number of the fault.
    fn model(&self) -> String {
        format!("{}:fault-{:02}", self.provider_name(), self.fault)
    }

    fn name(&self) -> String {
        let form = if self.streams { "streamed" } else { "whole" };
        format!("{}: {} to a client of {}, {form}", self.fault().name, self.provider, self.client)
    }
}

/// A short name of an API.
const fn short(api: WireApi) -> &'static str {
    match api {
        WireApi::AnthropicMessages => "am",
        WireApi::OpenAiChat => "oc",
        WireApi::OpenAiResponses => "or",
        WireApi::Gemini => "ge",
    }
}

/// Returns all cells.
fn cells() -> Vec<Cell> {
    let faults = 0..FAULTS.len();
    let pairs = WireApi::ALL.into_iter().flat_map(|client| WireApi::ALL.map(|provider| (client, provider)));
    let forms = pairs.flat_map(|(client, provider)| [false, true].map(|streams| (client, provider, streams)));
    let forms: Vec<_> = forms.collect();
    faults
        .flat_map(|fault| {
            forms.clone().into_iter().map(move |(client, provider, streams)| Cell { fault, client, provider, streams })
        })
        .collect()
}

/// The entries of `models.yaml` for the models of the cells.
fn models() -> String {
    let mut text = "models:\n".to_owned();
    for cell in cells().iter().filter(|cell| cell.streams) {
        writeln!(text, "  {}: {{context_window: 200000, max_output: 8000}}", cell.model()).unwrap();
    }
    text
}

/// The providers of the cells.
fn providers(upstream: &str) -> BTreeMap<String, ProviderEntry> {
    let entry = |cell: &Cell| {
        let is_openai = matches!(cell.provider, WireApi::OpenAiChat | WireApi::OpenAiResponses);
        let url = Some(format!("{upstream}{}", if is_openai { "/v1" } else { "" }));
        let apis = Some(vec![cell.provider]);
        (cell.provider_name(), ProviderEntry { url, keyless: Some(true), apis, ..ProviderEntry::default() })
    };
    cells().iter().map(entry).collect()
}

/// Responds with the fault in the name of the requested model, and otherwise as a healthy provider.
fn respond(request: &RawRequest) -> Vec<RawStep> {
    let path = request.head.split(' ').nth(1).unwrap_or_default();
    let api = match path {
        path if path.contains("/messages") => WireApi::AnthropicMessages,
        path if path.contains("/chat/completions") => WireApi::OpenAiChat,
        path if path.contains("/responses") => WireApi::OpenAiResponses,
        _ => WireApi::Gemini,
    };
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let streams = body["stream"] == json!(true) || path.contains("streamGenerateContent");
    let model = if api == WireApi::Gemini { path } else { body["model"].as_str().unwrap() };
    if let Some((_, number)) = model.split_once("fault-") {
        return (FAULTS[number[..2].parse::<usize>().unwrap()].steps)(api, streams);
    }
    let (kind, body) = if streams {
        ("text/event-stream", healthy::events(api).concat())
    } else {
        ("application/json", healthy::whole(api).to_owned())
    };
    let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: {kind}\r\n\r\n");
    vec![RawStep::Send((head + &body).into_bytes())]
}

/// Sends the request of a cell.
fn ask(world: &World, number: usize, cell: Cell) -> Answered {
    let (model, text) = (cell.model(), format!("question {number}"));
    let streams = cell.streams;
    let user = json!([{ "role": "user", "content": text }]);
    match cell.client {
        WireApi::AnthropicMessages => {
            let body = json!({ "model": model, "max_tokens": 500, "stream": streams, "messages": user });
            world.post("/v1/messages", &[], &body)
        }
        WireApi::OpenAiChat => {
            world.post("/v1/chat/completions", &[], &json!({ "model": model, "stream": streams, "messages": user }))
        }
        WireApi::OpenAiResponses => {
            world.post("/v1/responses", &[], &json!({ "model": model, "stream": streams, "input": text }))
        }
        WireApi::Gemini => {
            let verb = if streams { "streamGenerateContent?alt=sse" } else { "generateContent" };
            let body = json!({ "contents": [{ "role": "user", "parts": [{ "text": text }] }] });
            world.post(&format!("/v1beta/models/{model}:{verb}"), &[], &body)
        }
    }
}

/// Returns whether a body is a complete response in an API, with the text of the healthy provider.
fn is_complete(api: WireApi, streams: bool, body: &str) -> bool {
    let end = match (api, streams) {
        (WireApi::AnthropicMessages, true) => "event: message_stop",
        (WireApi::AnthropicMessages, false) => "\"stop_reason\":\"end_turn\"",
        (WireApi::OpenAiChat, _) => "\"finish_reason\":\"stop\"",
        (WireApi::OpenAiResponses, true) => "event: response.completed",
        (WireApi::OpenAiResponses, false) => "\"status\":\"completed\"",
        (WireApi::Gemini, _) => "\"finishReason\":\"STOP\"",
    };
    body.contains(end) && body.contains("llo.") && !has_error_event(api, body)
}

/// Returns whether a stream has an error event of an API.
fn has_error_event(api: WireApi, body: &str) -> bool {
    match api {
        WireApi::AnthropicMessages => body.contains("event: error\ndata: {\"type\":\"error\""),
        WireApi::OpenAiChat | WireApi::Gemini => body.contains("data: {\"error\":{"),
        WireApi::OpenAiResponses => body.contains("\"type\":\"error\"") || body.contains("event: response.failed"),
    }
}

/// Returns whether a body is an error response in the format of an API.
fn is_error_body(api: WireApi, body: &str) -> bool {
    let Ok(body) = serde_json::from_str::<Value>(body) else { return false };
    let error = &body["error"];
    let has_message = error["message"].as_str().is_some_and(|message| !message.is_empty());
    has_message
        && match api {
            WireApi::AnthropicMessages => body["type"] == "error" && error["type"].is_string(),
            WireApi::OpenAiChat | WireApi::OpenAiResponses => error["type"].is_string(),
            WireApi::Gemini => error["code"].is_u64() && error["status"].is_string(),
        }
}

/// Checks the response that the client has received. `falls_back` is whether another model could respond.
fn check_response(cell: Cell, answer: &Answered, falls_back: bool) -> Result<(), String> {
    let fail = |problem: &str| Err(format!("{}: {problem}: {answer:?}", cell.name()));
    if answer.cut {
        return fail("the connection broke off");
    }
    if answer.body.trim().is_empty() {
        return fail("the response is empty");
    }
    match cell.outcome() {
        Outcome::Complete if answer.status == 200 && is_complete(cell.client, cell.streams, &answer.body) => Ok(()),
        Outcome::Complete => fail("the response is not complete"),
        Outcome::Within(_) => {
            let is_failed = has_error_event(cell.client, &answer.body);
            if answer.status == 200 && is_failed { Ok(()) } else { fail("the stream has no error event") }
        }
        Outcome::Before(..) if falls_back => {
            let is_fallback = answer.status == 200 && answer.header("x-turnwise-fallbacks") == "1";
            let is_answered = is_complete(cell.client, cell.streams, &answer.body);
            if is_fallback && is_answered { Ok(()) } else { fail("the fallback did not respond") }
        }
        Outcome::Before(class, status) => {
            let expected = status.unwrap_or_else(|| wire::error_kind(cell.client, class).0);
            let is_refused = answer.status == expected && is_error_body(cell.client, &answer.body);
            if is_refused { Ok(()) } else { fail(&format!("not an error with status {expected}")) }
        }
    }
}

/// Checks the events of the turn of a cell.
fn check_log(
    cell: Cell,
    failed: Option<ErrorClass>,
    ended: Option<TurnStatus>,
    falls_back: bool,
) -> Result<(), String> {
    let (class, status) = match cell.outcome() {
        Outcome::Complete => (None, TurnStatus::Completed),
        Outcome::Within(class) => (Some(class), TurnStatus::Failed),
        Outcome::Before(class, _) => (Some(class), if falls_back { TurnStatus::Completed } else { TurnStatus::Failed }),
    };
    if (failed, ended) == (class, Some(status)) {
        return Ok(());
    }
    Err(format!("{}: recorded as {failed:?} and {ended:?}, not {class:?} and {status:?}", cell.name()))
}

/// Runs all cells against a gateway with this setting of `fallback`, and returns the problems.
fn run(fallback: &str) -> Vec<String> {
    let falls_back = fallback == "any";
    let policy = format!(
        "schema_version: 1\nglobal_default: sonnet\ngateway: {{client_model: override, fallback: {fallback}}}\n"
    );
    let upstream = RawUpstream::start(respond).unwrap();
    let world = World::wished(&Wish {
        policy: &policy,
        models: Some(&models()),
        upstream: Some(upstream.url()),
        providers: providers(&upstream.url()),
        idle_ms: Some(4_000),
        first_byte_ms: Some(4_000),
        answer_bytes: Some(MAX_RESPONSE_BYTES),
        ..Wish::default()
    });
    let cells = cells();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(cell) = cells.get(number) else { return done };
            let answer = ask(&world, number, *cell);
            let turn = answer.headers.get("x-turnwise-turn").map(|turn| turn.to_str().unwrap().to_owned());
            done.push((*cell, turn, check_response(*cell, &answer, falls_back)));
        }
    };
    let done: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    world.ended(cells.len());
    let failed: BTreeMap<String, ErrorClass> =
        world.events::<LlmCallFailed>().into_iter().map(|failed| (failed.turn.to_string(), failed.class)).collect();
    let ended: BTreeMap<String, TurnStatus> =
        world.events::<TurnEnded>().into_iter().map(|ended| (ended.turn.to_string(), ended.status)).collect();
    let mut problems = Vec::new();
    for (cell, turn, response) in done {
        problems.extend(response.err());
        match turn {
            None => problems.push(format!("{}: no turn in the header", cell.name())),
            Some(turn) => {
                let (failed, ended) = (failed.get(&turn).copied(), ended.get(&turn).copied());
                problems.extend(check_log(cell, failed, ended, falls_back).err());
            }
        }
    }
    problems
}

/// Fails with the first problems.
fn report(problems: &[String]) {
    assert!(FAULTS.len() >= 30, "{} faults", FAULTS.len());
    let first: Vec<_> = problems.iter().take(12).map(String::as_str).collect();
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), first.join("\n"));
}

#[test]
fn another_model_responds_to_every_fault_before_the_first_byte() {
    report(&run("any"));
}

#[test]
fn without_another_model_the_client_receives_an_error_of_its_own_api_for_every_fault() {
    report(&run("never"));
}

#[test]
fn the_matrix_has_a_cell_for_every_fault_and_pair_of_apis() {
    assert_eq!(cells().len(), FAULTS.len() * 32);
}
