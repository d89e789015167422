//! Whether a model can serve a turn, evaluated naively (004 §4.4).

use contracts::{Failure, ModelSpec, OutageScope};

use crate::random::worlds::World;

/// The model with this id; `None` if the registry does not contain it.
pub(super) fn spec<'w>(world: &'w World, id: &str) -> Option<&'w ModelSpec> {
    world.models.iter().find(|model| model.id.as_str() == id)
}

/// Implements 004 §4.4 and §4.5.3 line by line.
pub(super) fn validate(world: &World, id: &str) -> Option<Failure> {
    let Some(model) = spec(world, id) else { return Some(Failure::NotConfigured) };
    let turn = &world.turn;
    if !model.configured {
        return Some(Failure::NotConfigured);
    }
    for (provider, until) in &world.outages.providers {
        if provider.as_str() == id.split(':').next().unwrap() && turn.at < *until {
            return Some(Failure::ProviderUnavailable(OutageScope::ProviderWide(provider.clone())));
        }
    }
    for (out, until) in &world.outages.models {
        if out.as_str() == id && turn.at < *until {
            return Some(Failure::ProviderUnavailable(OutageScope::ModelSpecific(out.clone())));
        }
    }
    let (estimate, window) = (turn.started.tokens.for_tokenizer(model.tokenizer), model.context_window);
    let has_images = turn.started.needs.images || turn.started.message_has_images;
    let gates = [
        (has_images && !model.capabilities.images, Failure::NoVisionSupport),
        (estimate > window, Failure::ExceedsContextWindow { estimate, window }),
        (turn.started.needs.tools && !model.capabilities.tools, Failure::NoToolSupport),
        (turn.started.needs.system_prompt && !model.capabilities.system_prompt, Failure::NoSystemPromptSupport),
        (
            turn.started.needs.structured_output && !model.capabilities.structured_output,
            Failure::NoStructuredOutputSupport,
        ),
    ];
    gates.into_iter().find(|(fails, _)| *fails).map(|(_, failure)| failure)
}
