//! The banners that only the model choice has: outages, rejected models, budgets and deferred recommendations (004
//! §4.5.4, §5.4, §5.6).

use std::{collections::BTreeSet, fmt};

use contracts::{
    ChainSlot as _, Decision, Failure, ModelChoice, ModelId, NanoUsd, OutageScope, Period, Provider, Reason,
    RefusedKey, Requirement, Score, Slot, SpentLimit, Turn, Verdict, usual_key_variable,
};

use super::turn_stage::TurnStage;
use crate::{
    banner::{Notify, RefusalHelp},
    budget::{BudgetState, amount_text, limit_text},
    explain::Explain as _,
    model_choice::key_refused::{key_refused, key_refused_remedy},
    policy::Policy,
    predicate::{period_text, spent_in},
    utc::utc_minute,
};

/// A banner about the decision which model serves a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelNotice {
    /// A model is unavailable, and another one was chosen.
    ModelUnavailable {
        /// The unavailable model.
        model: ModelId,
        /// The model that serves the turn.
        fallback: ModelId,
    },
    /// A provider is unavailable, and a model of another one was chosen.
    ProviderUnavailable {
        /// The unavailable provider.
        provider: Provider,
        /// The model that serves the turn.
        fallback: ModelId,
        /// The slot of the chain in which the fallback was chosen.
        slot: Slot,
    },
    /// A provider rejected its configured key, and another model was chosen (decision D37).
    KeyRefused {
        /// The provider.
        provider: Provider,
        /// The environment variable that contains the key; `None` if it is in the file `keys`.
        variable: Option<String>,
        /// The model that serves the turn.
        fallback: ModelId,
    },
    /// A model that a rule, a default or the client named was rejected, and another model was chosen.
    PassedOver {
        /// The place that names the candidate, such as `rule "tests"`.
        source: String,
        /// The rejected model.
        model: ModelId,
        /// The reason why it was rejected.
        failure: Failure,
        /// The model that serves the turn.
        fallback: ModelId,
    },
    /// A rule was chosen because the amount in its condition is exceeded.
    Budget {
        /// The amount with its period.
        limit: SpentLimit,
        /// The amount spent in the period; `None` if it is not known, for a recorded decision.
        spent: Option<NanoUsd>,
        /// The name of the rule.
        rule: String,
    },
    /// A budget of the policy is spent, or at least 80 % of it (decision D46).
    BudgetState(BudgetState),
    /// The pattern store recommends another model than the one chosen.
    PatternDisagrees {
        /// The model that serves the turn.
        model: ModelId,
        /// The name of the rule that chose it; `None` if another slot did.
        rule: Option<String>,
        /// The recommended model.
        recommended: ModelId,
        /// The confidence of the recommendation, from 0 to 1.
        confidence: Score,
        /// Number of scored samples of the recommended model.
        samples: u64,
        /// Whether the banner names the commands that accept and dismiss the recommendation.
        commands: bool,
    },
}

/// The data besides the decision from which banners about a model choice are created.
#[derive(Debug, Clone, Copy)]
pub struct NoticeContext<'a> {
    /// The policy of the decision; `None` if it is not known. The banners about a deferred recommendation and about a
    /// budget that is nearly spent, and the advice to try other providers, need it.
    pub policy: Option<&'a Policy>,
    /// The amount spent on the day of the turn.
    pub spent_today: NanoUsd,
    /// The turn, with what was spent when it started; `None` if it is not known, and its budgets have no banner then.
    pub turn: Option<&'a Turn<'a>>,
    /// How far the turn is.
    pub stage: TurnStage,
}

impl Notify for ModelChoice {
    type Notice = ModelNotice;
    type Context<'a> = NoticeContext<'a>;

    fn is_explicit(slot: Slot) -> bool {
        matches!(slot, Slot::PerMessageOverride | Slot::ManualSticky)
    }

    fn notices(decision: &Decision, context: &NoticeContext<'_>) -> Vec<ModelNotice> {
        let mut notices = Vec::new();
        for notice in outage_notices(decision) {
            if !notices.contains(&notice) {
                notices.push(notice);
            }
        }
        for notice in rejection_notices(decision) {
            if !notices.contains(&notice) {
                notices.push(notice);
            }
        }
        let reason = decision.winner().map(|winner| &winner.reason);
        if let Some(Reason::Rule { name, budget: Some(limit), .. }) = reason {
            let spent = match limit.period {
                Period::Day => Some(context.spent_today),
                period => context.turn.map(|turn| spent_in(period, turn)),
            };
            notices.push(ModelNotice::Budget { limit: *limit, spent, rule: name.clone() });
        }
        notices.extend(near_budgets(context).map(ModelNotice::BudgetState));
        notices.extend(context.policy.and_then(|policy| disagreement_notice(decision, policy, context.stage)));
        notices
    }

