//! Prepares a request for a provider: the client's bytes with edits, or a conversion to another API.

use std::collections::BTreeSet;

use adapters::ProviderConfig;
use contracts::{Requirement, WireApi};
use hyper::body::Bytes;
use wire::{
    ConversionOptions, Edit, RequestSummary, apply_edits, convert_request, remove_message_prefix,
    remove_signed_thinking, remove_thinking_settings, request_stream_usage, set_model,
};

use super::{FailedAttempt, Incoming, target::Target};

/// A client's request in the form in which it is sent to a provider.
#[derive(Debug)]
pub(super) struct Outgoing {
    /// The request in the target's API.
    pub(super) body: Bytes,
    /// Whether the gateway added a request for a usage chunk. The chunk is then removed from the response.
    pub(super) hides_usage: bool,
}

/// Converts a client's request for the provider of `target`: sets the model, removes `@` mentions and the features that
/// the model does not support, and converts the body if the model is called in another API. Without any change, the
/// result is the body of the client.
///
/// # Errors
/// [`FailedAttempt`] with `not_convertible` if the target's API cannot express the request.
pub(super) fn prepare(
    incoming: &Incoming,
    inspected: &RequestSummary<'_>,
    target: &Target,
    provider: &ProviderConfig,
) -> Result<Outgoing, FailedAttempt> {
    let (body, model) = (&incoming.body, target.model.id.model());
    let same_api = target.api == incoming.api;
    let streams = incoming.streams(inspected);
    let mut edits: Vec<Edit> = mention_edits(body, inspected, target);
    if target.adapted.contains(&Requirement::EarlierThinking) {
        edits.extend(remove_signed_thinking(body, inspected));
    }
    if !same_api {
        let edited = if edits.is_empty() { body.clone() } else { Bytes::from(apply_edits(body, edits)) };
        let conversion = ConversionOptions {
            from: incoming.api,
            to: target.api,
            model,
            stream: streams,
            accepts_effort: target.model.capabilities.effort,
            newer_chat: provider.newer_chat,
            may_drop: &target.adaptable,
            max_output: target.model.max_output,
        };
        let converted =
            convert_request(&conversion, &edited).map_err(|error| FailedAttempt::not_convertible(error.to_string()))?;
        return Ok(Outgoing { body: Bytes::from(converted.body), hides_usage: false });
    }
    if inspected.model.as_deref() != Some(model) {
        edits.extend(set_model(inspected, model));
    }
    let unsupported: BTreeSet<_> =
        target.adapted.iter().copied().filter(|feature| !target.model.capabilities.takes(*feature)).collect();
    if !unsupported.is_empty() {
        edits.extend(remove_thinking_settings(body, inspected, &unsupported));
    }
    let hides_usage =
        target.api == WireApi::OpenAiChat && streams && !inspected.requests_stream_usage && provider.newer_chat;
    if hides_usage {
        edits.extend(request_stream_usage(body, inspected));
    }
    // Without edits, the received bytes are forwarded as they are.
    let body = if edits.is_empty() { body.clone() } else { Bytes::from(apply_edits(body, edits)) };
    Ok(Outgoing { body, hides_usage })
}

/// Returns the edits that remove the `@` mentions of models at the start of the user's messages. The outcome of the
/// turn contains their lengths.
fn mention_edits(body: &[u8], inspected: &RequestSummary<'_>, target: &Target) -> Vec<Edit> {
    let messages = inspected.user_messages.iter().zip(&target.outcome.mention_bytes);
    messages
        .filter(|(_, bytes)| 0 < **bytes)
        .filter_map(|(message, bytes)| remove_message_prefix(body, message, *bytes))
        .collect()
}
