//! A request in the engine's terms: whose it is, which turn it may belong to, what it says.

use std::collections::BTreeSet;

use catalogue::estimate::PromptShape;
use contracts::{AuxiliaryCall, ClientRequest, SessionId, ThreadId};
use engine::{Arrival, NewTurn, ToolAnswer};
use event_core::Hex;
use wire::{ClientHeaders, Inspected, Lineage, identify};

use super::Incoming;
use crate::gateway::Gateway;

/// Whose request it is: session, thread, client, as headers and body say.
pub(super) fn lineage(incoming: &Incoming, inspected: &Inspected<'_>) -> Lineage {
    let headers = incoming.headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
    identify(&ClientHeaders::read(headers), Some(&inspected.identity))
}

/// The sub-agent at work.
pub(super) fn thread(lineage: &Lineage) -> Option<ThreadId> {
    ThreadId::try_from(lineage.thread.as_deref()?).ok()
}

/// What the prompt is made of, for an estimate.
pub(crate) fn shape(inspected: &Inspected<'_>) -> PromptShape {
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

/// What tools brought.
pub(super) fn tool_answers(inspected: &Inspected<'_>) -> Vec<ToolAnswer> {
    let answer = |result: &wire::ToolResult<'_>| ToolAnswer {
        id: result.call.to_string(),
        failed: result.is_error == Some(true),
        bytes: result.bytes,
    };
    inspected.tool_results.iter().map(answer).collect()
}

/// The request as the engine takes it.
pub(super) fn arrival(
    gateway: &Gateway,
    incoming: &Incoming,
    inspected: &Inspected<'_>,
    lineage: &Lineage,
) -> (Arrival, ClientRequest) {
    let message = inspected.user_messages.last();
    let text = message.map(|message| message.text.as_ref()).unwrap_or_default();
    let named = lineage.session.as_deref().and_then(|session| SessionId::try_from(session).ok());
    let is_named = named.is_some();
    let opening = || SessionId::try_from(format!("http-{}", Hex(&inspected.opening)).as_str());
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
    let beside = inspected.side.map_or("", AuxiliaryCall::name);
    let place = inspected.user_messages.len();
    let thread = lineage.thread.as_deref().unwrap_or_default();
    let start = hash.as_bytes().get(..8).unwrap_or_default();
    let name = format!("{thread}/{beside}/{place}/{}", Hex(start));
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
    let answers = inspected.tool_results.iter().map(|result| result.call.to_string()).collect();
    let arrival = Arrival { new, continues: inspected.continues, answers, calls: calls(inspected, is_named) };
    (arrival, request)
}

/// The calls in the history, where several runs may be one session. A client that names its sessions has one run in each,
/// and leaves calls out of the history when it makes that shorter.
fn calls(inspected: &Inspected<'_>, is_named: bool) -> Option<BTreeSet<String>> {
    let calls = inspected.calls.as_ref().filter(|_| !is_named)?;
    Some(calls.iter().map(ToString::to_string).collect())
}

/// What is done beside the conversation has a thread of its own, so that it ends nothing.
fn thread_of(lineage: &Lineage, side: Option<AuxiliaryCall>) -> Option<ThreadId> {
    match side {
        Some(side) => ThreadId::try_from(format!("beside-{}", side.name()).as_str()).ok(),
        None => thread(lineage),
    }
}

/// Enough of a message to see whom it is addressed to.
pub(super) fn start_of(text: &str) -> String {
    if text.starts_with(['@', '\\']) { cut(text, 1_024) } else { String::new() }
}

/// The start of a text, cut at a character.
fn cut(text: &str, bytes: usize) -> String {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or_default().to_owned()
}
