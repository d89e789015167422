//! Turns as comma-separated values (RFC 4180), for spreadsheets.

use std::io::{self, Write};

use contracts::{ChainSlot as _, NanoUsd};

use crate::report::TurnRow;

/// Writes the turns of a backtest to `out` as comma-separated values: a header line, and one line for each turn and
/// policy. `policies` are the names of the policies, in the order of each row's results. Money is in dollars with nine
/// decimal digits.
///
/// # Errors
/// The errors of `out`.
pub fn write_csv<'r>(
    out: &mut dyn Write,
    policies: &[String],
    rows: impl IntoIterator<Item = &'r TurnRow>,
) -> io::Result<()> {
    let titles = "turn,session,started,workspace,calls,recorded_model,recorded_usd,old_model,old_usd,policy,new_model,new_usd,difference_usd,parted_at,why";
    write!(out, "{titles}\r\n")?;
    for row in rows {
        for (index, (policy, new)) in policies.iter().zip(&row.new).enumerate() {
            let first_difference =
                row.parted.get(index).copied().flatten().map(contracts::Slot::name).unwrap_or_default();
            let cells = [
                row.turn.to_string(),
                row.session.to_string(),
                crate::day::format_moment(row.at),
                row.workspace.clone().unwrap_or_default(),
                row.calls.to_string(),
                row.recorded.clone(),
                dollars(row.recorded_nano_usd),
                row.old.model.clone(),
                dollars(row.old.nano_usd),
                policy.clone(),
                new.model.clone(),
                dollars(new.nano_usd),
                dollars(row.difference(index)),
                first_difference.to_owned(),
                new.why.clone(),
            ];
            let line: Vec<_> = cells.iter().map(|cell| quote(cell)).collect();
            write!(out, "{}\r\n", line.join(","))?;
        }
    }
    Ok(())
}

/// Quotes the text of a cell where RFC 4180 requires it. A text that starts with `=`, `+`, `-` or `@` and is not a
/// number gets a leading apostrophe, so that spreadsheets do not evaluate it as a formula.
fn quote(cell: &str) -> String {
    let number = cell.parse::<f64>().is_ok();
    let cell = if !number && cell.starts_with(['=', '+', '-', '@']) { format!("'{cell}") } else { cell.to_owned() };
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

/// Formats nano-dollars as a number of dollars with nine decimals, without a currency sign.
fn dollars(nano: i64) -> String {
    let sign = if nano < 0 { "-" } else { "" };
    format!("{sign}{}", NanoUsd(nano.unsigned_abs()).decimal(9))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells with separators are quoted, texts that look like formulas get an apostrophe, and numbers stay unchanged.
    #[test]
    fn cells_are_quoted_and_no_cell_is_a_formula() {
        let shown: Vec<_> =
            ["plain", "a,b", "say \"so\"", "=1+1", "-5", "-x", "@sonnet"].map(quote).into_iter().collect();
        assert_eq!(shown, ["plain", "\"a,b\"", "\"say \"\"so\"\"\"", "'=1+1", "-5", "'-x", "'@sonnet"]);
        assert_eq!([dollars(-1), dollars(1_234_567_890)], ["-0.000000001", "1.234567890"]);
    }
}
