//! Converts a client's request into the input of the engine: session, thread, name of the turn, message, requirements.

use std::collections::BTreeSet;

use catalogue::estimate::PromptShape;
use contracts::{AuxiliaryCall, ClientRequest, SessionId, Thread, ThreadId};
use engine::{History, MAX_FAILURE_BYTES, ToolResult, TurnInput};
use event_core::Hex;
use wire::{ClientHeaders, Lineage, RequestSummary, resolve_lineage};

use super::Incoming;
use crate::gateway::Gateway;

/// Identifies session, thread and client of a request from its headers and body.
pub(super) fn lineage(incoming: &Incoming, inspected: &RequestSummary<'_>) -> Lineage {
    let headers = incoming.headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
    resolve_lineage(&ClientHeaders::parse(headers), Some(&inspected.identity))
}

/// The thread id of a sub-agent whose client sends no id for it.
const UNNAMED: &str = "unnamed";

/// Returns the thread of a client's request: the main conversation, a sub-agent, or the auxiliary calls of one kind. An
/// auxiliary call has its own thread and therefore ends no turn of the conversation.
fn thread(lineage: &Lineage, auxiliary: Option<AuxiliaryCall>) -> Thread {
    if let Some(kind) = auxiliary {
        return Thread::Auxiliary(kind);
    }
    let id = lineage.thread.as_deref().or_else(|| lineage.subagent.then_some(UNNAMED));
    id.and_then(thread_id).into()
}

/// Parses the id of a sub-agent; `None` if it is too long or empty.
fn thread_id(id: &str) -> Option<ThreadId> {
    ThreadId::try_from(id).ok()
}

/// Returns the numbers of characters, messages, images and tools of the prompt, from which its tokens are estimated.
pub(crate) fn prompt_shape(summary: &RequestSummary<'_>) -> PromptShape {
    let counts = summary.prompt;
    PromptShape {
        // No response has reported tokens yet.
        recorded_tokens: 0,
        characters: counts.characters,
        messages: counts.messages,
        images: counts.images,
        tools: counts.tools,
        tool_characters: counts.tool_characters,
    }
}

/// Returns the tool results in the request, in the form that the engine records.
fn tool_results(inspected: &RequestSummary<'_>) -> Vec<ToolResult> {
    let answer = |result: &wire::ToolResult<'_>| ToolResult {
        id: result.call_id.to_string(),
        failed: result.is_error == Some(true),
        bytes: result.bytes,
        extensions: result.file_extensions(),
        failure: if result.is_error == Some(true) { result.text_start(MAX_FAILURE_BYTES) } else { String::new() },
    };
    inspected.tool_results.iter().map(answer).collect()
}

/// Converts a client's request into the input of the engine. If the request has no session id, one is derived from the
/// start of the conversation.
pub(super) fn turn_input(
    gateway: &Gateway,
    incoming: &Incoming,
    inspected: &RequestSummary<'_>,
    lineage: &Lineage,
) -> TurnInput {
    let (message, earlier) = match inspected.user_messages.split_last() {
        Some((message, earlier)) => (message.text.as_ref(), earlier),
        None => ("", [].as_slice()),
    };
    let named = lineage.session.as_deref().and_then(|session| SessionId::try_from(session).ok());
    let is_named = named.is_some();
    let derived_id = || SessionId::try_from(format!("http-{}", Hex(&inspected.conversation_hash)).as_str());
    // Hexadecimal text is always a valid session id.
    let session = named.or_else(|| derived_id().ok()).unwrap_or_else(|| gateway.unnamed_session());
    let input = TurnInput::new(session, turn_name(inspected, lineage, message), message);
    TurnInput {
        thread: thread(lineage, inspected.auxiliary_call),
        parent_thread: lineage.parent.as_deref().and_then(thread_id),
        earlier_messages: earlier.iter().map(|message| mention_prefix(&message.text)).collect(),
        skills: inspected.matching_skills(message),
        images: inspected.last_message_has_images,
        workspace: lineage.workspace.clone(),
        client: lineage.client.as_ref().map(|client| match &lineage.client_version {
            Some(version) => truncate(&format!("{client} {version}"), 100),
            None => client.clone(),
        }),
        needs: inspected.needs,
        prompt: prompt_shape(inspected),
        history: History { tool_calls: u64::from(inspected.tool_calls_in_history), ..History::default() },
        request: Some(client_request(gateway, incoming, inspected, lineage)),
        continues: inspected.continues_turn,
        tool_results: tool_results(inspected),
        calls_in_history: history_call_ids(inspected, is_named),
        ..input
    }
}

/// Returns the properties of the client's request that events record. The engine adds the fields `named` and
/// `signed_by`.
fn client_request(
    gateway: &Gateway,
    incoming: &Incoming,
    inspected: &RequestSummary<'_>,
    lineage: &Lineage,
) -> ClientRequest {
    ClientRequest {
        api: incoming.api,
        client: lineage.client.clone().map(|client| truncate(&client, 40)),
        model: truncate(incoming.model(inspected), 128),
        named: None,
        auxiliary: inspected.auxiliary_call,
        subagent: lineage.subagent,
        requires: inspected.requires.clone(),
        signed_by: BTreeSet::new(),
        web_search: inspected.web_search,
        brings_key_of: gateway.client_key_provider(incoming),
        imported: false,
    }
}

/// Returns the name of the turn within its session: thread, kind of auxiliary call, number of user messages, and hash
/// of the last one. The same request has the same name.
fn turn_name(inspected: &RequestSummary<'_>, lineage: &Lineage, message: &str) -> String {
    let hash = blake3::hash(message.as_bytes());
    let start_of_hash = hash.as_bytes().get(..8).unwrap_or_default();
    let auxiliary = inspected.auxiliary_call.map_or("", AuxiliaryCall::name);
    let thread = lineage.thread.as_deref().unwrap_or_default();
    format!("{thread}/{auxiliary}/{}/{}", inspected.user_messages.len(), Hex(start_of_hash))
}

/// Returns the ids of the tool calls in the history, if the client sends no session id: several runs of the client may
/// then have the same derived session, and these ids distinguish them. `None` for a client that sends session ids: it
/// has one run per session, and removes calls when it shortens the history.
fn history_call_ids(inspected: &RequestSummary<'_>, is_named: bool) -> Option<BTreeSet<String>> {
    let calls = inspected.call_ids.as_ref().filter(|_| !is_named)?;
    Some(calls.iter().map(ToString::to_string).collect())
}

/// Returns the start of a message, in which an `@` mention of a model may be: at most 1,024 bytes. Empty if the message
/// does not start with `@` or `\\`.
fn mention_prefix(text: &str) -> String {
    if text.starts_with(['@', '\\']) { truncate(text, 1_024) } else { String::new() }
}

/// Returns the start of a text of at most `bytes` bytes, cut at a character boundary.
fn truncate(text: &str, bytes: usize) -> String {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or_default().to_owned()
}
