//! Fuzz target for requests: inspection, edits and conversion.

use std::collections::BTreeSet;

use contracts::{Requirement, WireApi};
use serde::de::IgnoredAny;
use wire::{
    ClientHeaders, ConversionOptions, ConvertedRequest, Edit, RequestSummary, apply_edits, convert_request, inspect,
    remove_message_prefix, remove_signed_thinking, remove_thinking_settings, request_stream_usage, resolve_lineage,
    set_model,
};

use crate::selector::api;

/// The name of the model in edited and converted requests.
const MODEL: &str = "model \"of\" the provider";

/// Reads the first byte as an API and the rest as the body of a request: inspects it, applies every edit, and converts it
/// to the other APIs.
///
/// Panics if an edit leaves something other than JSON or another model than the new one; if a feature that the
/// other API does not have is lost in a conversion that reports nothing as dropped; or if a converted request cannot be
/// inspected.
pub fn check_wire_request(data: &[u8]) {
    let Some((selector, body)) = data.split_first() else { return };
    let api = api(*selector);
    let Ok(inspected) = inspect(api, body) else { return };
    check_texts(&inspected);
    check_edits(api, body, &inspected);
    for to in WireApi::ALL.into_iter().filter(|to| *to != api) {
        check_conversion(body, &inspected, to, *selector);
    }
}

/// Reads everything that is extracted from the texts of a request.
fn check_texts(inspected: &RequestSummary<'_>) {
    for message in &inspected.user_messages {
        assert!(message.span.as_ref().is_none_or(|span| span.start <= span.end), "{:?}", message.span);
        drop(inspected.matching_skills(&message.text));
    }
    for result in &inspected.tool_results {
        for extension in result.file_extensions() {
            assert!(extension.starts_with('.'), "{extension:?} is no extension");
        }
    }
    let lineage = resolve_lineage(&ClientHeaders::default(), Some(&inspected.identity));
    let ids = [lineage.session, lineage.thread, lineage.parent, lineage.workspace];
    for id in ids.iter().flatten() {
        assert!(id.len() <= 1_024 && !id.chars().any(char::is_control), "{id:?} is an id");
    }
}

/// Applies each edit, and all of them, to a body.
fn check_edits(api: WireApi, body: &[u8], inspected: &RequestSummary<'_>) {
    let unsupported: BTreeSet<_> = Requirement::ADAPTABLE.into_iter().collect();
    let renamed: Vec<_> = set_model(inspected, MODEL).into_iter().collect();
    let parts: [Vec<Edit>; 5] = [
        renamed.clone(),
        request_stream_usage(body, inspected).into_iter().collect(),
        inspected.user_messages.iter().filter_map(|message| remove_message_prefix(body, message, 1)).collect(),
        remove_signed_thinking(body, inspected).into_iter().collect(),
        remove_thinking_settings(body, inspected, &unsupported).into_iter().collect(),
    ];
    for edits in parts.iter().cloned().chain([parts.concat()]) {
        let edited = apply_edits(body, edits);
        serde_json::from_slice::<IgnoredAny>(&edited).expect("an edited request is JSON");
    }
    let edited = apply_edits(body, renamed);
    let edited = inspect(api, &edited).expect("a request with another model can be inspected");
    assert!(api == WireApi::Gemini || edited.model.as_deref() == Some(MODEL), "{:?} is the new model", edited.model);
}

/// Converts a request to another API, once with all optional features dropped and once with none.
fn check_conversion(body: &[u8], inspected: &RequestSummary<'_>, to: WireApi, selector: u8) {
    let adaptable: BTreeSet<_> = Requirement::ADAPTABLE.into_iter().collect();
    // Adaptable features are converted where the other API has an equivalent for the value.
    // Inspection requires the same API for every shape that it does not know; a conversion may still preserve it.
    let is_known = |feature: &&Requirement| **feature != Requirement::Native;
    let is_lost = |feature: &&Requirement| !feature.carried(inspected.api, to) && !feature.is_dropped_by(&adaptable);
    let lost: Vec<_> = inspected.requires.iter().filter(is_known).filter(is_lost).collect();
    for may_drop in [adaptable.clone(), BTreeSet::new()] {
        let options = ConversionOptions {
            from: inspected.api,
            to,
            model: MODEL,
            stream: inspected.stream,
            accepts_effort: selector & 4 == 0,
            newer_chat: selector & 8 == 0,
            may_drop: &may_drop,
            max_output: u64::from(selector & 16) * 1_000,
        };
        let Ok(ConvertedRequest { body: converted, dropped }) = convert_request(&options, body) else { continue };
        // A dropped item may be the one that requires the feature.
        let is_reported = lost.is_empty() || !dropped.is_empty();
        assert!(is_reported, "{lost:?} of {} is lost in {to} without a word", inspected.api);
        assert!(dropped.is_subset(&may_drop), "{dropped:?} must not be dropped");
        let read = inspect(to, &converted);
        assert!(read.is_ok(), "a request of {} as {to}: {read:?}", inspected.api);
    }
}
