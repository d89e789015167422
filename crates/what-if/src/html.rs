//! Renders a report as one self-contained HTML page: no external script, font or image.
#![expect(
    clippy::format_push_string,
    clippy::format_collect,
    reason = "a page is made once, of small pieces that read well"
)]

mod charts;
mod page;
mod tables;

use crate::{
    day::format_day,
    money::{dollars, per_cent, signed},
    report::{ModelChange, Report},
};
use page::{Page, escape, file_name};

/// Renders the report of a backtest as an HTML document. Everything that originates in a log or a policy is escaped.
pub fn html(report: &Report) -> String {
    let mut page = Page::new(&title(report));
    summary(&mut page, report);
    headline(&mut page, report);
    page.section("Cost over time", &charts::cumulative(report));
    page.section("Models, before and after", &charts::shares(report));
    if let Some(best) = report.new.first() {
        page.section("Who takes over from whom", &tables::switches(best));
        page.section("What is known of the quality", &tables::risks(report, best));
        let groups = [
            ("By rule", &report.old.by_rule, &best.totals.by_rule),
            ("By model", &report.old.by_model, &best.totals.by_model),
            ("By project", &report.old.by_project, &best.totals.by_project),
            ("By week (UTC)", &report.old.by_week, &best.totals.by_week),
            ("By day (UTC)", &report.old.by_day, &best.totals.by_day),
        ];
        page.section("The turns that matter most", &tables::largest_changes(report));
        for (title, old, new) in groups {
            page.section(title, &tables::groups(old, new));
        }
    }
    if !report.excluded.is_empty() {
        page.section("Turns that could not be compared", &tables::excluded_turns(report));
    }
    page.section("How far to trust this", &accuracy(report));
    page.finish()
}

/// Returns the title of the HTML document, which contains the period of the report.
fn title(report: &Report) -> String {
    let period = report.period.map(|(first, last)| {
        let (first, last) = (format_day(first), format_day(last));
        if first == last { first } else { format!("{first} to {last}") }
    });
    format!("Cost of models, {}", period.unwrap_or_else(|| "no turns".to_owned()))
}

/// Adds the summary to the page, for a reader who decides about the policy: the amount spent, the estimated amount
/// under the cheapest policy, and the risk for quality.
fn summary(page: &mut Page, report: &Report) {
    let Some(best) = report.new.first() else { return };
    let (old_cost, new_cost) = (report.old.all.nano_usd, best.totals.all.nano_usd);
    let difference = new_cost.saturating_sub(old_cost);
    let turns = |number: u64| tables::counted(number, "turn");
    let spending_text = if report.against == "recorded" {
        format!("<b>Spent:</b> {} on {}.", dollars(old_cost), turns(report.turns))
    } else {
        format!(
            "<b>Baseline</b> ({}): {} on {}.",
            escape(&file_name(&report.against)),
            dollars(old_cost),
            turns(report.turns)
        )
    };
    let is_success_known = |change: &&ModelChange| {
        report.success.in_project(&change.project, &change.from).is_some()
            && report.success.in_project(&change.project, &change.to).is_some()
    };
    let measured_turns: u64 = best.changes.iter().filter(is_success_known).map(|change| change.turns).sum();
    let is_worse = |change: &&ModelChange| {
        let success = |model: &str| report.success.in_project(&change.project, model);
        success(&change.from).zip(success(&change.to)).is_some_and(|(from, to)| to.high < from.mean)
    };
    let worse_turns: u64 = best.changes.iter().filter(is_worse).map(|change| change.turns).sum();
    page.paragraph(&spending_text);
    page.paragraph(&format!(
        "<b>With {}:</b> {} ({}, {}). The estimate of what ran is off by {}.",
        escape(&file_name(&best.name)),
        dollars(new_cost),
        signed(difference),
        per_cent(difference, old_cost),
        report.calibration.total,
    ));
    page.paragraph(&format!(
        "<b>Risk:</b> {} would run on another model. For {} of them the success of both models in that project was \
         measured, and for {} the new model does measurably worse; for {} the effect on quality is not known.",
        turns(best.changed),
        measured_turns,
        worse_turns,
        best.changed.saturating_sub(measured_turns),
    ));
}

/// Adds the totals of the six cheapest policies to the page, and a ranking if there is more than one policy.
fn headline(page: &mut Page, report: &Report) {
    let mut cards = String::from("<div class=cards>");
    for result in report.new.iter().take(6) {
        let difference = result.totals.all.nano_usd.saturating_sub(report.old.all.nano_usd);
        let tone = if difference <= 0 { "less" } else { "more" };
        cards += &format!(
            "<div class=card><h3>{}</h3><p class=big>{}</p><p class={tone}>{} ({})</p><p>{} on another model</p></div>",
            escape(&file_name(&result.name)),
            dollars(result.totals.all.nano_usd),
            signed(difference),
            per_cent(difference, report.old.all.nano_usd),
            tables::counted(result.changed, "turn"),
        );
    }
    cards += "</div>";
    page.raw(&cards);
    if 1 < report.new.len() {
        page.section("All policies, cheapest first", &tables::ranking(report));
    }
}

/// Renders the measured error of the cost simulation and the assumptions behind the estimates as HTML.
fn accuracy(report: &Report) -> String {
    let calibration = &report.calibration;
    let assumptions: String = report.assumptions.iter().map(|text| format!("<li>{}</li>", escape(text))).collect();
    format!(
        "<p>Simulating what really happened gives {} where {} were recorded: an error of <b>{}</b> in all, and of at most <b>{}</b> \
         for half of the {} sessions (without taking what a thread's first call read as recorded: {} and {}).</p><ul>{assumptions}</ul>",
        dollars(calibration.simulated_nano_usd),
        dollars(calibration.recorded_nano_usd),
        calibration.total,
        calibration.median,
        calibration.sessions,
        calibration.predicted_total,
        calibration.predicted_median,
    )
}
