//! What a request is to the engine: whose turn it starts or goes on with, and which model takes it.

use std::{collections::BTreeSet, fmt::Write as _};

use adapters::estimate::{PromptShape, estimates};
use contracts::{
    CacheLifetime, ClientRequest, Delegation, FailedCandidate, ModelId, ModelSpec, Requirement, SessionId, SideCall,
    ThreadId, TurnId, WireApi, facts::CallRole,
};
use engine::{Arrival, Arrived, Call, Engine, EngineError, NewTurn, Sent, ToolAnswer};
use hyper::{Response, header::HeaderValue};
use router_core::{Banner, OverrideError, SideCalls, address, spoken_to};
use wire::{ClientHeaders, Inspected, Lineage, identify};

use super::{Incoming, refusal};
use crate::{
    body::Answer,
    desk::{Closed, Receipt},
    gateway::Gateway,
};

/// A request that the engine took.
pub(super) struct Taken {
    pub(super) decided: Decided,
    pub(super) receipt: Receipt,
    pub(super) lineage: Lineage,
}

/// Who takes a request, as decided.
#[derive(Debug, Clone)]
pub(crate) struct Decided {
    pub(crate) turn: TurnId,
    pub(crate) session: SessionId,
    /// The request, with all that the engine knows of it.
    pub(crate) request: ClientRequest,
    pub(crate) model: ModelSpec,
    /// The API in which the model is asked.
    pub(crate) api: WireApi,
    pub(crate) sent: Sent,
    /// The policy that decided, and its reason, as they stand in headers.
    pub(crate) policy: &'static str,
    pub(crate) reason: String,
    /// What may be left out.
    pub(crate) may_drop: BTreeSet<Requirement>,
    /// For each of the user's messages, how many bytes of its text are an address.
    pub(crate) addresses: Vec<usize>,
}

impl Decided {
    /// Says in headers who answers, by which policy, in which turn.
    pub(crate) fn label(&self, response: &mut Response<Answer>, fell_through: usize) {
        let headers = response.headers_mut();
        let mut put = |name: &'static str, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        };
        put("x-turnwise-model", self.model.id.as_str());
        put("x-turnwise-policy", self.policy);
        put("x-turnwise-reason", &printable(&self.reason));
        put("x-turnwise-turn", &self.turn.to_string());
        if 0 < fell_through {
            put("x-turnwise-fell-through", &fell_through.to_string());
        }
    }
}

/// A reason on one line of plain characters, as headers need it.
fn printable(reason: &str) -> String {
    let reason = reason.replace('→', "->");
    reason.chars().map(|c| if c.is_ascii_graphic() { c } else { ' ' }).take(200).collect()
}

/// What the engine made of a request.
enum Outcome {
    Decided(Box<Decided>),
    /// No model can take it.
    Nobody {
        turn: TurnId,
        banners: Vec<Banner>,
        temporary: bool,
    },
    /// The message is addressed to no model.
    Address(OverrideError),
    Failed(EngineError),
}

/// Gives a request to the engine.
pub(super) async fn take(
    gateway: &Gateway,
    incoming: &Incoming,
    inspected: &Inspected<'_>,
) -> Result<Result<Taken, Response<Answer>>, Closed> {
    let lineage = lineage(incoming, inspected);
    let (arrival, request) = arrival(gateway, incoming, inspected, &lineage);
    let tool_answers = tool_answers(inspected);
    let context = Context::of(inspected, &lineage, &request);
    let messages: Vec<String> = inspected.user_messages.iter().map(|message| start_of(&message.text)).collect();
    let taken = gateway.desk().record(move |engine| decide(engine, arrival, &tool_answers, context, &messages)).await?;
    let (outcome, receipt) = taken;
    let refuse = |status, kind, message: &str| Ok(Err(refusal::refused(incoming.api, status, kind, message)));
    match outcome {
        Outcome::Decided(decided) => Ok(Ok(Taken { decided: *decided, receipt, lineage })),
        Outcome::Nobody { turn, banners, temporary } => {
            receipt.on_disk().await?;
            let text: Vec<_> = banners.iter().map(ToString::to_string).collect();
            let message = format!("turnwise: {}\n  GET /turns/{turn} says why.", text.join("\n"));
            let (status, kind) = if temporary { (503, "overloaded_error") } else { (400, "invalid_request_error") };
            let mut response = refusal::refused(incoming.api, status, kind, &message);
            if let Ok(value) = HeaderValue::from_str(&turn.to_string()) {
                response.headers_mut().insert("x-turnwise-turn", value);
            }
            Ok(Err(response))
        }
        Outcome::Address(error) => refuse(400, "invalid_request_error", &format!("turnwise: {error}")),
        Outcome::Failed(error) => {
            tracing::error!(%error, "a request could not be decided");
            refuse(500, "api_error", "turnwise: the request could not be decided; the gateway's own output says why")
        }
    }
}

