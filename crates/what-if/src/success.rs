//! The success of the models on recorded turns, with its statistical uncertainty.

use std::collections::BTreeMap;

use contracts::{ModelId, Score};
use patterns::Patterns;
use serde::Serialize;

/// The mean score of a model's turns and the interval that contains its true mean with a probability of 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Success {
    /// Number of scored turns.
    pub turns: u64,
    /// Mean score, from 0 (every turn failed) to 1.
    pub mean: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The success of each model, by project and over all projects. A model without a scored turn is missing: nothing is known
/// of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct KnownSuccess {
    /// Success by project and model.
    projects: BTreeMap<String, BTreeMap<String, Success>>,
    /// Success by model over all projects.
    all: BTreeMap<String, Success>,
}

impl Success {
    /// Computes the mean score of a model and its 95 % interval. `turns` is the number of scored turns, `sum` the total of
    /// their scores, each from 0 to 1. `None` if `turns` is 0.
    ///
    /// The interval is Wilson's, which is for successes and failures. Scores between 0 and 1 vary less than those, so the
    /// interval is mostly wider than needed.
    pub fn of(turns: u64, sum: f64) -> Option<Self> {
        /// Standard deviations that contain 95 % of a normal distribution.
        const Z: f64 = 1.96;
        if turns == 0 {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "a number of turns")]
        let n = turns as f64;
        let mean = (sum / n).clamp(0.0, 1.0);
        let scale = 1.0 + Z * Z / n;
        let centre = (mean + Z * Z / (2.0 * n)) / scale;
        let margin = Z / scale * (mean * (1.0 - mean) / n + Z * Z / (4.0 * n * n)).sqrt();
        Some(Self { turns, mean, low: (centre - margin).max(0.0), high: (centre + margin).min(1.0) })
    }

    /// Formats mean, interval and number of turns for users, as `93 % (86-97 %, n=51)`.
    pub fn text(&self) -> String {
        let per_cent = |share: f64| format!("{:.0}", share * 100.0);
        format!("{} % ({}-{} %, n={})", per_cent(self.mean), per_cent(self.low), per_cent(self.high), self.turns)
    }
}

impl KnownSuccess {
    /// Sums up the scores of all turns in the pattern store, by project and model. Projects whose patterns are not in
    /// memory are in the sums over all projects alone.
    pub fn of(patterns: &Patterns) -> Self {
        let mut known_success = Self::default();
        let mut totals: BTreeMap<String, (u64, f64)> = BTreeMap::new();
        for (model, turns, billionths) in patterns.idle_scores() {
            #[expect(clippy::cast_precision_loss, reason = "a sum of scores in billionths")]
            totals.insert(model.to_string(), (turns, billionths as f64 / 1e9));
        }
        for status in patterns.status() {
            let Some(store) = patterns.store(status.workspace) else { continue };
            for model in store.model_status() {
                let turns = u64::from(model.scored);
                let sum = score_sum(turns, model.success);
                let Some(success) = Success::of(turns, sum) else { continue };
                let project = project_name(status.workspace).to_owned();
                known_success.projects.entry(project).or_default().insert(model.model.to_string(), success);
                let total = totals.entry(model.model.to_string()).or_default();
                *total = (total.0 + turns, total.1 + sum);
            }
        }
        known_success.all =
            totals.into_iter().filter_map(|(model, (turns, sum))| Some((model, Success::of(turns, sum)?))).collect();
        known_success
    }

    /// Returns the success of a model in a project; `None` if nothing is known.
    pub fn in_project(&self, project: &str, model: &str) -> Option<&Success> {
        self.projects.get(project)?.get(model)
    }

    /// Returns the success of a model over all projects; `None` if nothing is known.
    pub fn overall(&self, model: &str) -> Option<&Success> {
        self.all.get(model)
    }
}

/// Returns the success of a model in a workspace (`None` for turns without one); `None` if nothing is known.
pub fn success_in_workspace(patterns: &Patterns, workspace: Option<&str>, model: &ModelId) -> Option<Success> {
    let store = patterns.store(workspace)?;
    let status = store.model_status().into_iter().find(|status| *status.model == *model)?;
    let turns = u64::from(status.scored);
    Success::of(turns, score_sum(turns, status.success))
}

/// Returns the sum of the scores of `turns` turns whose scores have this mean; 0 without a mean.
fn score_sum(turns: u64, mean: Option<Score>) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a number of turns, and a score in billionths")]
    let sum = mean.map_or(0.0, |mean| mean.0 as f64 / 1e9 * turns as f64);
    sum
}

/// Returns the name of a project in reports: its folder, or `(none)`.
pub(crate) fn project_name(workspace: Option<&str>) -> &str {
    workspace.unwrap_or("(none)")
}

/// Formats the success of a model; `not known` if it has no scored turn.
pub fn success_text(success: Option<&Success>) -> String {
    success.map_or_else(|| "not known".to_owned(), Success::text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_contains_the_mean_and_narrows_with_more_turns() {
        let few = Success::of(4, 4.0).unwrap();
        let many = Success::of(400, 400.0).unwrap();
        assert!(few.low < many.low && many.low < 1.0, "{few:?} {many:?}");
        assert_eq!((few.mean, few.high), (1.0, 1.0));
        // Wilson's interval of 8 in 10 is 49 % to 94 %.
        assert_eq!(Success::of(10, 8.0).unwrap().text(), "80 % (49-94 %, n=10)");
        assert_eq!(Success::of(0, 0.0), None);
        assert_eq!(success_text(None), "not known");
    }
}
