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
    money::{dollars, per_cent, signed},
    report::Report,
};
use page::{Page, escape};

/// Renders the report as an HTML document. Everything that originates in a log or a policy is escaped.
pub fn html(report: &Report) -> String {
    let mut page = Page::new(&format!("What if: {} turns", report.turns));
    headline(&mut page, report);
    page.section("Cost over time", &charts::cumulative(report));
    page.section("Models, before and after", &charts::shares(report));
    if let Some(best) = report.new.first() {
        page.section("Who takes over from whom", &tables::switches(best));
        let groups = [
            ("By rule", &report.old.by_rule, &best.totals.by_rule),
            ("By model", &report.old.by_model, &best.totals.by_model),
            ("By workspace", &report.old.by_workspace, &best.totals.by_workspace),
            ("By day (UTC)", &report.old.by_day, &best.totals.by_day),
        ];
        page.section("The turns that matter most", &tables::largest_changes(report));
        for (title, old, new) in groups {
            page.section(title, &tables::groups(old, new));
        }
    }
    if !report.unjudged.is_empty() {
        page.section("Turns that could not be judged", &tables::excluded_turns(report));
    }
    page.section("How far to trust this", &accuracy(report));
    page.finish()
}

/// Writes the totals of the baseline and of the six cheapest policies, and a ranking if there is more than one policy.
fn headline(page: &mut Page, report: &Report) {
    page.paragraph(&format!(
        "{} recorded turns, compared with <b>{}</b> at {}.",
        report.turns,
        escape(&report.against),
        dollars(report.old.all.nano_usd)
    ));
    let mut cards = String::from("<div class=cards>");
    for new in report.new.iter().take(6) {
        let difference = new.totals.all.nano_usd.saturating_sub(report.old.all.nano_usd);
        let tone = if difference <= 0 { "less" } else { "more" };
        cards += &format!(
            "<div class=card><h3>{}</h3><p class=big>{}</p><p class={tone}>{} ({})</p><p>{} turns change model</p></div>",
            escape(&new.name),
            dollars(new.totals.all.nano_usd),
            signed(difference),
            per_cent(difference, report.old.all.nano_usd),
            new.changed,
        );
    }
    cards += "</div>";
    page.raw(&cards);
    if 1 < report.new.len() {
        page.section("All policies, cheapest first", &tables::ranking(report));
    }
}

/// Renders the measured error of the simulation and the assumptions behind the estimates.
fn accuracy(report: &Report) -> String {
    let identity = &report.identity;
    let assumptions: String = report.assumptions.iter().map(|text| format!("<li>{}</li>", escape(text))).collect();
    format!(
        "<p>Simulating what really happened gives {} where {} were recorded: an error of <b>{}</b> in all, and of at most <b>{}</b> \
         for half of the {} sessions (without taking what a thread's first call read as recorded: {} and {}).</p><ul>{assumptions}</ul>",
        dollars(identity.simulated_nano_usd),
        dollars(identity.recorded_nano_usd),
        identity.total,
        identity.median,
        identity.sessions,
        identity.predicted_total,
        identity.predicted_median,
    )
}