/// Asks the chain again without the models that failed; none when nobody is left.
pub(super) async fn fall_through(
    gateway: &Gateway,
    decided: &Decided,
    inspected: &Inspected<'_>,
    failed: Vec<FailedCandidate>,
    lineage: &Lineage,
) -> Result<Option<(Decided, Receipt)>, Closed> {
    let (session, turn, request) = (decided.session.clone(), decided.turn, decided.request.clone());
    let message = inspected.user_messages.last().map(|message| message.text.to_string()).unwrap_or_default();
    let addressed = decided.addresses.last().copied().unwrap_or_default();
    let message = message.get(addressed..).unwrap_or_default().to_owned();
    let (context, addresses) = (Context::of(inspected, lineage, &request), decided.addresses.clone());
    let asked = gateway
        .desk()
        .record(move |engine| {
            let step = engine.fall_through(&session, turn, &message, Some(request.clone()), failed)?;
            let Some(model) = step.decided.decision.model.clone() else { return Ok(None) };
            let winner = step.decided.decision.winner();
            let because = (winner.map_or("", |entry| entry.slot.name()), winner.map(router_core::reason_text));
            let request = step.decided.request.clone().unwrap_or(request);
            seal(engine, (turn, session), &model, request, context, because, addresses).map(Some)
        })
        .await?;
    let (outcome, receipt): (Result<Option<Decided>, EngineError>, _) = asked;
    match outcome {
        Ok(Some(decided)) => Ok(Some((decided, receipt))),
        Ok(None) => {
            receipt.on_disk().await?;
            Ok(None)
        }
        Err(error) => {
            tracing::error!(%error, "the chain could not be asked again");
            Ok(None)
        }
    }
}

/// What a call needs beside its model.
#[derive(Debug, Clone)]
struct Context {
    thread: Option<ThreadId>,
    role: CallRole,
    prompt: PromptShape,
    cache_lifetime: Option<CacheLifetime>,
}

impl Context {
    fn of(inspected: &Inspected<'_>, lineage: &Lineage, request: &ClientRequest) -> Self {
        let role = match (request.side, lineage.subagent) {
            (Some(_), _) => CallRole::Side,
            (None, true) => CallRole::Worker,
            (None, false) => CallRole::Planner,
        };
        Self { thread: thread(lineage), role, prompt: shape(inspected), cache_lifetime: None }
    }
}

