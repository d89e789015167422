//! The generated tables of docs/performance.md.

use std::{collections::BTreeMap, fmt::Write as _};

use super::{
    estimates::Measurement,
    targets::{TARGETS, target, verdict},
};
use crate::failure::{Failure, Outcome};

/// A generated section of a page, between two marker lines.
pub(crate) struct GeneratedSection {
    /// The marker line before the section.
    pub(crate) begin: &'static str,
    /// The marker line after the section.
    pub(crate) end: &'static str,
}

/// The section with the criterion benchmarks.
pub(super) const FIGURES: GeneratedSection =
    GeneratedSection { begin: "<!-- figures: written by `cargo xtask bench` -->\n", end: "<!-- end of figures -->\n" };
/// The section with the log measurements.
pub(super) const LOG: GeneratedSection =
    GeneratedSection { begin: "<!-- log: written by `cargo xtask bench` -->\n", end: "<!-- end of log -->\n" };

/// The section with the gateway measurements.
pub(super) const GATEWAY: GeneratedSection = GeneratedSection {
    begin: "<!-- gateway: written by `cargo xtask bench gateway --write` -->\n",
    end: "<!-- end of gateway -->\n",
};

/// Formats the table of benchmarks, with the text `machine` before it. Benchmarks with a target come first, including
/// those without a result.
pub(super) fn table(machine: &str, measured: &BTreeMap<String, Measurement>) -> String {
    let is_measured =
        |target_index: usize| measured.keys().any(|name| target(name).is_some_and(|(index, _)| index == target_index));
    let unmeasured = (0..).zip(TARGETS).filter(|(index, _)| !is_measured(*index)).map(|(_, (name, _))| *name);
    let mut names: Vec<&str> = measured.keys().map(String::as_str).chain(unmeasured).collect();
    names.sort_by_key(|name| (target(name).map_or(usize::MAX, |(index, _)| index), *name));
    let mut text =
        format!("{machine}\n\n| benchmark | median | 95 % of medians | target | |\n| --- | --: | --- | --- | --- |\n");
    for name in names {
        let (limit, met) = verdict(name, measured);
        let (median, interval) = match measured.get(name) {
            Some(Measurement { median, interval: (low, high) }) => {
                (format_duration(*median), format!("{} to {}", format_duration(*low), format_duration(*high)))
            }
            None => ("-".to_owned(), "-".to_owned()),
        };
        // Writing to a `String` always succeeds.
        let _ = writeln!(text, "| {name} | {median} | {interval} | {limit} | {met} |");
    }
    text
}

impl GeneratedSection {
    /// Returns `page` with the content of this section replaced by `table`. Fails if a marker is missing.
    pub(crate) fn replace_in(&self, page: &str, table: &str) -> Outcome<String> {
        let Self { begin, end } = self;
        let parts = page.split_once(begin).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)));
        let missing_markers =
            || Failure::new(format!("the page has no markers for this table; expected `{}`", begin.trim()));
        let (before, after) = parts.ok_or_else(missing_markers)?;
        Ok(format!("{before}{begin}{table}{end}{after}"))
    }
}

/// Formats a duration with three significant digits, in ns, µs, ms or s.
pub(super) fn format_duration(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        ns if ns < 1e3 => (ns, "ns"),
        ns if ns < 1e6 => (ns / 1e3, "µs"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    match value {
        value if value < 10.0 => format!("{value:.2} {unit}"),
        value if value < 100.0 => format!("{value:.1} {unit}"),
        value => format!("{value:.0} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_significant_digits() {
        let shown: Vec<_> = [0.5, 123.4, 9_876.0, 45_678.0, 8.8e6, 2.5e9].map(format_duration).into_iter().collect();
        assert_eq!(shown, ["0.50 ns", "123 ns", "9.88 µs", "45.7 µs", "8.80 ms", "2.50 s"]);
    }

    #[test]
    fn section_is_replaced_and_the_rest_of_the_page_is_kept() {
        let GeneratedSection { begin, end } = FIGURES;
        let page = |table: &str| format!("# Performance\n\n{begin}{table}\n{end}\nThe rest.\n");
        assert_eq!(FIGURES.replace_in(&page("old"), "new\n").unwrap(), page("new"));
        assert!(LOG.replace_in(&page("old"), "new\n").is_err());
    }

    #[test]
    fn target_is_met_missed_or_not_measured() {
        let figure = |median| Measurement { median, interval: (median, median) };
        let measured = BTreeMap::from([
            ("router-core: regex rules: phrases/10".to_owned(), figure(1_000.0)),
            ("router-core: regex rules: phrases/200".to_owned(), figure(5_001.0)),
            ("router-core: policy of 100 rules/parse 14000 bytes".to_owned(), figure(900_000.0)),
        ]);
        let limit = "at most 5 × `regex rules: phrases/10` = 5.00 µs".to_owned();
        assert_eq!(verdict("router-core: regex rules: phrases/200", &measured), (limit, "**missed**"));
        assert_eq!(verdict("router-core: policy of 100 rules/parse 14000 bytes", &measured).1, "met");
        assert_eq!(verdict("engine: decision/100 rules, 0 fingerprints", &measured).1, "not measured");
        assert_eq!(verdict("router-core: regex rules: phrases/10", &measured), ("-".to_owned(), "-"));

        let table = table("Measured here.", &measured);
        assert!(
            table.contains("| engine: decision/100 rules, 0 fingerprints | - | - | at most 10.0 µs | not measured |")
        );
        assert_eq!(table.matches("/parse ").count(), 1, "{table}");
    }
}