    fn headline(notice: &ModelNotice) -> String {
        let text = notice.to_string();
        match notice {
            ModelNotice::PatternDisagrees { .. } => text.lines().take(2).map(str::trim).collect::<Vec<_>>().join(". "),
            _ => text.lines().next().unwrap_or_default().to_owned(),
        }
    }

    fn remedy(model: &ModelId, failure: &Failure) -> Option<String> {
        match failure {
            Failure::NotConfigured => {
                let variable = usual_key_variable(model.provider())?;
                Some(format!("Set {variable} to use {model}."))
            }
            Failure::UnsupportedFeature { requirement, .. } => {
                let setting = requirement.dropped_as();
                let is_adaptable = Requirement::ADAPTABLE.contains(&setting);
                is_adaptable.then(|| format!("Add `{setting}` to `gateway.adapt` to use {model}."))
            }
            Failure::KeyRefused(key) => Some(key_refused_remedy(&key.provider, key.variable.as_deref())),
            _ => None,
        }
    }

    fn refusal_help(decision: &Decision, context: &NoticeContext<'_>) -> RefusalHelp {
        if let Some(help) = budget_refusal(decision, context) {
            return help;
        }
        let unavailable_providers: BTreeSet<_> =
            decision.rejections().filter_map(|(_, failure)| unavailable_provider(failure)).collect();
        let tried_providers: BTreeSet<&str> = decision.rejections().map(|(model, _)| model.provider()).collect();
        let policy = context.policy.filter(|_| context.stage.knows_configured_models());
        let models = policy.into_iter().flat_map(|policy| policy.registry().iter());
        let models = models.filter(|model| model.configured);
        let untried_providers: BTreeSet<_> = models
            .map(|model| model.provider.as_str())
            .filter(|provider| !tried_providers.contains(provider))
            .collect();
        let mut advice = Vec::new();
        if !untried_providers.is_empty() {
            let untried_providers: Vec<_> = untried_providers.into_iter().collect();
            advice.push(format!("Configured and not tried: models of {}.", untried_providers.join(", ")));
        }
        let is_unsupported =
            |failure: &Failure| matches!(failure, Failure::UnsupportedFeature { .. } | Failure::ThinkingOfAnotherModel);
        if decision.rejections().any(|(_, failure)| is_unsupported(failure)) {
            advice.push(
                "Add a rule with a model that supports the request, or set `gateway.last_resort: requested`."
                    .to_owned(),
            );
        }
        advice.push("Run `turnwise model <alias>` to choose explicitly, or `turnwise rules check`.".to_owned());
        let refused_keys: BTreeSet<_> = decision.rejections().filter_map(|(_, failure)| refused_key(failure)).collect();
        for (provider, variable) in &refused_keys {
            advice.insert(0, key_refused_remedy(provider, *variable));
        }
        let refused_keys =
            refused_keys.into_iter().map(|(provider, variable)| format!("{}.", key_refused(provider, variable)));
        let outages =
            unavailable_providers.iter().map(|provider| format!("{provider} provider currently unavailable."));
        RefusalHelp { causes: refused_keys.chain(outages).collect(), advice }
    }
}

/// Returns the states of the budgets that are at least 80 % spent when the turn starts. Empty without a policy or a
/// turn.
fn near_budgets(context: &NoticeContext<'_>) -> impl Iterator<Item = BudgetState> {
    let states = context.policy.zip(context.turn).map(|(policy, turn)| policy.budget_states(turn)).unwrap_or_default();
    states.into_iter().filter(BudgetState::is_nearly_reached)
}

