//! The value of a subscription: what each month would have cost at API prices, beside its monthly price.

use contracts::NanoUsd;
use costs::{AttributedCall, CostTotal};
use serde_json::json;
use what_if::{dollars, signed};

use super::{Dimension, Period, dimension::group, format_cost, print_unpriced, total_json, unpriced_json};
use crate::{
    context::Context,
    failure::Failure,
    screen::{FAINT, HEADING, Table, count_noun, outln, styled},
};

/// Prints for each UTC month what the calls cost at API prices, and how much more or less that is than `monthly`, the
/// price of a subscription. A month without calls is not listed. `calls` are the model calls of `period`.
pub(super) fn show_plan(
    context: &Context,
    calls: &[AttributedCall],
    period: Period,
    monthly: NanoUsd,
) -> Result<(), Failure> {
    let months = group(calls, Dimension::Month);
    let value = |total: &CostTotal| signed_nano(total.cost).saturating_sub(signed_nano(monthly));
    let total = months.iter().fold(0_i64, |sum, (_, total)| sum.saturating_add(value(total)));
    let worth = months.iter().filter(|(_, total)| 0 < value(total)).count();
    let rows: Vec<_> = months
        .iter()
        .map(|(month, total)| json!({ "month": month, "at_api_prices": total_json(total), "value_nano_usd": value(total) }))
        .collect();
    let json = json!({
        "from": period.from, "to": period.to, "plan_nano_usd": monthly, "months": rows, "value_nano_usd": total,
        "unpriced": unpriced_json(calls),
    });
    context.print(&json, || {
        let mut table = Table::new(&["MONTH (UTC)", ">CALLS", ">AT API PRICES", ">PLAN", ">VALUE"]);
        for (month, total) in &months {
            table.add_row([
                month.clone(),
                total.calls.to_string(),
                format_cost(total),
                dollars(signed_nano(monthly)),
                signed(value(total)),
            ]);
        }
        table.print();
        let listed = count_noun(months.len() as u64, "month");
        outln!(
            "\n{}",
            styled(HEADING, &format!("Value {} over {listed}; more than its price in {worth}", signed(total)))
        );
        let note = "The value of a plan is the price of the same calls with an API key, minus the\n\
                    plan. The first and the last month may be incomplete.";
        outln!("{}", styled(FAINT, note));
        print_unpriced(calls);
    })
}

/// Converts an amount to a signed number of nano-dollars.
fn signed_nano(amount: NanoUsd) -> i64 {
    i64::try_from(amount.0).unwrap_or(i64::MAX)
}
