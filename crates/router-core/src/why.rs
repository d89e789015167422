//! "Why this model?": a decision as one screen of text (004 §7.4).

use std::fmt::Write as _;

use contracts::{
    Decision, Evaluation, Failure, OutageScope, Reason, Requirement, SessionId, Slot, TurnId, Verdict,
    events::RouteFallback,
};
use event_core::Timestamp;

/// What stands above the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhyHeader {
    /// The turn.
    pub turn: TurnId,
    /// Its session.
    pub session: SessionId,
    /// When it started.
    pub at: Timestamp,
}

/// The decision with its whole chain, in the layout of 004 §7.4. Lines end without spaces.
pub fn why(header: Option<&WhyHeader>, decision: &Decision) -> String {
    let mut text = String::new();
    if let Some(WhyHeader { turn, session, at }) = header {
        line(&mut text, &format!("Turn {turn} · session {session} · {}", moment(*at)));
    }
    match decision.winner() {
        Some(winner) => line(&mut text, &format!("Chose: {:<53} ({})", candidate(winner), how(winner))),
        None => line(&mut text, "Chose: no model, the turn is refused"),
    }
    line(&mut text, "");
    line(&mut text, "Chain:");
    for (number, entry) in (1..).zip(&decision.chain) {
        let reason = reason_text(entry);
        let mut parts = reason.lines();
        let first = parts.next().unwrap_or_default();
        line(&mut text, &format!("  [{number}] {:<22} {:<14}  {first}", entry.slot.name(), entry.verdict.name()));
        for part in parts {
            line(&mut text, &format!("{:45}{part}", ""));
        }
    }
    text
}

/// A further step of a turn, after models failed in it, with its whole chain.
pub fn why_step(step: &RouteFallback, at: Timestamp) -> String {
    let failed = step.failed.iter().map(|failed| format!("{} failed ({})", failed.model, failed.class.name()));
    let failed = failed.collect::<Vec<_>>().join(", ");
    let mut text = String::new();
    line(&mut text, &format!("Step {} · {} · before its answer began, {failed}", step.step, moment(at)));
    text.push_str(&why(None, &step.decision));
    text
}

/// A time to the second, in UTC.
fn moment(at: Timestamp) -> String {
    let at = i64::try_from(at.0).ok().and_then(|micros| jiff::Timestamp::from_microsecond(micros).ok());
    at.map(|at| format!("{at:.0}")).unwrap_or_default()
}

fn line(text: &mut String, line: &str) {
    text.push_str(line.trim_end());
    text.push('\n');
}

fn candidate(entry: &Evaluation) -> &str {
    entry.candidate.as_ref().map_or("no model", |model| model.as_str())
}

/// How the winner won, in a few words.
fn how(winner: &Evaluation) -> String {
    match &winner.reason {
        Reason::Override { alias } => format!("override \"@{alias}\""),
        Reason::Sticky => "session model".to_owned(),
        Reason::Rule { name, .. } => format!("rule \"{name}\""),
        Reason::Pattern(recommendation) => format!("pattern, confidence {}", recommendation.confidence),
        Reason::Tier { asked, given } if asked == given => format!("tier {asked}"),
        Reason::Tier { asked, given } => format!("tier {asked}, upgraded to {given}"),
        Reason::WorkspaceDefault => "workspace default".to_owned(),
        Reason::ClientModel { name } => format!("client asked for \"{name}\""),
        _ => "global default".to_owned(),
    }
}

