//! `skills calibrate`: the effect of other thresholds on the recorded replies of the model that was asked which skill fits.

use contracts::Score;
use serde_json::json;
use skills::{Calibration, CalibrationRow, MIN_CALIBRATION_REPLIES};

use super::recorded::RecordedDecisions;
use crate::{
    context::Context,
    failure::Failure,
    screen::{FAINT, Table, outln, styled},
};

/// Prints the precision and the questions of each threshold on the labelled replies, and the recommended threshold.
pub(super) fn run(context: &Context, decisions: &RecordedDecisions) -> Result<(), Failure> {
    let replies = decisions.history.labelled_replies(|request| decisions.is_measured(request));
    let (present, target) = (decisions.settings.llm.min_confidence, decisions.settings.telemetry.min_precision);
    let calibration = Calibration::new(&replies, target);
    let json = json!({
        "labelled_replies": replies.len(), "required": MIN_CALIBRATION_REPLIES, "present": hundredths(present),
        "target_percent": target,
        "recommended": calibration.as_ref().and_then(|calibration| calibration.recommended).map(hundredths),
        "thresholds": calibration.as_ref().map(|calibration| {
            calibration.rows.iter().map(|row| json!({
                "threshold": hundredths(row.threshold), "precision": row.precision, "asked": row.asked,
            })).collect::<Vec<_>>()
        }),
    });
    context.print(&json, || {
        let labelled = match replies.len() {
            1 => "1 labelled reply".to_owned(),
            count => format!("{count} labelled replies"),
        };
        let Some(calibration) = &calibration else {
            if decisions.history.total() == 0 {
                decisions.print_nothing();
                return;
            }
            outln!("{labelled} of the model; a calibration needs {MIN_CALIBRATION_REPLIES}.");
            outln!(
                "{}",
                styled(FAINT, "Replies come from `skills: {layers: {llm: on}}` in routing.yaml while `serve` runs;")
            );
            outln!("{}", styled(FAINT, "labels from the skills that agents load and `turnwise skills corrected`."));
            return;
        };
        print_rows(&calibration.rows);
        match calibration.recommended {
            Some(threshold) => {
                outln!(
                    "\nRecommended: {} (n = {labelled}, target {target} % right); now {}",
                    hundredths(threshold),
                    hundredths(present)
                );
                let next = format!(
                    "Nothing is changed; set `skills: {{llm: {{min_confidence: {}}}}}`.",
                    hundredths(threshold)
                );
                outln!("{}", styled(FAINT, &next));
            }
            None => outln!("\nNo threshold reaches {target} % right (n = {labelled}); now {}", hundredths(present)),
        }
    })
}

/// Prints a table with the effect of each threshold.
fn print_rows(rows: &[CalibrationRow]) {
    let mut table = Table::new(&[">THRESHOLD", ">RIGHT", ">BELOW IT"]);
    for row in rows {
        table.add_row([hundredths(row.threshold), row.precision.to_string(), row.asked.to_string()]);
    }
    table.print();
}

/// Formats a score with two decimals, rounded down.
fn hundredths(score: Score) -> String {
    let hundredths = score.0 / 10_000_000;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}
