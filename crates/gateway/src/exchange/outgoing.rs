//! A request as a provider is to get it: the client's own bytes with a few replaced, or the same said in another API.

use std::collections::BTreeSet;

use contracts::{Requirement, WireApi, events::ErrorClass};
use hyper::{StatusCode, body::Bytes};
use wire::{
    Conversion, ConvertError, Edit, Inspected, apply, ask_for_usage, convert_request, cut_override, set_model,
    without_signatures, without_thinking,
};

use super::{Incoming, decided::Decided};
use crate::{configuration::Provider, upstream::Failed};

/// A request to be sent.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) body: Bytes,
    /// Whether the account of usage was asked for here, and is to be taken out of the answer again.
    pub(super) hides_usage: bool,
    /// What was dropped of it.
    pub(super) dropped: BTreeSet<Requirement>,
}

/// Makes it, for a provider.
pub(super) fn outgoing(
    incoming: &Incoming,
    inspected: &Inspected<'_>,
    decided: &Decided,
    provider: &Provider,
) -> Result<Outgoing, Failed> {
    let (body, model) = (&incoming.body, decided.model.id.model());
    let same_api = decided.api == incoming.api;
    let streams = incoming.streams(inspected);
    let mut edits: Vec<Edit> = addresses(body, inspected, decided);
    let mut dropped = BTreeSet::new();
    if drops_signatures(decided) {
        edits.extend(without_signatures(body, inspected));
        dropped.insert(Requirement::Signatures);
    }
    if !same_api {
        let edited = if edits.is_empty() { body.clone() } else { Bytes::from(apply(body, edits)) };
        let conversion = Conversion {
            from: incoming.api,
            to: decided.api,
            model,
            stream: streams,
            takes_effort: decided.model.capabilities.effort,
            newer_chat: provider.newer_chat,
            may_drop: &decided.may_drop,
            max_output: decided.model.max_output,
        };
        let converted = convert_request(&conversion, &edited).map_err(|error| unsayable(&error))?;
        dropped.extend(converted.dropped);
        return Ok(Outgoing { body: Bytes::from(converted.body), hides_usage: false, dropped });
    }
    if inspected.model.as_deref() != Some(model) {
        edits.extend(set_model(inspected, model));
    }
    let not_taken = not_taken(decided);
    if !not_taken.is_empty() {
        edits.extend(without_thinking(body, inspected, &not_taken));
        dropped.extend(not_taken);
    }
    let hides_usage = decided.api == WireApi::OpenAiChat && streams && !inspected.asks_usage && provider.newer_chat;
    if hides_usage {
        edits.extend(ask_for_usage(body, inspected));
    }
    // Nothing to change: the very bytes that came.
    let body = if edits.is_empty() { body.clone() } else { Bytes::from(apply(body, edits)) };
    Ok(Outgoing { body, hides_usage, dropped })
}

/// The addresses at the start of the user's messages, cut out.
fn addresses(body: &[u8], inspected: &Inspected<'_>, decided: &Decided) -> Vec<Edit> {
    let messages = inspected.user_messages.iter().zip(&decided.addresses);
    messages
        .filter(|(_, bytes)| 0 < **bytes)
        .filter_map(|(message, bytes)| cut_override(body, message, *bytes))
        .collect()
}

/// Whether thinking that another model signed has to go, and may.
fn drops_signatures(decided: &Decided) -> bool {
    let request = &decided.request;
    request.requires.contains(&Requirement::Signatures)
        && decided.may_drop.contains(&Requirement::Signatures)
        && request.signed_by.iter().any(|signer| *signer != decided.model.id)
}

/// What the model does not take, and what may be dropped.
fn not_taken(decided: &Decided) -> BTreeSet<Requirement> {
    let can = decided.model.capabilities;
    let required = decided.request.requires.intersection(&decided.may_drop).copied();
    required.filter(|requirement| !can.takes(*requirement)).collect()
}

/// The chain let a request through that the other API cannot carry after all.
fn unsayable(error: &ConvertError) -> Failed {
    let body = Bytes::from(error.to_string());
    Failed {
        class: ErrorClass::InvalidRequest,
        status: Some(StatusCode::BAD_REQUEST),
        retries: 0,
        body,
        retry_after: None,
        unsayable: true,
    }
}
