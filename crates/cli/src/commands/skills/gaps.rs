//! `skills gaps`: requests that the keywords do not cover, with the words to add.

use serde_json::json;
use skills::coverage_gaps::{CoverageGap, GapThresholds, GapWord, coverage_gaps};

use super::recorded::RecordedDecisions;
use crate::{
    context::Context,
    failure::Failure,
    screen::{FAINT, GOOD, HEADING, count_noun, escape_line, outln, styled},
};

/// Prints the gaps that the recorded decisions show.
pub(super) fn run(context: &Context, decisions: &RecordedDecisions) -> Result<(), Failure> {
    let records = decisions.measured_records(context)?;
    let thresholds = decisions.settings.gaps;
    let gaps = coverage_gaps(&records, &thresholds);
    context.print(&json!({ "decisions": records.len(), "gaps": gaps }), || {
        if records.is_empty() {
            decisions.print_nothing();
            return;
        }
        for gap in &gaps {
            print_gap(gap, thresholds);
        }
        let decided = count_noun(records.len() as u64, "decision");
        if gaps.is_empty() {
            outln!("{} no gap in {decided}", styled(GOOD, "ok"));
        } else {
            outln!("{}", styled(FAINT, &format!("{} in {decided}", count_noun(gaps.len() as u64, "gap"))));
            outln!("{}", styled(FAINT, "Try a word: turnwise triggers add SKILL WORD --dry-run"));
        }
    })
}

/// Prints a gap with its rate, its words and the first of its decisions.
fn print_gap(gap: &CoverageGap, thresholds: GapThresholds) {
    outln!("{}", styled(HEADING, gap.signal.title()));
    outln!("  {}, above {} %", gap.rate, thresholds.percent(gap.signal));
    for GapWord { skill, word, requests } in &gap.words {
        let requests = count_noun(u64::from(*requests), "request");
        let owner = skill.as_ref().map_or_else(String::new, |skill| format!(" of {skill}"));
        outln!("  {}", escape_line(&format!("add `{word}` to the keywords{owner}: in {requests}")));
    }
    if let Some(event) = gap.events.first() {
        outln!("  {}\n", styled(FAINT, &format!("first event {event}")));
    }
}