fn decide(
    engine: &mut Engine,
    mut arrival: Arrival,
    tool_answers: &[ToolAnswer],
    context: Context,
    messages: &[String],
) -> Outcome {
    let registry = std::sync::Arc::clone(&engine.models().registry);
    let addresses: Vec<usize> = messages.iter().map(|text| addressed(text, &registry)).collect();
    if address(&arrival.new.message, &registry).is_err() && is_a_mention(&arrival.new.message) {
        // What the client means by `@` is no model: the text stays as it is.
        arrival.new.message.insert(0, '\\');
    }
    let request = arrival.new.request.as_mut();
    if let Some(request) = request {
        request.named = registry.named(&request.model).map(|model| model.id.clone());
        request.signed_by = engine.signed_by(&arrival.new.session, arrival.new.thread.as_ref(), request);
        if request.side.is_some()
            && let SideCalls::Tier(tier) = engine.policy().policy.gateway().side_calls
        {
            arrival.new.delegation = Some(Delegation { tier });
        }
    }
    let session = arrival.new.session.clone();
    let arrived = match engine.arrive(&arrival) {
        Ok(arrived) => arrived,
        Err(EngineError::Override(error)) => return Outcome::Address(error),
        Err(error) => return Outcome::Failed(error),
    };
    let Some(request) = arrival.new.request else { return Outcome::Failed(EngineError::NothingDecided) };
    let (turn, model, because) = match arrived {
        Arrived::Continues { turn, model } => (turn, model, ("TURN_LOCK", Some("the turn goes on".to_owned()))),
        Arrived::Started(started) => {
            let decision = &started.made.decided.decision;
            let Some(model) = decision.model.clone() else {
                let unavailable =
                    |failure: &contracts::Failure| matches!(failure, contracts::Failure::ProviderUnavailable(_));
                let attempts = |entry: &contracts::Evaluation| entry.attempts.iter().any(|a| unavailable(&a.failure));
                let temporary = decision
                    .chain
                    .iter()
                    .any(|entry| entry.failure.as_ref().is_some_and(unavailable) || attempts(entry));
                return Outcome::Nobody { turn: started.made.turn, banners: started.made.banners.clone(), temporary };
            };
            let winner = decision.winner();
            (
                started.made.turn,
                model,
                (winner.map_or("", |entry| entry.slot.name()), winner.map(router_core::reason_text)),
            )
        }
    };
    if !tool_answers.is_empty()
        && let Err(error) = engine.tools_answered(&session, turn, tool_answers)
    {
        return Outcome::Failed(error);
    }
    match seal(engine, (turn, session), &model, request, context, because, addresses) {
        Ok(decided) => Outcome::Decided(Box::new(decided)),
        Err(error) => Outcome::Failed(error),
    }
}

/// Records that the call is sent, and puts together what is needed for it.
fn seal(
    engine: &mut Engine,
    (turn, session): (TurnId, SessionId),
    model: &ModelId,
    request: ClientRequest,
    context: Context,
    (policy, reason): (&'static str, Option<String>),
    addresses: Vec<usize>,
) -> Result<Decided, EngineError> {
    let unknown = || EngineError::UnknownModel { name: model.to_string(), hint: String::new() };
    let spec = engine.models().registry.get(model).ok_or_else(unknown)?.clone();
    let may_drop = engine.policy().policy.gateway().may_drop.clone();
    // The chain has made sure that there is one; a locked model is asked in its own API whatever came since.
    let api = spoken_to(&spec, &request, &may_drop).unwrap_or_else(|_| {
        if spec.apis.contains(&request.api) { request.api } else { spec.apis.first().copied().unwrap_or(request.api) }
    });
    let Context { thread, role, prompt, cache_lifetime } = context;
    let estimated_input = estimates(&prompt).of(spec.tokenizer);
    let call =
        Call { turn, session: session.clone(), thread, model: model.clone(), role, estimated_input, cache_lifetime };
    let sent = engine.call_sent(call)?;
    let reason = reason.unwrap_or_default();
    Ok(Decided { turn, session, request, model: spec, api, sent, policy, reason, may_drop, addresses })
}

fn lineage(incoming: &Incoming, inspected: &Inspected<'_>) -> Lineage {
    let headers = incoming.headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
    identify(&ClientHeaders::read(headers), Some(&inspected.identity))
}

fn thread(lineage: &Lineage) -> Option<ThreadId> {
    ThreadId::try_from(lineage.thread.as_deref()?).ok()
}

fn shape(inspected: &Inspected<'_>) -> PromptShape {
    let counts = inspected.prompt;
    PromptShape {
        recorded_tokens: 0,
        characters: counts.characters,
        messages: counts.messages,
        images: counts.images,
        tools: counts.tools,
        tool_characters: counts.tool_characters,
    }
}

fn tool_answers(inspected: &Inspected<'_>) -> Vec<ToolAnswer> {
    let answer = |result: &wire::ToolResult<'_>| ToolAnswer {
        id: result.call.to_string(),
        failed: result.is_error == Some(true),
        bytes: result.bytes,
    };
    inspected.tool_results.iter().map(answer).collect()
}