/// Returns causes and advice for a turn that a spent budget refused; `None` if no budget decided it. For a recorded
/// decision, the text does not name the sessions that the budget covers, because they are not known.
fn budget_refusal(decision: &Decision, context: &NoticeContext<'_>) -> Option<RefusalHelp> {
    let Reason::BudgetSpent(budget) = &decision.entry(Slot::Budget)?.reason else { return None };
    let state = near_budgets(context).find(|state| state.name == budget.name).unwrap_or_else(|| BudgetState {
        name: budget.name.clone(),
        subject: String::new(),
        limit: budget.limit,
        spent: budget.spent,
        in_flight: budget.in_flight,
        resets_at: budget.resets_at,
    });
    let advice = format!(
        "To continue, raise `limit_usd` of budget \"{}\" in the policy, or set `use: MODEL` or `on_reached: warn` there.",
        budget.name
    );
    Some(RefusalHelp { causes: vec![BudgetSentence(&state).to_string()], advice: vec![advice] })
}

/// Formats the state of a budget as one sentence: what it covers, what was spent, what remains, and when it resets.
struct BudgetSentence<'a>(&'a BudgetState);

impl fmt::Display for BudgetSentence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BudgetState { name, subject, limit, spent, in_flight, resets_at } = self.0;
        let limit_of = match limit.period {
            Period::Session => limit.amount.exact(),
            _ => limit_text(*limit),
        };
        write!(f, "Budget \"{name}\"")?;
        if !subject.is_empty() {
            write!(f, " for {subject}")?;
        }
        write!(f, ": {} of {limit_of} spent", amount_text(*spent))?;
        if *in_flight != NanoUsd(0) {
            write!(f, " and {} in flight", amount_text(*in_flight))?;
        }
        write!(f, ", {} left", amount_text(self.0.remaining()))?;
        resets_at.iter().try_for_each(|at| write!(f, "; resets {}", utc_minute(*at)))?;
        f.write_str(".")
    }
}

/// Returns a banner for each outage because of which a candidate was rejected, possibly repeated: first for entries
/// with a single candidate, then for attempts, including those of the winning slot. Explicit choices are omitted,
/// because they have a banner of their own.
fn outage_notices(decision: &Decision) -> impl Iterator<Item = ModelNotice> {
    let rejected_entries = decision.chain.iter().filter(|entry| entry.verdict == Verdict::Rejected);
    let single_candidates =
        rejected_entries.filter(|entry| !ModelChoice::is_explicit(entry.slot) && entry.attempts.is_empty());
    let attempts = decision.chain.iter().flat_map(|entry| &entry.attempts);
    let failures =
        single_candidates.filter_map(|entry| entry.failure.as_ref()).chain(attempts.map(|attempt| &attempt.failure));
    failures.filter_map(|failure| outage_notice(failure, decision))
}

/// Returns the banner about a failure, if the failure is an outage or a rejected key and a model was chosen; otherwise
/// `None`.
fn outage_notice(failure: &Failure, decision: &Decision) -> Option<ModelNotice> {
    let winner = decision.winner()?;
    let fallback = winner.candidate.clone()?;
    match failure {
        Failure::ProviderUnavailable(OutageScope::ModelSpecific(model)) => {
            Some(ModelNotice::ModelUnavailable { model: model.clone(), fallback })
        }
        Failure::ProviderUnavailable(OutageScope::ProviderWide(provider)) => {
            Some(ModelNotice::ProviderUnavailable { provider: provider.clone(), fallback, slot: winner.slot })
        }
        Failure::KeyRefused(key) => {
            let RefusedKey { provider, variable } = key.as_ref().clone();
            Some(ModelNotice::KeyRefused { provider, variable, fallback })
        }
        _ => None,
    }
}

/// Returns a banner for each rejected model that a rule, a default, a tier or the client named. Outages, rejected keys
/// and failures within the turn are omitted, and so are explicit choices, because these have banners of their own.
/// Recommendations of the pattern store are omitted as well, because neither the user nor the policy named the model.
fn rejection_notices(decision: &Decision) -> impl Iterator<Item = ModelNotice> {
    let fallback = decision.chosen.clone();
    let is_named = |slot| !ModelChoice::is_explicit(slot) && slot != Slot::PatternRecommendation;
    let entries = decision.chain.iter().filter(move |entry| is_named(entry.slot));
    let rejected_models = entries.flat_map(|entry| {
        let noun = ModelChoice::attempt_noun(entry.slot);
        let attempts = entry.attempts.iter();
        let attempts =
            attempts.map(move |attempt| (format!("{noun} \"{}\"", attempt.name), &attempt.candidate, &attempt.failure));
        let single_candidate =
            entry.candidate.as_ref().zip(entry.failure.as_ref()).filter(|_| entry.attempts.is_empty());
        attempts.chain(single_candidate.map(|(model, failure)| (ModelChoice::summary(entry), model, failure)))
    });
    rejected_models.filter_map(move |(source, model, failure)| {
        let has_own_banner =
            matches!(failure, Failure::ProviderUnavailable(_) | Failure::KeyRefused(_) | Failure::JustFailed(_));
        let fallback = fallback.clone().filter(|_| !has_own_banner)?;
        Some(ModelNotice::PassedOver { source, model: model.clone(), failure: failure.clone(), fallback })
    })
}

