//! What a user must see about a decision without asking (004 §4.5.4, §4.7, §5.4, §5.6).

use std::{collections::BTreeSet, fmt};

use contracts::{Decision, Failure, ModelId, NanoUsd, OutageScope, Provider, Reason, Score, Slot, Verdict};

use crate::policy::Policy;

/// Something to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Banner {
    /// A model is out and another took its place.
    ModelOut {
        /// The model.
        model: ModelId,
        /// The model that takes the turn.
        instead: ModelId,
    },
    /// A provider is out and a model took its place.
    ProviderOut {
        /// The provider.
        provider: Provider,
        /// The model that takes the turn.
        instead: ModelId,
        /// The policy that proposed it.
        by: Slot,
    },
    /// The model the user named cannot take the turn (decision D3).
    ChoiceRejected {
        /// The model.
        model: ModelId,
        /// Why not.
        failure: Failure,
        /// The model that takes the turn, or `None` when the turn is refused.
        instead: Option<ModelId>,
    },
    /// A daily budget decided.
    Budget {
        /// The budget.
        limit: NanoUsd,
        /// What was spent.
        spent: NanoUsd,
        /// The rule.
        rule: String,
    },
    /// The pattern store would have chosen otherwise.
    PatternDisagrees {
        /// The model that takes the turn.
        model: ModelId,
        /// The rule that proposed it.
        rule: Option<String>,
        /// The model suggested instead.
        suggested: ModelId,
        /// How sure the pattern store is.
        confidence: Score,
        /// On how many samples.
        samples: u64,
    },
    /// No model can take the turn.
    NoModel {
        /// Every model tried, with why not.
        tried: Vec<(ModelId, Failure)>,
        /// Providers that could be chosen instead.
        others: Vec<Provider>,
    },
}

/// What to show about a decision.
pub fn banners(decision: &Decision, policy: &Policy, spent_today: NanoUsd) -> Vec<Banner> {
    let mut banners = Vec::new();
    for entry in decision.chain.iter().filter(|entry| entry.verdict == Verdict::Rejected) {
        let (Some(model), Some(failure)) = (&entry.candidate, &entry.failure) else { continue };
        let explicit = matches!(entry.slot, Slot::PerMessageOverride | Slot::ManualSticky);
        if explicit {
            let (model, failure) = (model.clone(), failure.clone());
            banners.push(Banner::ChoiceRejected { model, failure, instead: decision.model.clone() });
        } else if entry.attempts.is_empty() {
            banners.extend(outage(failure, decision));
        }
    }
    // Rules that were tried and rejected, whether or not another rule won in the end.
    let attempts = decision.chain.iter().flat_map(|entry| &entry.attempts);
    banners.extend(attempts.filter_map(|attempt| outage(&attempt.failure, decision)));
    dedup(&mut banners);
    let Some(winner) = decision.winner() else {
        banners.push(no_model(decision, policy));
        return banners;
    };
    if let Reason::Rule { name, budget: Some(limit) } = &winner.reason {
        banners.push(Banner::Budget { limit: *limit, spent: spent_today, rule: name.clone() });
    }
    banners.extend(disagreement(decision, policy));
    banners
}

fn dedup(banners: &mut Vec<Banner>) {
    let mut seen = Vec::new();
    banners.retain(|banner| {
        let fresh = !seen.contains(banner);
        if fresh {
            seen.push(banner.clone());
        }
        fresh
    });
}

fn outage(failure: &Failure, decision: &Decision) -> Option<Banner> {
    let winner = decision.winner()?;
    let instead = winner.candidate.clone()?;
    match failure {
        Failure::ProviderUnavailable(OutageScope::ModelSpecific(model)) => {
            Some(Banner::ModelOut { model: model.clone(), instead })
        }
        Failure::ProviderUnavailable(OutageScope::ProviderWide(provider)) => {
            Some(Banner::ProviderOut { provider: provider.clone(), instead, by: winner.slot })
        }
        _ => None,
    }
}

