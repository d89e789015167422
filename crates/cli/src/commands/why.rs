//! `why`: explains the decision of a turn: the chain of reasons, and the cost of changing the model. Lists the turns of a
//! session.

mod session_walk;
mod turn_summary;

use contracts::events::RouteFallback;
use engine::{EngineError, Models, RecordedDecision, find_decision, last_main_decision};
use event_bus::EventLog;
use serde::Serialize;
use serde_json::{Value, json};
use what_if::{SwitchCost, dollars, switch_cost};

use super::decision_view::DecisionView;
use crate::{
    context::Context,
    failure::Failure,
    screen::{escape_line, out, outln},
};

/// The JSON output of `why`: a turn, its decision, its result and its fallbacks.
#[derive(Serialize)]
struct View {
    /// The decision about the turn; its fields become fields of the object.
    #[serde(flatten)]
    decision: DecisionView,
    /// Whether the turn was imported: `model` and `chain` are then what the policy would have chosen.
    imported: bool,
    /// The model that an imported turn ran on; `None` for a live turn, and if the session file shows no call.
    ran: Option<String>,
    /// The banners of the decision and of its fallbacks, with what the user can do.
    notices: Vec<String>,
    /// The skill decision with its chain, and the skills that the agent loaded; null for an auxiliary call.
    skills: Value,
    /// The turn with its message, status, calls, cost and verdict.
    result: Value,
    /// The fallback decisions, in order.
    steps: Vec<StepView>,
    /// The cached tokens of the prompt; `None` for the first call of a session or for a refused turn.
    cache: Option<SwitchCost>,
}

/// The JSON form of a fallback decision: the models that failed, and the new decision.
#[derive(Serialize)]
struct StepView {
    /// The number of the fallback in its turn, from 1.
    step: u32,
    /// The models that failed, each with the class of its error.
    failed: Vec<Value>,
    /// The new decision; its fields become fields of the object.
    #[serde(flatten)]
    decision: DecisionView,
}

impl StepView {
    fn new(step: &RouteFallback) -> Self {
        let failed = step.failed.iter().map(|failed| json!({ "model": failed.model, "class": failed.class }));
        let decision = DecisionView::new(step.turn, &step.session, &step.decision, &[]);
        Self { step: step.step, failed: failed.collect(), decision }
    }
}

/// Executes `turnwise why`: explains the decision about a turn. `turn` is `last`, or the start of the id of a turn or
/// of a session, whose turns are then shown one by one.
pub(super) fn run(context: &Context, turn: &str) -> Result<(), Failure> {
    let log = context.log_reader()?;
    let insight = match turn {
        "last" => last_main_decision(log.as_ref())?,
        turn => match find_decision(log.as_ref(), turn) {
            Err(EngineError::UnknownTurn(turn)) => {
                let Some(session) = session_walk::find_session(context, &turn)? else {
                    return Err(EngineError::UnknownTurn(turn).into());
                };
                return session_walk::print_session(context, log.as_ref(), &session);
            }
            found => found?,
        },
    };
    let details = gateway::turn_details(log.as_ref(), context.texts().as_ref(), &insight)?;
    let decision = DecisionView::new(insight.decided.turn, &insight.decided.session, &insight.decided.decision, &[]);
    let cache = cached_switch_cost(context, log.as_ref(), &insight)?;
    let steps = insight.steps.iter().map(|(_, step)| StepView::new(step)).collect();
    let (imported, ran, notices) =
        (insight.is_imported(), insight.ran.clone(), insight.notices(context.texts().as_ref()));
    let result = json!({ "turn": details["turn"], "calls": details["calls"], "verdict": details["verdict"] });
    let skills = details["skills"].clone();
    let view = View { decision, imported, ran, notices, skills, result, steps, cache };
    context.print(&view, || {
        for line in turn_summary::lines(&view.result) {
            outln!("{line}");
        }
        out!("\n{}", insight.text(context.texts().as_ref()));
        for line in skill_lines(&view.skills) {
            outln!("{line}");
        }
        if let Some(cache) = &view.cache {
            outln!("\n{}", switch_cost_text(cache));
        }
    })
}

/// Returns the lines about the skill decision of a turn: its why-view, or one line if no skill was known. Empty without a
/// decision.
fn skill_lines(skills: &Value) -> Vec<String> {
    let Some(why) = skills["why"].as_str() else { return Vec::new() };
    let mut lines = vec![String::new()];
    if skills["known"] == true {
        lines.push("Skills of the message:".to_owned());
        lines.extend(why.lines().map(str::to_owned));
    } else {
        lines.push("Skills: none were known for this message".to_owned());
    }
    let loaded = skills["loaded"].as_array().into_iter().flatten().filter_map(|loaded| loaded["skill"].as_str());
    let loaded: Vec<_> = loaded.map(escape_line).collect();
    if !loaded.is_empty() {
        lines.push(format!("The agent loaded: {}", loaded.join(", ")));
    }
    lines
}

/// Returns the cost of changing the model of a turn, which loses the prompt cache; `None` if no part of the prompt was
/// cached.
fn cached_switch_cost(
    context: &Context,
    log: &dyn EventLog,
    insight: &RecordedDecision,
) -> Result<Option<SwitchCost>, Failure> {
    let Some(model) = insight.model() else { return Ok(None) };
    let models = Models::load(&context.home.models())?.registry;
    let cost = switch_cost(log, (insight.position, insight.decided.turn), model, &models)?;
    Ok(cost.filter(|cost| 0 < cost.warm || 0 < cost.to_warm))
}

/// Formats the cost of changing the model, which loses the prompt cache, as a sentence.
fn switch_cost_text(cost: &SwitchCost) -> String {
    let SwitchCost { from, warm, to, to_warm, nano_usd } = cost;
    let more = nano_usd.map_or_else(
        || "at a price that is not known".to_owned(),
        |nano| format!("about {} more", dollars(i64::try_from(nano).unwrap_or(i64::MAX))),
    );
    if from == to {
        return format!(
            "Cache: {warm} tokens are cached on {to}; another model of its price would cache them again, {more}"
        );
    }
    if warm <= to_warm {
        return format!("Cache: {to_warm} tokens are cached on {to}; changing from {from} loses nothing");
    }
    format!("Cache: {warm} tokens were cached on {from}, {to_warm} on {to}; the others are cached again, {more}")
}
