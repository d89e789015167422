//! Converts a request: system messages, effort and limits are adapted between parsing and writing.

use std::collections::BTreeSet;

use contracts::Requirement;
use serde_json::{Number, Value};

use super::{
    ConversionOptions, ConvertError, ConvertedRequest,
    canonical::request::{Block, Effort, Image, Message, Request, Role},
    fields::reject_inexact_numbers,
    gate::FeatureGate,
    object::bytes_of,
};
use crate::{api, limits};

/// The output limit in tokens if neither the request nor the options of the conversion have one, for APIs that require
/// a limit. All current models support it.
const DEFAULT_MAX_OUTPUT: u64 = 8_192;

/// Converts the body of a request from the client's API to the provider's: parses it to the canonical form, checks and
/// adapts it, and writes the provider's form. Returns the new body and the features that were dropped.
///
/// # Errors
/// [`ConvertError::Requires`] if the request uses a feature that the other API does not support and that may not be
/// dropped; [`ConvertError::Malformed`] if it does not follow its API.
pub fn convert_request(conversion: &ConversionOptions<'_>, body: &[u8]) -> Result<ConvertedRequest, ConvertError> {
    let body: Value =
        serde_json::from_slice(body).map_err(|_| ConvertError::malformed("the request", "cannot be read exactly"))?;
    reject_inexact_numbers(&body)?;
    let mut gate = FeatureGate::new(conversion);
    let mut request = api::implementation(conversion.from).read_request(body, &mut gate)?;
    move_system_prompt(&mut request);
    convert_later_system_messages(&mut request, &mut gate)?;
    check_prefill(&request, &gate)?;
    check_effort(&mut request, conversion, &mut gate)?;
    check_limits(&request, &mut gate)?;
    if conversion.max_output > 0 {
        request.max_output = request.max_output.map(|client_limit| client_limit.min(conversion.max_output));
    }
    let body = api::implementation(conversion.to).write_request(request, conversion, &mut gate)?;
    Ok(ConvertedRequest { body: bytes_of(&body), dropped: gate.dropped() })
}

impl ConversionOptions<'_> {
    /// Returns the output limit in tokens for APIs that require one: the requested limit, or else the limit of the
    /// model, or else a default.
    pub(crate) const fn output_limit(&self, client_limit: Option<u64>) -> u64 {
        match client_limit {
            Some(client_limit) => client_limit,
            None if self.max_output > 0 => self.max_output,
            None => DEFAULT_MAX_OUTPUT,
        }
    }
}

/// Moves the texts of system messages at the start of the conversation to the end of the system prompt.
fn move_system_prompt(request: &mut Request) {
    let leading_count = request.messages.iter().take_while(|message| message.role == Role::System).count();
    let texts = request.messages.drain(..leading_count).flat_map(|message| message.blocks);
    request.system.extend(texts.filter_map(|block| match block {
        Block::Text(text) => Some(text),
        _ => None,
    }));
}

/// Converts system messages within the conversation to user messages whose text is enclosed in `<system>` tags, if the
/// provider's API supports system messages only at the start. Consecutive messages of one role are then merged, and
/// tool results moved to the start of their message, directly after their calls.
///
/// # Errors
/// [`ConvertError::Requires`] if the request may not be adapted in this way.
fn convert_later_system_messages(request: &mut Request, gate: &mut FeatureGate<'_>) -> Result<(), ConvertError> {
    let is_system = |message: &Message| message.role == Role::System;
    if Requirement::MidConversationSystem.carried(gate.from(), gate.to()) || !request.messages.iter().any(is_system) {
        return Ok(());
    }
    gate.drop_feature(Requirement::MidConversationSystem)?;
    for message in request.messages.iter_mut().filter(|message| is_system(message)) {
        message.role = Role::User;
        for block in &mut message.blocks {
            if let Block::Text(text) = block
                && !limits::is_blank(text)
            {
                *text = format!("<system>\n{text}\n</system>");
            }
        }
    }
    request.messages = merge_consecutive_roles(std::mem::take(&mut request.messages));
    for message in &mut request.messages {
        message.blocks.sort_by_key(|block| !matches!(block, Block::ToolResult(_)));
    }
    Ok(())
}

