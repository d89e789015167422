//! SVG charts of the report: cumulative cost by day, and the share of each model.

use std::collections::BTreeMap;

use super::page::{escape, file_name};
use crate::{
    money::dollars,
    report::Report,
    totals::{GroupTotal, Totals},
};

/// Width of a chart in units of the SVG's view box, like all lengths below.
const WIDTH: f64 = 720.0;
/// Height of the cost chart.
const HEIGHT: f64 = 240.0;
/// Space for the axis labels on the left.
const LEFT: f64 = 72.0;
/// Space above the highest value.
const TOP: f64 = 12.0;
/// Space for the dates below the lines.
const BOTTOM: f64 = 28.0;

/// Colours that most people with a colour vision deficiency distinguish, on light and dark backgrounds.
const COLOURS: [&str; 8] = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bb7744", "#999999"];

/// A function that returns the value of a model that a bar shows: its turns, or its cost in nano-dollars.
type Measure = fn(&GroupTotal) -> i64;

/// Draws a line chart of the cumulative cost by day, of the baseline and of the cheapest policy, as an SVG with a
/// legend. Returns a sentence if no turn was compared, and an empty text if the report has no policy.
pub(super) fn cumulative(report: &Report) -> String {
    let Some(best) = report.new.first() else { return String::new() };
    let days: Vec<&String> = report.old.by_day.keys().collect();
    let (Some(first), Some(last)) = (days.first(), days.last()) else {
        return "<p class=soft>No turn was scored.</p>".to_owned();
    };
    let sums = |totals: &Totals| {
        let mut sum = 0_i64;
        let add = |day: &&String| {
            sum = sum.saturating_add(totals.by_day.get(*day).map_or(0, |share| share.nano_usd));
            sum
        };
        days.iter().map(add).collect::<Vec<_>>()
    };
    let (old_sums, new_sums) = (sums(&report.old), sums(&best.totals));
    let highest_cost = old_sums.iter().chain(&new_sums).copied().max().unwrap_or(0).max(1);
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=img aria-label=\"Cost over time\">");
    for step in 0..=4 {
        let nano = highest_cost / 4 * step;
        let y = y_coordinate(nano, highest_cost);
        svg += &format!(
            "<line x1={LEFT} x2={WIDTH} y1={y:.1} y2={y:.1} stroke=\"var(--line)\"/><text x={:.1} y={:.1} text-anchor=end>{}</text>",
            LEFT - 6.0,
            y + 4.0,
            axis_label(nano)
        );
    }
    for (sums, colour, dash) in [(&old_sums, "var(--old)", "5 4"), (&new_sums, "var(--new)", "")] {
        let points: Vec<_> = (0..)
            .zip(sums)
            .map(|(index, nano)| {
                format!("{:.1},{:.1}", x_coordinate(index, days.len()), y_coordinate(*nano, highest_cost))
            })
            .collect();
        svg += &format!(
            "<polyline points=\"{}\" fill=none stroke=\"{colour}\" stroke-width=2 stroke-dasharray=\"{dash}\"/>",
            points.join(" ")
        );
        if let Some((x, y)) = points.last().and_then(|point| point.split_once(',')) {
            svg += &format!("<circle cx={x} cy={y} r=3.5 fill=\"{colour}\"/>");
        }
    }
    let y = HEIGHT - 8.0;
    svg += &format!("<text x={LEFT} y={y}>{first}</text>");
    if first != last {
        svg += &format!("<text x={WIDTH} y={y} text-anchor=end>{last}</text>");
    }
    svg += "</svg>";
    let item = |colour: &str, name: &str, sums: &[i64]| {
        let total_cost = sums.last().copied().unwrap_or_default();
        format!("<li><i style=\"background:{colour}\"></i>{} {}</li>", escape(&file_name(name)), dollars(total_cost))
    };
    let legend = item("var(--old)", &report.against, &old_sums) + &item("var(--new)", &best.name, &new_sums);
    format!("{svg}<ul class=legend>{legend}</ul>")
}