fn disagreement(decision: &Decision, policy: &Policy) -> Option<Banner> {
    let when = policy.disagreement();
    let entry = decision.entry(Slot::PatternRecommendation).filter(|entry| entry.verdict == Verdict::Deferred)?;
    let (Reason::Pattern(found), Some(model)) = (&entry.reason, &decision.model) else { return None };
    let shown = when.surface
        && entry.failure.is_none()
        && found.model != *model
        && when.min_confidence <= found.confidence
        && when.min_sample_size <= found.samples;
    let rule = match &decision.winner()?.reason {
        Reason::Rule { name, .. } => Some(name.clone()),
        _ => None,
    };
    shown.then(|| Banner::PatternDisagrees {
        model: model.clone(),
        rule,
        suggested: found.model.clone(),
        confidence: found.confidence,
        samples: found.samples,
    })
}

fn no_model(decision: &Decision, policy: &Policy) -> Banner {
    let mut tried: Vec<(ModelId, Failure)> = Vec::new();
    for entry in &decision.chain {
        let own = entry.candidate.iter().cloned().zip(entry.failure.iter().cloned());
        let attempts = entry.attempts.iter().map(|attempt| (attempt.candidate.clone(), attempt.failure.clone()));
        for (model, failure) in own.chain(attempts) {
            if !tried.iter().any(|(seen, _)| *seen == model) {
                tried.push((model, failure));
            }
        }
    }
    let failed: BTreeSet<&str> = tried.iter().map(|(model, _)| model.provider()).collect();
    let others: BTreeSet<_> = policy
        .registry()
        .iter()
        .filter(|model| model.configured && !failed.contains(model.provider.as_str()))
        .map(|model| model.provider.clone())
        .collect();
    Banner::NoModel { tried, others: others.into_iter().collect() }
}

/// The provider that is out as a whole, when that is the failure.
fn provider_out(failure: &Failure) -> Option<&Provider> {
    match failure {
        Failure::ProviderUnavailable(OutageScope::ProviderWide(provider)) => Some(provider),
        _ => None,
    }
}

impl fmt::Display for Banner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ModelOut { model, instead } => {
                write!(f, "{model} currently unavailable. Routing fell back to {instead}.")
            }
            Self::ProviderOut { provider, instead, by } => {
                let by = by.name().to_lowercase().replace('_', " ");
                write!(f, "{provider} provider currently unavailable. Routing fell back to {instead} ({by}).")
            }
            Self::ChoiceRejected { model, failure, instead: Some(instead) } => {
                write!(f, "{model} cannot take this turn ({}). Routing fell back to {instead}.", failure.name())
            }
            Self::ChoiceRejected { model, failure, instead: None } => {
                write!(f, "{model} cannot take this turn ({}).", failure.name())
            }
            Self::Budget { limit, spent, rule } => {
                write!(f, "Daily budget {limit} exceeded ({spent} today). Routing per \"{rule}\" rule.")
            }
            Self::PatternDisagrees { model, rule, suggested, confidence, samples } => {
                write!(f, "Routing to {model}")?;
                if let Some(rule) = rule {
                    write!(f, " per rule \"{rule}\"")?;
                }
                writeln!(f)?;
                writeln!(f, "  Pattern store suggests {suggested} (confidence {confidence}, {samples} similar turns)")?;
                writeln!(f, "  turnwise route override   to use {suggested} for this turn")?;
                write!(f, "  turnwise route ignore     to dismiss")
            }
            Self::NoModel { tried, others } => {
                writeln!(f, "No model available for this turn.")?;
                let out: BTreeSet<_> = tried.iter().filter_map(|(_, failure)| provider_out(failure)).collect();
                for provider in out {
                    writeln!(f, "  {provider} provider currently unavailable.")?;
                }
                let tried: Vec<_> =
                    tried.iter().map(|(model, failure)| format!("{model} ({})", failure.name())).collect();
                if tried.is_empty() {
                    writeln!(f, "  Nothing was tried: the policy names no model for it.")?;
                } else {
                    writeln!(f, "  Tried: {}", tried.join(", "))?;
                }
                let others: Vec<_> = others.iter().map(Provider::as_str).collect();
                if !others.is_empty() {
                    writeln!(f, "  Configured and not tried: models of {}.", others.join(", "))?;
                }
                write!(f, "  Run `turnwise model <alias>` to choose explicitly, or `turnwise rules check`.")
            }
        }
    }
}
