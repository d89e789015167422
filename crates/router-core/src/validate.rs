//! Whether a model can take a turn (004 §4.4): only what the turn uses is required.

use std::collections::BTreeSet;

use contracts::{ClientRequest, Failure, ModelSpec, Requirement, Turn, WireApi, views::Outages};

/// Why `model` cannot take `turn`, or `None` when it can. The first failure in the order of 004 §4.4 counts.
pub(crate) fn rejection(
    model: &ModelSpec,
    turn: &Turn,
    adaptable: &BTreeSet<Requirement>,
    outages: &Outages,
) -> Option<Failure> {
    let (needs, can) = (turn.needs, model.capabilities);
    let estimate = turn.tokens.of(model.tokenizer);
    let request = turn.request.as_ref();
    // An imported turn has no request and is not sent, so it needs no key.
    let has_key = request.is_none_or(|request| request.brings_key_of.as_ref() == Some(&model.provider));
    if !model.configured && !has_key {
        return Some(Failure::NotConfigured);
    }
    if let Some(failed) = turn.failed.iter().find(|failed| failed.model == model.id) {
        return Some(Failure::JustFailed(failed.class));
    }
    if let Some(scope) = outages.against(&model.id, turn.at) {
        return Some(Failure::ProviderUnavailable(scope));
    }
    // The gate reads everything that would be sent, the new message included (decision D11).
    if (needs.images || turn.message_has_images) && !can.images {
        return Some(Failure::NoVisionSupport);
    }
    if model.context_window < estimate {
        return Some(Failure::ExceedsContextWindow { estimate, window: model.context_window });
    }
    if needs.tools && !can.tools {
        return Some(Failure::NoToolSupport);
    }
    if needs.system_prompt && !can.system_prompt {
        return Some(Failure::NoSystemPromptSupport);
    }
    if needs.structured_output && !can.structured_output {
        return Some(Failure::NoStructuredOutputSupport);
    }
    let request = request?;
    // Who signed the running turn has failed; of the others that signed before, none may see it.
    let signer_failed = || turn.failed.iter().any(|failed| request.signed_by.contains(&failed.model));
    if request.requires.contains(&Requirement::TurnSignatures) && signer_failed() {
        return Some(Failure::SignedByAnother);
    }
    select_api(model, request, adaptable).err()
}

/// The API in which a model is sent a request: the request's own where the model is served over it, and otherwise the
/// first that carries everything the request requires.
///
/// # Errors
/// What keeps the model from being sent it: something that no API of the model carries, or that the model does not take,
/// and that may not be dropped.
pub fn select_api(
    model: &ModelSpec,
    request: &ClientRequest,
    adaptable: &BTreeSet<Requirement>,
) -> Result<WireApi, Failure> {
    let signed = request.requires.contains(&Requirement::Signatures) && !adaptable.contains(&Requirement::Signatures);
    // Nobody known to have signed is nobody who may see it.
    if signed && (request.signed_by.is_empty() || request.signed_by.iter().any(|signer| *signer != model.id)) {
        return Err(Failure::SignedByAnother);
    }
    // What was thought in the running turn cannot be dropped: its model wants it back, and nobody else may have it.
    if request.requires.contains(&Requirement::TurnSignatures) && !request.signed_by.contains(&model.id) {
        return Err(Failure::SignedByAnother);
    }
    let api = api_for(model, request, adaptable)?;
    let mut refused = request.requires.iter().copied().filter(|requirement| !model.capabilities.takes(*requirement));
    match refused.find(|requirement| !adaptable.contains(requirement)) {
        // A budget is said in its own API alone.
        Some(Requirement::ThinkingBudget) if api != request.api => Ok(api),
        Some(requirement) => Err(Failure::CannotCarry { requirement, api }),
        None => Ok(api),
    }
}

fn api_for(model: &ModelSpec, request: &ClientRequest, adaptable: &BTreeSet<Requirement>) -> Result<WireApi, Failure> {
    if model.apis.contains(&request.api) {
        return Ok(request.api);
    }
    let lost = |api: WireApi| {
        let told = request.requires.iter().filter(|requirement| model.capabilities.is_told(**requirement, api));
        let mut lost = told.filter(|requirement| !requirement.carried(request.api, api));
        lost.find(|requirement| !requirement.is_dropped_by(adaptable)).copied()
    };
    let mut first_failure = Failure::NotConfigured;
    for (index, api) in model.apis.iter().copied().enumerate() {
        let Some(requirement) = lost(api) else { return Ok(api) };
        if index == 0 {
            first_failure = Failure::CannotCarry { requirement, api };
        }
    }
    Err(first_failure)
}
