//! Parses the blocks `pattern` and `pattern_disagreement` of a policy file: the settings of learned recommendations.

use contracts::views::{CostScale, Estimator, FingerprintKind, PatternSettings};

use super::{DisagreementSettings, keys, load::Loader};
use crate::yaml::YamlNode;

/// The maximum value of `neighbours`, the number of similar turns from which a recommendation is derived.
const MAX_NEIGHBOURS: u16 = 512;

impl Loader<'_> {
    /// Parses the block `pattern`. Missing and invalid keys have the defaults of the estimator; `None` if the block is
    /// not a mapping.
    pub(super) fn parse_pattern(&mut self, node: &YamlNode<'_>) -> Option<PatternSettings> {
        let keys = self.problems.parse_mapping(node, "`pattern`", keys::PATTERN)?;
        let estimators = [("paper", Estimator::Paper), ("calibrated", Estimator::Calibrated)];
        let kinds = [("structural", FingerprintKind::Structural), ("hybrid", FingerprintKind::Hybrid)];
        let scales = [("cluster", CostScale::Cluster), ("relative", CostScale::Relative)];
        let estimator =
            keys.get("estimator").and_then(|node| self.problems.parse_choice(node, "estimator", &estimators));
        // A missing key has the default of the estimator.
        let mut settings = PatternSettings::defaults_for(estimator.unwrap_or_default());
        for (name, fraction) in [
            ("alpha", &mut settings.alpha),
            ("cost_weight", &mut settings.cost_weight),
            ("min_confidence", &mut settings.min_confidence),
            ("min_similarity", &mut settings.min_similarity),
        ] {
            set_if_some(fraction, keys.get(name).and_then(|node| self.problems.parse_fraction(node, name)));
        }
        set_if_some(
            &mut settings.min_sample_size,
            keys.get("min_sample_size").and_then(|node| self.problems.parse_count(node, "min_sample_size", 1)),
        );
        set_if_some(&mut settings.neighbours, keys.get("neighbours").and_then(|node| self.parse_neighbours(node)));
        set_if_some(
            &mut settings.fingerprint,
            keys.get("fingerprint").and_then(|node| self.problems.parse_choice(node, "fingerprint", &kinds)),
        );
        set_if_some(
            &mut settings.cost_scale,
            keys.get("cost_scale").and_then(|node| self.problems.parse_choice(node, "cost_scale", &scales)),
        );
        set_if_some(
            &mut settings.over_requested,
            keys.get("over_requested").and_then(|node| self.problems.parse_boolean(node, "over_requested")),
        );
        Some(settings)
    }

    /// Parses the key `neighbours`, a number from 1 to [`MAX_NEIGHBOURS`]; reports other numbers. `None` if it is
    /// invalid; the problem is reported.
    fn parse_neighbours(&mut self, node: &YamlNode<'_>) -> Option<u16> {
        let count = self.problems.parse_count(node, "neighbours", 1)?;
        let fits = u16::try_from(count).ok().filter(|count| *count <= MAX_NEIGHBOURS);
        if fits.is_none() {
            self.problems.report(node.mark, format!("`neighbours` must be at most {MAX_NEIGHBOURS}, this is {count}"));
        }
        fits
    }

    /// Parses the block `pattern_disagreement`: when a recommendation that a rule outranked is shown. Missing and
    /// invalid keys have their defaults; `None` if the block is not a mapping.
    pub(super) fn parse_disagreement(&mut self, node: &YamlNode<'_>) -> Option<DisagreementSettings> {
        let keys = self.problems.parse_mapping(node, "`pattern_disagreement`", keys::DISAGREEMENT)?;
        let mut disagreement = DisagreementSettings::default();
        set_if_some(
            &mut disagreement.surface,
            keys.get("surface").and_then(|node| self.problems.parse_boolean(node, "surface")),
        );
        set_if_some(
            &mut disagreement.min_confidence,
            keys.get("min_confidence").and_then(|node| self.problems.parse_fraction(node, "min_confidence")),
        );
        set_if_some(
            &mut disagreement.min_sample_size,
            keys.get("min_sample_size").and_then(|node| self.problems.parse_count(node, "min_sample_size", 1)),
        );
        Some(disagreement)
    }
}

/// Sets `target` to the value in `given`; leaves it unchanged if `given` is `None`.
fn set_if_some<T>(target: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *target = given;
    }
}
