//! `patterns explain`: shows the similar turns behind a recommendation, and what would change it.

use contracts::Score;
use event_bus::{EventLog, TextFiles};
use patterns::{Counterfactual, Explanation, ModelExplanation};
use what_if::{RecommendationExplanation, explain};

use super::{format_cost, format_score, message_preview};
use crate::{
    commands::route::resolve_turn,
    context::Context,
    failure::Failure,
    screen::{GOOD, Table, outln, styled},
};

/// Prints the similar turns behind the recommendation for a turn, at most `number` for each model, and what would
/// change it. `turn` is the id of a turn, the start of one, or `last`.
///
/// # Errors
/// [`Failure::Failed`] if the start of the turn is not in the log; [`Failure::Invalid`] for an unknown turn.
pub(super) fn run(context: &Context, turn: &str, number: usize) -> Result<(), Failure> {
    let log = context.log_reader()?;
    let texts = TextFiles::open(context.home.log());
    let turn = resolve_turn(log.as_ref(), turn)?;
    let Some(explained) = explain(log.as_ref(), &texts, turn)? else {
        return Err(Failure::Failed(format!("the start of turn {turn} is not in the log, so it cannot be explained")));
    };
    let mut messages = Vec::new();
    for model in explained.explanation.iter().flat_map(|explanation| &explanation.models) {
        for near in model.neighbours.iter().take(number) {
            messages.push(message_preview(log.as_ref(), &texts, near.turn)?);
        }
    }
    let own = own_message(log.as_ref(), &texts, &explained)?;
    context.print(&explained, || print_explanation(&explained, &own, &messages, number))
}

/// Returns the first line of the message of the turn that is explained, for the output.
fn own_message(
    log: &dyn EventLog,
    texts: &TextFiles,
    explained: &RecommendationExplanation,
) -> Result<String, Failure> {
    message_preview(log, texts, explained.turn)
}

/// Prints the explanation of a model recommendation as text, with at most `number` similar turns for each model. `own`
/// is the first line of the turn's message; `messages` are those of the similar turns, in the order of the tables.
fn print_explanation(explained: &RecommendationExplanation, own: &str, messages: &[String], number: usize) {
    let id: String = explained.turn.to_string().chars().take(8).collect();
    outln!("Turn {id}  {own}");
    let Some(explanation) = &explained.explanation else {
        outln!("Nothing had been learned in this workspace when it was decided.");
        return;
    };
    if !explained.asked {
        outln!("The decision did not ask what was learned; had it asked:");
    }
    print_recommendation(explained, explanation);
    let mut messages = messages.iter();
    for model in &explanation.models {
        outln!("\n{}", styled(GOOD, &headline(model)));
        let mut table = Table::new(&["  TURN", ">SIMILARITY", ">OUTCOME", ">COST", ">WEIGHT", "MESSAGE"]);
        for near in model.neighbours.iter().take(number) {
            table.add_row([
                format!("  {}", near.turn.to_string().chars().take(8).collect::<String>()),
                near.similarity.to_string(),
                format_score(near.outcome),
                format_cost(near.cost.map(|cost| cost.0)),
                format_contribution(near.contribution),
                messages.next().cloned().unwrap_or_default(),
            ]);
        }
        if model.neighbours.is_empty() {
            outln!("  no turn of it is similar");
        } else {
            table.print();
            let more = model.neighbours.len().saturating_sub(number);
            if 0 < more {
                outln!("  … and {more} more (-n {})", model.neighbours.len());
            }
        }
    }
    print_counterfactuals(explained, explanation);
}

/// Prints the model that the pattern store recommends, or the reason why it recommends none.
fn print_recommendation(explained: &RecommendationExplanation, explanation: &Explanation) {
    let Some(recommended) = &explanation.recommendation else {
        outln!("No similar turn had been scored, so nothing was recommended.");
        return;
    };
    let settings = &explained.settings;
    let enough = settings.min_confidence <= recommended.confidence && settings.min_sample_size <= recommended.samples;
    let (model, confidence, samples) = (&recommended.model, recommended.confidence, recommended.samples);
    let other = explained.baseline.as_ref().filter(|baseline| *baseline != model);
    let than = other.map(|other| format!(" than {other}")).unwrap_or_default();
    let (least, fewest) = (settings.min_confidence, settings.min_sample_size);
    match other {
        _ if enough => outln!(
            "Recommended {model}: the better choice{than} with confidence {confidence}, on {samples} similar turns."
        ),
        Some(other) if !explanation.models.iter().any(|known| known.model == *other && known.success.is_some()) => {
            outln!(
                "No recommendation: {model} looks best, but {other} takes the turn otherwise and has no scored turn here."
            );
        }
        _ => outln!(
            "No recommendation: {model} may be better{than}, with confidence {confidence} on {samples} similar turns; the \
             policy asks for {least} on {fewest}."
        ),
    }
}

/// Formats the estimate for a model on one line: `anthropic:claude-haiku-4-5 success 0.71 = mean 0.74 of 12 -0.020
/// similar turns -0.010 words; cost $0.0123; utility 0.69`.
fn headline(model: &ModelExplanation) -> String {
    let terms = model.terms.as_ref().map(|terms| {
        let (near, words) = (format_contribution(terms.from_neighbours), format_contribution(terms.from_regression));
        format!(" = mean {} of {} {near} similar turns {words} words", terms.mean, terms.outcomes)
    });
    let (success, terms) = (format_score(model.success), terms.unwrap_or_default());
    format!(
        "{}  success {success}{terms}; cost {}; utility {}",
        model.model,
        format_cost(model.cost),
        format_utility(model.utility)
    )
}

/// Formats the utility of a model (the weighted mean of its estimated success and savings), in billionths, as a decimal
/// number; `-` if it is unknown.
fn format_utility(billionths: Option<i64>) -> String {
    let shown = |utility: i64| {
        let sign = if utility < 0 { "-" } else { "" };
        format!("{sign}{}", Score(utility.unsigned_abs()))
    };
    billionths.map_or_else(|| "-".to_owned(), shown)
}

/// Formats a contribution to the estimated success of a model, in billionths, with its sign and three decimal digits.
fn format_contribution(billionths: i64) -> String {
    let sign = if billionths < 0 { '-' } else { '+' };
    let size = Score(billionths.unsigned_abs());
    format!("{sign}{}.{:03}", size.0 / Score::ONE.0, size.0 % Score::ONE.0 / 1_000_000)
}

/// Prints for each other model the cost weight or the success at which it would be recommended instead.
fn print_counterfactuals(explained: &RecommendationExplanation, explanation: &Explanation) {
    if explanation.counterfactuals.is_empty() {
        return;
    }
    let weight = explained.settings.cost_weight;
    outln!("\nWhat would put another model first (cost_weight is {weight}):");
    for Counterfactual { model, cost_weight, success } in &explanation.counterfactuals {
        let mut ways = Vec::new();
        if let Some(level) = cost_weight {
            let side = if weight < *level { "above" } else { "below" };
            ways.push(format!("a cost_weight {side} {level}"));
        }
        if let Some(success) = success {
            ways.push(format!("a success of {success}"));
        }
        let ways = if ways.is_empty() { "nothing: it is worse and no cheaper".to_owned() } else { ways.join(", or ") };
        outln!("  {model}: {ways}");
    }
}
