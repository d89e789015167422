//! Compares the models that `backtest` predicts for a policy with those that the gateway chose under it.

use std::{collections::BTreeMap, path::Path};

use serde_json::Value;

use crate::{
    clients::programs::turnwise_command,
    failure::{Failure, Outcome},
    program, workspace,
};

/// Compares the models that a backtest of a policy predicts with those that a gateway chose. Returns the number of
/// turns that were compared.
///
/// The backtest runs on the log in `home`. `turns` are the turns of that log, and `models` the models that a gateway
/// chose under the policy for the same messages.
///
/// # Errors
/// Lists the turns for which the backtest has no prediction or another model.
pub(super) fn check_agreement(home: &Path, policy: &str, turns: &[String], models: &[String]) -> Outcome<usize> {
    let file = home.join("tried.yaml");
    workspace::write_file(&file, policy)?;
    let output = program::capture_output(turnwise_command(home).args(["--json", "backtest", "--policy"]).arg(&file))?;
    let report: Value = serde_json::from_str(&output)
        .map_err(|error| Failure::new(format!("`turnwise --json backtest` printed no JSON: {error}")))?;
    let predicted_models = predictions(&report);
    let mut problems = Vec::new();
    for (turn, model) in turns.iter().zip(models) {
        match predicted_models.get(turn.as_str()) {
            Some(predicted) if predicted == model => {}
            Some(predicted) => problems.push(format!("turn {turn}: backtest {predicted}, gateway {model}")),
            None => problems.push(format!("turn {turn} is missing in the backtest")),
        }
    }
    Failure::unless_empty("backtest and gateway disagree", &problems)?;
    Ok(turns.len().min(models.len()))
}

/// Returns the model that the first policy of a backtest chooses, by turn.
fn predictions(report: &Value) -> BTreeMap<&str, &str> {
    let rows = report["turns"].as_array().into_iter().flatten();
    rows.filter_map(|row| Some((row["turn"].as_str()?, row["new"][0]["model"].as_str()?))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_policy_predicts_the_model_of_each_turn() {
        let report = json!({"turns": [
            {"turn": "a", "new": [{"model": "x"}, {"model": "y"}]}, {"turn": "b", "new": [{"model": "z"}]}
        ]});
        assert_eq!(predictions(&report), BTreeMap::from([("a", "x"), ("b", "z")]));
    }
}