fn arrival(
    gateway: &Gateway,
    incoming: &Incoming,
    inspected: &Inspected<'_>,
    lineage: &Lineage,
) -> (Arrival, ClientRequest) {
    let message = inspected.user_messages.last();
    let text = message.map(|message| message.text.as_ref()).unwrap_or_default();
    let named = lineage.session.as_deref().and_then(|session| SessionId::try_from(session).ok());
    let opening = || SessionId::try_from(format!("http-{}", hex(&inspected.opening)).as_str());
    // Sixteen bytes in hexadecimal are always a name.
    let session = named.or_else(|| opening().ok()).unwrap_or_else(|| gateway.nameless_session());
    let asked = incoming.model(inspected);
    let request = ClientRequest {
        api: incoming.api,
        client: lineage.client.clone().map(|client| cut(&client, 40)),
        model: cut(asked, 128),
        named: None,
        side: inspected.side,
        subagent: lineage.subagent,
        requires: inspected.requires.clone(),
        signed_by: BTreeSet::new(),
        brings_key_of: gateway.key_brought(incoming),
    };
    let hash = blake3::hash(text.as_bytes());
    let beside = inspected.side.map_or("", SideCall::name);
    let place = inspected.user_messages.len();
    let thread = lineage.thread.as_deref().unwrap_or_default();
    let start = hash.as_bytes().get(..8).unwrap_or_default();
    let name = format!("{thread}/{beside}/{place}/{}", hex(start));
    let mut new = NewTurn::new(session, name, text);
    new.thread = thread_of(lineage, inspected.side);
    new.images = inspected.message_has_images;
    new.workspace.clone_from(&lineage.workspace);
    new.needs = inspected.needs;
    new.prompt = shape(inspected);
    new.seen.tool_calls = u64::from(inspected.tool_calls_in_history);
    new.request = Some(request.clone());
    new.client = lineage.client.as_ref().map(|client| match &lineage.client_version {
        Some(version) => cut(&format!("{client} {version}"), 100),
        None => client.clone(),
    });
    (Arrival { new, continues: inspected.continues }, request)
}

/// What is done beside the conversation has a thread of its own, so that it ends nothing.
fn thread_of(lineage: &Lineage, side: Option<SideCall>) -> Option<ThreadId> {
    match side {
        Some(side) => ThreadId::try_from(format!("beside-{}", side.name()).as_str()).ok(),
        None => thread(lineage),
    }
}

/// How many bytes at the start of a message are an address, or the backslash that keeps it from being one.
fn addressed(text: &str, registry: &contracts::Registry) -> usize {
    if !text.starts_with(['@', '\\']) {
        return 0;
    }
    // Beyond its first words a message says nothing about whom it is for, so the end of the text may be missing here.
    address(text, registry).map_or(0, |addressed| text.len() - addressed.text.len())
}

/// Enough of a message to see whom it is addressed to.
fn start_of(text: &str) -> String {
    if text.starts_with(['@', '\\']) { cut(text, 1_024) } else { String::new() }
}

/// What clients mean by `@` beside models: files, and agents of theirs.
fn is_a_mention(message: &str) -> bool {
    let word = message.split_whitespace().next().unwrap_or_default();
    word.contains(['/', '.', '"', '#', ':']) || word.starts_with("@agent-")
}

/// Bytes in hexadecimal.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The start of a text, cut at a character.
fn cut(text: &str, bytes: usize) -> String {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or_default().to_owned()
}
