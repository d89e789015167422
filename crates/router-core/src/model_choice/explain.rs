//! Formats the reasons and failures of a model choice as text (004 §7.4).

use contracts::{
    ChainEntry, Failure, ModelChoice, OutageScope, Period, Reason, Requirement, Slot, SpentBudget, SpentLimit, Verdict,
};

use crate::{
    budget::{limit_text, spent_text},
    explain::{Explain, candidate_text},
    model_choice::key_refused::key_refused,
    text_set::MAX_SEARCHED_BYTES,
};

impl Explain for ModelChoice {
    const NOUN: &'static str = "model";

    fn summary(winner: &ChainEntry) -> String {
        match &winner.reason {
            Reason::Override { alias } => format!("override \"@{alias}\""),
            Reason::Sticky => "session model".to_owned(),
            Reason::Rule { name, .. } => format!("rule \"{name}\""),
            Reason::Pattern(recommendation) => format!("pattern, confidence {}", recommendation.confidence),
            Reason::Tier { asked, given } if asked == given => format!("tier {asked}"),
            Reason::Tier { asked, given } => format!("tier {asked}, upgraded to {given}"),
            Reason::BudgetSpent(budget) => format!("budget \"{}\"", budget.name),
            Reason::SkillWish { skill } => format!("skill \"{skill}\""),
            Reason::WorkspaceDefault => "workspace default".to_owned(),
            Reason::ClientModel { name } if winner.slot == Slot::LastResort => {
                format!("last resort: requested \"{name}\"")
            }
            Reason::ClientModel { name } => format!("requested \"{name}\""),
            _ => "global default".to_owned(),
        }
    }

    fn reason(entry: &ChainEntry) -> String {
        let model = candidate_text(entry);
        match &entry.reason {
            Reason::NoOverride => "no @model token in message".to_owned(),
            Reason::ClientModel { name } => format!("client requested \"{name}\" → {model}"),
            Reason::UnknownClientModel { name } => {
                format!("client requested \"{name}\", which is no model here")
            }
            Reason::NoSticky => "no sticky model set".to_owned(),
            Reason::NoRules => "no rules configured".to_owned(),
            Reason::NoRuleMatched { cut } => format!("no rule matched{}", searched_part(*cut)),
            Reason::NoNeighbours => "no similar turn has a score yet".to_owned(),
            Reason::BelowThreshold { confidence, samples } => {
                format!("below threshold (confidence {confidence}, {})", sample_count(*samples))
            }
            Reason::InDelegation => "a planner's tier is not overridden by learned behaviour".to_owned(),
            Reason::NotDelegation => "not a delegation".to_owned(),
            Reason::WithinBudgets => "within all budgets".to_owned(),
            Reason::NoSkillWish => "no skill of the message asks for a model".to_owned(),
            Reason::SkillWish { skill } => format!("skill \"{skill}\" → {model}"),
            Reason::UnknownSkillWish { skill, wish } => {
                format!("skill \"{skill}\" asks for \"{wish}\", which is no model here")
            }
            Reason::NoWorkspaceDefault => "no default for this workspace".to_owned(),
            Reason::NoGlobalDefault => "no global default".to_owned(),
            Reason::NoLastResort => "no last resort in the policy".to_owned(),
            Reason::TierExhausted { asked } if entry.attempts.is_empty() => format!("no model for tier {asked}"),
            Reason::TierExhausted { asked } => format!("tier {asked} and those above it are exhausted"),
            Reason::Override { alias } => format!("\"@{alias}\" → {model}"),
            Reason::Rule { name, budget, cut } => {
                let budget = budget.map(|limit| format!(" (budget {})", budget_text(limit))).unwrap_or_default();
                let arrow = if entry.failure.is_some() && budget.is_empty() { "→\n" } else { "→ " };
                format!("rule \"{name}\" matched{budget}{} {arrow}{model}", searched_part(*cut))
            }
            Reason::Tier { asked, given } if asked == given => format!("tier {asked} → {model}"),
            Reason::Tier { asked, given } => format!("tier {asked}, upgraded to {given} → {model}"),
            Reason::BudgetSpent(budget) => {
                let SpentBudget { name, limit, spent, in_flight, resets_at } = budget.as_ref();
                let spent = spent_text(*spent, *in_flight, *resets_at);
                let candidate = entry.candidate.as_ref().map(|model| format!(" →\n{model}")).unwrap_or_default();
                format!("budget \"{name}\" of {} is spent:\n{spent}{candidate}", limit_text(*limit))
            }
            Reason::Sticky | Reason::WorkspaceDefault | Reason::GlobalDefault => model,
            Reason::Pattern(recommendation) => {
                let verb = if entry.verdict == Verdict::Deferred { "suggested" } else { "recommended" };
                format!(
                    "{verb} {model}\n(confidence {}, {})",
                    recommendation.confidence,
                    sample_count(recommendation.samples)
                )
            }
        }
    }

    fn failure_name(failure: &Failure) -> &'static str {
        failure.name()
    }

    fn failure(failure: &Failure) -> String {
        match failure {
            Failure::ProviderUnavailable(OutageScope::ModelSpecific(_)) => {
                "provider_unavailable, model-specific".to_owned()
            }
            Failure::ProviderUnavailable(OutageScope::ProviderWide(_)) => {
                "provider_unavailable, provider-wide".to_owned()
            }
            Failure::ExceedsContextWindow { estimate, window } => {
                format!("exceeds_context_window: {estimate} tokens expected, {window} fit")
            }
            Failure::UnsupportedFeature { requirement, api } => {
                let subject = if requirement.is_of_the_model() { "the model".to_owned() } else { api.to_string() };
                let setting = requirement.dropped_as();
                let remedy = if Requirement::ADAPTABLE.contains(&setting) {
                    format!("; add `{setting}` to `gateway.adapt` to allow it")
                } else {
                    String::new()
                };
                format!("unsupported_feature: {subject} does not support {requirement}{remedy}")
            }
            Failure::ThinkingOfAnotherModel => {
                "thinking_of_another_model: the running turn contains thinking that only its own model may receive"
                    .to_owned()
            }
            Failure::KeyRefused(key) => {
                format!("key_refused: {}", key_refused(&key.provider, key.variable.as_deref()))
            }
            Failure::JustFailed(class) => format!("just_failed: {}", class.name()),
            failure => failure.name().to_owned(),
        }
    }

    fn attempt_noun(slot: Slot) -> &'static str {
        match slot {
            Slot::DelegateRequest | Slot::SkillWish => "tier",
            Slot::Budget => "budget",
            Slot::WorkspaceDefault | Slot::GlobalDefault => "default",
            _ => "rule",
        }
    }

    fn covers_attempts(reason: &Reason) -> bool {
        matches!(reason, Reason::TierExhausted { .. })
    }
}

/// Formats an amount in a rule's condition. The period is omitted for a daily amount.
fn budget_text(limit: SpentLimit) -> String {
    if limit.period == Period::Day { limit.amount.exact() } else { limit_text(limit) }
}

/// Formats a note that only the start of the message was searched; empty if `cut` is `false`, because all of it was.
fn searched_part(cut: bool) -> String {
    if cut { format!(" (in the first {} KiB of the message)", MAX_SEARCHED_BYTES / 1024) } else { String::new() }
}

/// Formats a number of samples with its noun: `1 sample`, `14 samples`.
fn sample_count(samples: u64) -> String {
    format!("{samples} sample{}", if samples == 1 { "" } else { "s" })
}
