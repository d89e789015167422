//! The outcome of a scenario: the decision with the texts that a user sees.

use std::fmt;

use contracts::{Decision, ModelChoice};

use crate::{Banner, Notify, banners, why};

/// A decision with all texts that a user sees of it. Its `Display` form is the why-view followed by the banners, for
/// snapshot tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome<K: Notify = ModelChoice> {
    /// The decision.
    pub decision: Decision<K>,
    /// The text of the why-view.
    pub why: String,
    /// The banners that are shown to the user.
    pub banners: Vec<Banner<K>>,
}

impl<K: Notify> Outcome<K> {
    /// Creates the outcome of a decision: formats its why-view and its banners.
    pub fn new(decision: Decision<K>, context: &K::Context<'_>) -> Self {
        let (why, banners) = (why(None, &decision), banners(&decision, context));
        Self { decision, why, banners }
    }
}

impl<K: Notify> fmt::Display for Outcome<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)?;
        self.banners.iter().try_for_each(|banner| write!(f, "\nShown: {banner}\n"))
    }
}