/// Why a policy said what it said: one or more lines.
pub fn reason_text(entry: &Evaluation) -> String {
    let model = candidate(entry);
    let mut text = match &entry.reason {
        Reason::NoOverride => "no @model token in message".to_owned(),
        Reason::ClientModel { name } => format!("client asked for \"{name}\" → {model}"),
        Reason::UnknownClientModel { name } => {
            format!("client asked for \"{name}\", which no model here goes by")
        }
        Reason::NoSticky => "no sticky model set".to_owned(),
        Reason::NoRules => "no rules configured".to_owned(),
        Reason::NoRuleMatched => "no rule matched".to_owned(),
        Reason::NoNeighbours => "nothing like this turn was scored yet".to_owned(),
        Reason::BelowThreshold { confidence, samples } => {
            format!("below threshold (confidence {confidence}, {})", counted(*samples))
        }
        Reason::InDelegation => "a planner's tier is not overridden by learned behaviour".to_owned(),
        Reason::NotDelegation => "not a delegation".to_owned(),
        Reason::NoWorkspaceDefault => "no default for this workspace".to_owned(),
        Reason::NoGlobalDefault => "no global default".to_owned(),
        Reason::TierExhausted { asked } if entry.attempts.is_empty() => format!("no model for tier {asked}"),
        Reason::TierExhausted { asked } => format!("tier {asked} and those above it are exhausted"),
        Reason::Override { alias } => format!("\"@{alias}\" → {model}"),
        Reason::Rule { name, budget: Some(limit) } => format!("rule \"{name}\" matched (budget {limit}) → {model}"),
        Reason::Rule { name, .. } if entry.failure.is_some() => format!("rule \"{name}\" matched →\n{model}"),
        Reason::Rule { name, .. } => format!("rule \"{name}\" matched → {model}"),
        Reason::Tier { asked, given } if asked == given => format!("tier {asked} → {model}"),
        Reason::Tier { asked, given } => format!("tier {asked}, upgraded to {given} → {model}"),
        Reason::Sticky | Reason::WorkspaceDefault | Reason::GlobalDefault => model.to_owned(),
        Reason::Pattern(found) => {
            let verb = if entry.verdict == Verdict::Deferred { "suggested" } else { "recommended" };
            format!("{verb} {model}\n(confidence {}, {})", found.confidence, counted(found.samples))
        }
    };
    if entry.verdict == Verdict::Deferred {
        text.push_str(" — outranked");
    }
    let rest = match (&entry.failure, &entry.reason) {
        (None, _) | (_, Reason::TierExhausted { .. }) => entry.attempts.as_slice(),
        (Some(failure), _) => {
            let _ = write!(text, " ({})", failure_text(failure));
            // The first rule that was rejected is the reason above.
            entry.attempts.get(1..).unwrap_or_default()
        }
    };
    for attempt in rest {
        let (name, model) = (&attempt.name, &attempt.candidate);
        let what = match entry.slot {
            Slot::DelegateRequest => "tier",
            Slot::WorkspaceDefault => "client asked for",
            Slot::GlobalDefault => "default",
            _ => "rule",
        };
        let _ = write!(text, "\n{what} \"{name}\" →\n{model} rejected ({})", failure_text(&attempt.failure));
    }
    text
}

/// `1 sample`, `14 samples`.
fn counted(samples: u64) -> String {
    format!("{samples} sample{}", if samples == 1 { "" } else { "s" })
}

/// A failure by its name on the wire, with what tells it apart (004 §4.5.3).
fn failure_text(failure: &Failure) -> String {
    match failure {
        Failure::ProviderUnavailable(OutageScope::ModelSpecific(_)) => {
            "provider_unavailable, model-specific".to_owned()
        }
        Failure::ProviderUnavailable(OutageScope::ProviderWide(_)) => "provider_unavailable, provider-wide".to_owned(),
        Failure::ExceedsContextWindow { estimate, window } => {
            format!("exceeds_context_window: {estimate} tokens expected, {window} fit")
        }
        Failure::CannotCarry { requirement, api } => {
            let lacking = if requirement.is_of_the_model() { "the model".to_owned() } else { api.to_string() };
            let setting = requirement.dropped_as();
            let remedy = if Requirement::ADAPTABLE.contains(&setting) {
                format!("; add `{setting}` to `gateway.adapt` to allow it")
            } else {
                String::new()
            };
            format!("cannot_carry: {lacking} has no {requirement}{remedy}")
        }
        Failure::SignedByAnother => {
            "signed_by_another: the conversation contains thinking that another model signed".to_owned()
        }
        Failure::JustFailed(class) => format!("just_failed: {}", class.name()),
        failure => failure.name().to_owned(),
    }
}
