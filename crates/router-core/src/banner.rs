//! Banners: messages about a decision that a user sees without opening the why-view. Every decision kind has banners
//! about a rejected explicit choice and a refused turn (004 §4.5.4, §4.7), and may have banners of its own.

use std::fmt;

use contracts::{Decision, ModelChoice, Verdict};

use crate::explain::Explain;

/// A decision kind whose decisions produce banners.
pub trait Notify: Explain {
    /// A banner that only this decision kind has.
    type Notice: fmt::Debug + Clone + PartialEq + Eq + fmt::Display;
    /// The data besides the decision that [`Notify::notices`] and [`Notify::refusal_help`] read.
    type Context<'a>;

    /// Returns whether a candidate of this slot is an explicit choice of the user. Its rejection is reported by
    /// [`Banner::ChoiceRejected`].
    fn is_explicit(slot: Self::Slot) -> bool;

    /// Returns the banners that only this decision kind has, without duplicates. Called only for a decision that chose
    /// a candidate.
    fn notices(decision: &Decision<Self>, context: &Self::Context<'_>) -> Vec<Self::Notice>;

    /// Returns a banner of this kind as one line, for a header: the first line of its text.
    fn headline(notice: &Self::Notice) -> String {
        notice.to_string().lines().next().unwrap_or_default().to_owned()
    }

    /// Returns a sentence about what the user can do so that a candidate is no longer rejected; `None`, the default, if
    /// no remedy is known.
    fn remedy(_candidate: &Self::Candidate, _failure: &Self::Failure) -> Option<String> {
        None
    }

    /// Returns the causes and the advice that are shown if nothing was chosen.
    fn refusal_help(decision: &Decision<Self>, context: &Self::Context<'_>) -> RefusalHelp;
}

/// The lines of a refusal that precede and follow the list of rejected candidates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RefusalHelp {
    /// Causes, such as the outage of a provider, one line each.
    pub causes: Vec<String>,
    /// What the user can do, one line each.
    pub advice: Vec<String>,
}

/// A message about a decision, which is shown to the user. `Display` formats it as one or more lines of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Banner<K: Notify = ModelChoice> {
    /// The explicit choice of the user was rejected. Shown whether another candidate is chosen or the turn is refused
    /// (decision D3).
    ChoiceRejected {
        /// The candidate that the user chose.
        candidate: K::Candidate,
        /// The reason why it was rejected.
        failure: K::Failure,
        /// The candidate chosen instead; `None` if the turn is refused.
        fallback: Option<K::Candidate>,
    },
    /// Nothing was chosen, so the turn is refused (004 §4.7).
    Refused {
        /// Each rejected candidate once, with its first failure.
        rejected: Vec<(K::Candidate, K::Failure)>,
        /// The causes and the advice, shown around the list.
        help: RefusalHelp,
    },
    /// A banner that only this decision kind has.
    Notice(K::Notice),
}

/// Returns the banners of a decision in the order in which they are shown: rejected explicit choices, then the notices
/// of the kind, or the refusal if nothing was chosen.
pub fn banners<K: Notify>(decision: &Decision<K>, context: &K::Context<'_>) -> Vec<Banner<K>> {
    let rejected_entries =
        decision.chain.iter().filter(|entry| entry.verdict == Verdict::Rejected && K::is_explicit(entry.slot));
    let choice_banners = rejected_entries.filter_map(|entry| {
        let (candidate, failure) = (entry.candidate.clone()?, entry.failure.clone()?);
        Some(Banner::ChoiceRejected { candidate, failure, fallback: decision.chosen.clone() })
    });
    let mut banners: Vec<_> = choice_banners.collect();
    if decision.chosen.is_some() {
        banners.extend(K::notices(decision, context).into_iter().map(Banner::Notice));
    } else {
        let help = K::refusal_help(decision, context);
        banners.push(Banner::Refused { rejected: first_failures(decision), help });
    }
    banners
}

/// Returns each rejected candidate of a decision once, with its first failure, in the order of the chain.
fn first_failures<K: Notify>(decision: &Decision<K>) -> Vec<(K::Candidate, K::Failure)> {
    let mut failures: Vec<(K::Candidate, K::Failure)> = Vec::new();
    for (candidate, failure) in decision.rejections() {
        if failures.iter().all(|(listed_candidate, _)| listed_candidate != candidate) {
            failures.push((candidate.clone(), failure.clone()));
        }
    }
    failures
}

/// Joins the headlines of banners to one line of at most `limit` bytes of printable ASCII, for the value of an HTTP
/// header. `None` without banners. Replaces arrows by `->` and other characters outside ASCII by question marks.
pub fn notice_line<K: Notify>(banners: &[Banner<K>], limit: usize) -> Option<String> {
    let headlines = banners.iter().map(|banner| match banner {
        Banner::Notice(notice) => K::headline(notice),
        banner => banner.to_string().lines().next().unwrap_or_default().to_owned(),
    });
    let joined_headlines = headlines.collect::<Vec<_>>().join(" | ").replace('→', "->");
    let mut line: String =
        joined_headlines.chars().map(|c| if c == ' ' || c.is_ascii_graphic() { c } else { '?' }).collect();
    if limit < line.len() {
        line.truncate(limit.saturating_sub(3));
        line.push_str("...");
    }
    (!line.is_empty()).then_some(line)
}

impl<K: Notify> fmt::Display for Banner<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChoiceRejected { candidate, failure, fallback } => {
                write!(f, "{candidate} cannot be used for this turn ({}).", K::failure_name(failure))?;
                fallback.iter().try_for_each(|fallback| write!(f, " Routing fell back to {fallback}."))?;
                K::remedy(candidate, failure).iter().try_for_each(|remedy| write!(f, " {remedy}"))
            }
            Self::Refused { rejected, help } => {
                write!(f, "No {} available for this turn.", K::NOUN)?;
                help.causes.iter().try_for_each(|cause| write!(f, "\n  {cause}"))?;
                if rejected.is_empty() && help.causes.is_empty() {
                    write!(f, "\n  Nothing was tried: the policy names no {} for it.", K::NOUN)?;
                }
                if !rejected.is_empty() {
                    let failure_text = |(candidate, failure): &(K::Candidate, K::Failure)| {
                        format!("{candidate} ({})", K::failure_name(failure))
                    };
                    write!(f, "\n  Tried: {}", rejected.iter().map(failure_text).collect::<Vec<_>>().join(", "))?;
                }
                help.advice.iter().try_for_each(|advice| write!(f, "\n  {advice}"))
            }
            Self::Notice(notice) => notice.fmt(f),
        }
    }
}
