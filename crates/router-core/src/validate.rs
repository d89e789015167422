//! Whether a model can take a turn (004 §4.4): only what the turn uses is required.

use contracts::{Failure, ModelSpec, Turn, views::Outages};

/// Why `model` cannot take `turn`, or `None` when it can. The first failure in the order of 004 §4.4 counts.
pub(crate) fn rejection(model: &ModelSpec, turn: &Turn, outages: &Outages) -> Option<Failure> {
    let (needs, can) = (turn.needs, model.capabilities);
    let estimate = turn.tokens.of(model.tokenizer);
    if !model.configured {
        return Some(Failure::NotConfigured);
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
    None
}