/// Returns the banner about a recommendation of the pattern store that the chosen model outranked (a deferred entry of
/// the chain). `None` if there is no such recommendation or if the policy does not show it.
fn disagreement_notice(decision: &Decision, policy: &Policy, stage: TurnStage) -> Option<ModelNotice> {
    let settings = policy.disagreement();
    let entry = decision.entry(Slot::PatternRecommendation).filter(|entry| entry.verdict == Verdict::Deferred)?;
    let (Reason::Pattern(recommendation), Some(model)) = (&entry.reason, &decision.chosen) else { return None };
    let is_shown = settings.surface
        && entry.failure.is_none()
        && recommendation.model != *model
        && settings.min_confidence <= recommendation.confidence
        && settings.min_sample_size <= recommendation.samples;
    let rule = decision.winner()?.reason.rule().map(str::to_owned);
    is_shown.then(|| ModelNotice::PatternDisagrees {
        model: model.clone(),
        rule,
        recommended: recommendation.model.clone(),
        confidence: recommendation.confidence,
        samples: recommendation.samples,
        commands: stage.accepts_recommendation(),
    })
}

/// Returns the provider of a failure that is the outage of a whole provider; `None` for other failures.
fn unavailable_provider(failure: &Failure) -> Option<&Provider> {
    match failure {
        Failure::ProviderUnavailable(OutageScope::ProviderWide(provider)) => Some(provider),
        _ => None,
    }
}

/// Returns the provider and the environment variable of a failure that is a rejected key; `None` for other failures.
fn refused_key(failure: &Failure) -> Option<(&Provider, Option<&str>)> {
    match failure {
        Failure::KeyRefused(key) => Some((&key.provider, key.variable.as_deref())),
        _ => None,
    }
}

impl fmt::Display for ModelNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ModelUnavailable { model, fallback } => {
                write!(f, "{model} currently unavailable. Routing fell back to {fallback}.")
            }
            Self::ProviderUnavailable { provider, fallback, slot } => {
                let slot = slot.name().to_lowercase().replace('_', " ");
                write!(f, "{provider} provider currently unavailable. Routing fell back to {fallback} ({slot}).")
            }
            Self::KeyRefused { provider, variable, fallback } => {
                let (refusal, remedy) =
                    (key_refused(provider, variable.as_deref()), key_refused_remedy(provider, variable.as_deref()));
                write!(f, "{refusal}. Routing fell back to {fallback}.\n  {remedy}")
            }
            Self::PassedOver { source, model, failure, fallback } => {
                write!(f, "{model} of {source} was passed over ({}).", failure.name())?;
                write!(f, " Routing fell back to {fallback}.")?;
                ModelChoice::remedy(model, failure).iter().try_for_each(|remedy| write!(f, " {remedy}"))
            }
            Self::Budget { limit, spent, rule } => {
                match limit.period {
                    Period::Day => write!(f, "Daily budget {} exceeded", limit.amount.exact())?,
                    _ => write!(f, "Budget of {} exceeded", limit_text(*limit))?,
                }
                if let Some(spent) = spent {
                    write!(f, " ({} {})", amount_text(*spent), period_text(limit.period))?;
                }
                write!(f, ". Routing per \"{rule}\" rule.")
            }
            Self::BudgetState(state) => write!(f, "{}", BudgetSentence(state)),
            Self::PatternDisagrees { model, rule, recommended, confidence, samples, commands } => {
                write!(f, "Routing to {model}")?;
                rule.iter().try_for_each(|rule| write!(f, " per rule \"{rule}\""))?;
                writeln!(f)?;
                write!(f, "  Pattern store suggests {recommended} (confidence {confidence}, {samples} similar turns)")?;
                if *commands {
                    write!(f, "\n  turnwise route override   to use {recommended} for this turn")?;
                    write!(f, "\n  turnwise route ignore     to dismiss")?;
                }
                Ok(())
            }
        }
    }
}
