//! Validates that a model can serve a turn (004 §4.4). Only capabilities that the turn uses are required.

use std::collections::BTreeSet;

use contracts::{ClientRequest, Failure, ModelSpec, Requirement, Turn, WireApi, views::Outages};

/// Returns the first reason, in the order of 004 §4.4, why `model` cannot serve `turn`; `None` if it can. `adaptable`
/// are the requirements that may be dropped or converted.
pub(crate) fn rejection(
    model: &ModelSpec,
    turn: &Turn<'_>,
    adaptable: &BTreeSet<Requirement>,
    outages: &Outages,
) -> Option<Failure> {
    let (needs, capabilities) = (turn.started.needs, model.capabilities);
    let estimate = turn.started.tokens.for_tokenizer(model.tokenizer);
    let request = turn.request;
    // An imported turn is not sent, so it needs no key.
    let needs_no_key =
        |request: &ClientRequest| request.imported || request.brings_key_of.as_ref() == Some(&model.provider);
    let has_key = request.is_none_or(needs_no_key);
    if !model.configured && !has_key {
        return Some(Failure::NotConfigured);
    }
    if let Some(failed_model) = turn.failed.iter().find(|failed_model| failed_model.model == model.id) {
        return Some(Failure::JustFailed(failed_model.class));
    }
    if let Some(outage) = outages.failure(&model.id, turn.at) {
        return Some(outage);
    }
    // Everything that would be sent is validated, including the new message (decision D11).
    if (needs.images || turn.started.message_has_images) && !capabilities.images {
        return Some(Failure::NoVisionSupport);
    }
    if model.context_window < estimate {
        return Some(Failure::ExceedsContextWindow { estimate, window: model.context_window });
    }
    if needs.tools && !capabilities.tools {
        return Some(Failure::NoToolSupport);
    }
    if needs.system_prompt && !capabilities.system_prompt {
        return Some(Failure::NoSystemPromptSupport);
    }
    if needs.structured_output && !capabilities.structured_output {
        return Some(Failure::NoStructuredOutputSupport);
    }
    let request = request?;
    // If a signer of the running turn has failed, no other model may receive its thinking.
    let signer_failed = || turn.failed.iter().any(|failed_model| request.signed_by.contains(&failed_model.model));
    if request.requires.contains(&Requirement::RunningThinking) && signer_failed() {
        return Some(Failure::ThinkingOfAnotherModel);
    }
    select_api(model, request, adaptable).err()
}

/// Selects the API over which `model` is called: the API of the request if the model has it, otherwise the model's
/// first API that supports everything the request requires. `adaptable` are the requirements that may be dropped or
/// converted.
///
/// # Errors
/// [`Failure`] if the model, or each of its APIs, lacks a requirement that is not adaptable.
pub fn select_api(
    model: &ModelSpec,
    request: &ClientRequest,
    adaptable: &BTreeSet<Requirement>,
) -> Result<WireApi, Failure> {
    let has_signed_thinking =
        request.requires.contains(&Requirement::EarlierThinking) && !adaptable.contains(&Requirement::EarlierThinking);
    // If the signer is unknown, no model may receive the thinking.
    if has_signed_thinking
        && (request.signed_by.is_empty() || request.signed_by.iter().any(|signer| *signer != model.id))
    {
        return Err(Failure::ThinkingOfAnotherModel);
    }
    // Thinking of the running turn cannot be dropped: its model needs it back, and no other model may receive it.
    if request.requires.contains(&Requirement::RunningThinking) && !request.signed_by.contains(&model.id) {
        return Err(Failure::ThinkingOfAnotherModel);
    }
    let api = select_supported_api(model, request, adaptable)?;
    let mut unsupported =
        request.requires.iter().copied().filter(|requirement| !model.capabilities.takes(*requirement));
    match unsupported.find(|requirement| !adaptable.contains(requirement)) {
        // A thinking budget is sent only in the request's own API.
        Some(Requirement::ThinkingBudget) if api != request.api => Ok(api),
        Some(requirement) => Err(Failure::UnsupportedFeature { requirement, api }),
        None => Ok(api),
    }
}

/// Selects the API of the request if the model has it, otherwise the first API of the model that supports all
/// requirements except the `adaptable` ones. Capabilities of the model itself are not checked.
///
/// # Errors
/// The failure of the model's first API.
fn select_supported_api(
    model: &ModelSpec,
    request: &ClientRequest,
    adaptable: &BTreeSet<Requirement>,
) -> Result<WireApi, Failure> {
    if model.apis.contains(&request.api) {
        return Ok(request.api);
    }
    let first_unsupported = |api: WireApi| {
        let applicable_requirements =
            request.requires.iter().filter(|requirement| model.capabilities.is_told(**requirement, api));
        let mut unsupported_requirements =
            applicable_requirements.filter(|requirement| !requirement.carried(request.api, api));
        unsupported_requirements.find(|requirement| !requirement.is_dropped_by(adaptable)).copied()
    };
    let mut first_failure = Failure::NotConfigured;
    for (index, api) in model.apis.iter().copied().enumerate() {
        let Some(requirement) = first_unsupported(api) else { return Ok(api) };
        if index == 0 {
            first_failure = Failure::UnsupportedFeature { requirement, api };
        }
    }
    Err(first_failure)
}

/// Returns the features of a request that are dropped or converted if it is sent to `model` over `api` (decisions D31,
/// D32), by their names in the policy. Only features in `adaptable`, which the policy allows to adapt, are returned.
pub fn adapted_features(
    model: &ModelSpec,
    api: WireApi,
    request: &ClientRequest,
    adaptable: &BTreeSet<Requirement>,
) -> BTreeSet<Requirement> {
    let is_converted = api != request.api;
    let is_unsupported = |requirement: &Requirement| match requirement {
        Requirement::EarlierThinking => is_converted || request.signed_by.iter().any(|signer| *signer != model.id),
        // Only its own API has a budget, where it is also a `ThinkingControl`.
        Requirement::ThinkingBudget if is_converted => false,
        requirement if !model.capabilities.takes(*requirement) => true,
        requirement => model.capabilities.is_told(*requirement, api) && !requirement.carried(request.api, api),
    };
    let unsupported_features = request.requires.iter().copied().filter(is_unsupported);
    unsupported_features.map(Requirement::dropped_as).filter(|feature| adaptable.contains(feature)).collect()
}