/// Returns the y coordinate of an amount of `nano` nano-dollars on an axis from 0 to `most`, which must be positive.
#[expect(clippy::cast_precision_loss, reason = "a pixel is coarser than any rounding")]
fn y_coordinate(nano: i64, most: i64) -> f64 {
    let share = nano.max(0) as f64 / most as f64;
    TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - share)
}

/// Returns the x coordinate of the day with the index `index`, from 0, of `count` days; the middle of the chart for a
/// single day.
#[expect(clippy::cast_precision_loss, reason = "a pixel is coarser than any rounding")]
fn x_coordinate(index: usize, count: usize) -> f64 {
    if count < 2 {
        return f64::midpoint(LEFT, WIDTH);
    }
    LEFT + (WIDTH - LEFT - 6.0) * index as f64 / (count - 1) as f64
}

/// Formats an axis label for `nano` nano-dollars: with cents below 100 dollars, in whole dollars from there on.
fn axis_label(nano: i64) -> String {
    let cents = nano / 10_000_000;
    if 10_000 <= cents { format!("${}", cents / 100) } else { format!("${}.{:02}", cents / 100, cents % 100) }
}

/// Draws a bar chart of each model's share in turns and in cost, for the baseline and for the cheapest policy, as an
/// SVG with a legend. Empty if the report has no policy.
pub(super) fn shares(report: &Report) -> String {
    let Some(best) = report.new.first() else { return String::new() };
    let models: Vec<&String> = {
        let mut models: Vec<_> = report.old.by_model.keys().chain(best.totals.by_model.keys()).collect();
        models.sort();
        models.dedup();
        models
    };
    let colour = |index: usize| COLOURS[index % COLOURS.len()];
    let legend: String = (0..)
        .zip(&models)
        .map(|(index, model)| format!("<li><i style=\"background:{}\"></i>{}</li>", colour(index), escape(model)))
        .collect();
    let turns: Measure = |share| i64::try_from(share.turns).unwrap_or(i64::MAX);
    let money: Measure = |share| share.nano_usd.max(0);
    let rows = [
        ("turns before", &report.old.by_model, turns),
        ("turns after", &best.totals.by_model, turns),
        ("cost before", &report.old.by_model, money),
        ("cost after", &best.totals.by_model, money),
    ];
    let mut svg = "<svg viewBox=\"0 0 720 148\" role=img aria-label=\"Models before and after\">".to_owned();
    for (row, (title, group, measure)) in (0_u32..).zip(rows) {
        let y = 6.0 + f64::from(row) * 34.0 + if row < 2 { 0.0 } else { 8.0 };
        svg += &format!("<text x=0 y={:.1}>{title}</text>", y + 17.0);
        svg += &bar(&models, group, measure, y, &colour);
    }
    format!("{svg}</svg><ul class=legend>{legend}</ul>")
}

/// Draws one stacked bar with its upper edge at `top`, with a segment for each model's share of the sum of `measure`.
/// `colour` returns the colour of the model with an index.
#[expect(clippy::cast_precision_loss, reason = "a pixel is coarser than any rounding")]
fn bar(
    models: &[&String],
    group: &BTreeMap<String, GroupTotal>,
    measure: Measure,
    top: f64,
    colour: &dyn Fn(usize) -> &'static str,
) -> String {
    /// Left end of the bars, after their titles.
    const BEGIN: f64 = 128.0;
    let total: i64 = group.values().map(measure).sum();
    let (mut left, mut bar) = (BEGIN, String::new());
    for (index, model) in models.iter().enumerate() {
        let share = group.get(*model).map_or(0, measure);
        let width = (WIDTH - BEGIN) * share as f64 / total.max(1) as f64;
        if 0.0 < width {
            bar += &format!(
                "<rect x={left:.1} y={top:.1} width={width:.1} height=26 fill=\"{}\"><title>{}: {:.0} %</title></rect>",
                colour(index),
                escape(model),
                share as f64 / total.max(1) as f64 * 100.0
            );
        }
        left += width;
    }
    bar
}