/// Checks the reasoning effort. If the model accepts an effort, its level has to be supported or dropped, and a thinking
/// budget without an effort is converted to the corresponding one; otherwise the effort is removed from the request and
/// dropped as a feature.
///
/// # Errors
/// [`ConvertError::Requires`] if it may not be dropped.
fn check_effort(
    request: &mut Request,
    conversion: &ConversionOptions<'_>,
    gate: &mut FeatureGate<'_>,
) -> Result<(), ConvertError> {
    if conversion.accepts_effort {
        // The budget itself was dropped when the request was parsed.
        request.effort = request.effort.or(request.thinking_budget.map(Effort::from_thinking_budget));
        let requires = request.effort.and_then(|effort| limits::required_by_effort(effort.name()));
        return requires.map_or(Ok(()), |requirement| gate.require_or_drop(requirement));
    }
    match request.effort.take() {
        None => Ok(()),
        // Models without an effort do not think, except Google's, which think by default.
        Some(Effort::None) if !api::implementation(conversion.to).thinks_by_default() => Ok(()),
        Some(Effort::None) => gate.drop_feature(Requirement::NoThinking),
        Some(_) => gate.drop_feature(Requirement::Effort),
    }
}

/// Checks that the provider's API supports a conversation that ends with a message of the model. Anthropic's models
/// continue that message, others start a new one; only `OpenAI`'s two APIs treat it the same.
///
/// # Errors
/// [`ConvertError::Requires`] with [`Requirement::Prefill`] if it does not.
fn check_prefill(request: &Request, gate: &FeatureGate<'_>) -> Result<(), ConvertError> {
    // A blank message is not sent to every API.
    let last = request.messages.iter().rfind(|message| message.role == Role::Assistant || message.has_content());
    let ends_with_model = last.is_some_and(|last| last.role == Role::Assistant);
    if ends_with_model { gate.require(Requirement::Prefill) } else { Ok(()) }
}

/// Checks limits that differ between APIs: a request without messages, stop sequences, sampling, tool names, images,
/// and tool results without a call.
///
/// # Errors
/// [`ConvertError::Requires`] with the first requirement that the provider's API does not support and that may not be
/// dropped.
fn check_limits(request: &Request, gate: &mut FeatureGate<'_>) -> Result<(), ConvertError> {
    let has_content = |message: &Message| message.role != Role::System && message.has_content();
    if !request.messages.iter().any(has_content) {
        gate.require(Requirement::SystemAlone)?;
    }
    limits::required_by_stop_sequences(&request.stop).try_for_each(|requirement| gate.require(requirement))?;
    let number = |number: &Option<Number>| number.as_ref().and_then(Number::as_f64);
    let (temperature, top_p) = (number(&request.sampling.temperature), number(&request.sampling.top_p));
    limits::required_by_temperature(temperature, top_p)
        .map_or(Ok(()), |requirement| gate.require_or_drop(requirement))?;
    let names = request.tools.iter().map(|tool| tool.name.as_str());
    names.flat_map(limits::required_by_tool_name).try_for_each(|requirement| gate.require(requirement))?;
    let mut calls = BTreeSet::new();
    for block in request.messages.iter().flat_map(|message| &message.blocks) {
        match block {
            Block::Text(_) => {}
            Block::Image(image) => check_image(image, gate)?,
            Block::ToolCall(call) => {
                calls.insert(call.id.as_str());
                limits::required_by_tool_name(&call.name).try_for_each(|requirement| gate.require(requirement))?;
            }
            Block::ToolResult(result) => {
                if !calls.contains(result.call_id.as_str()) {
                    gate.require(Requirement::ResultWithoutCall)?;
                }
                for block in &result.content {
                    if let Block::Image(image) = block {
                        check_image(image, gate)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Checks that the provider's API supports the media type of an image in the request.
///
/// # Errors
/// [`ConvertError::Requires`] if it does not.
fn check_image(image: &Image, gate: &FeatureGate<'_>) -> Result<(), ConvertError> {
    let requirement = match image {
        Image::Inline { media_type, .. } => limits::required_by_image(media_type),
        // A data URL that is not in base64.
        Image::Remote(url) => url.starts_with("data:").then_some(Requirement::OtherImages),
    };
    requirement.map_or(Ok(()), |requirement| gate.require(requirement))
}

/// Merges consecutive messages with the same role into one, for APIs in which roles have to alternate.
pub(crate) fn merge_consecutive_roles(messages: Vec<Message>) -> Vec<Message> {
    let mut merged_messages: Vec<Message> = Vec::with_capacity(messages.len());
    for message in messages {
        match merged_messages.last_mut() {
            Some(last) if last.role == message.role => last.blocks.extend(message.blocks),
            _ => merged_messages.push(message),
        }
    }
    merged_messages
}
