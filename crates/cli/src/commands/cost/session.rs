//! The costs of one session by thread and model, in the layout of 004 §6.7.

use contracts::{CallRole, SessionId, Thread};
use costs::{SessionCosts, ThreadCosts};
use serde_json::json;

use super::{Row, format_cost, total_json};
use crate::{
    context::Context,
    failure::Failure,
    screen::{HEADING, count_noun, outln, styled},
};

/// A line of the cost tree of a session, with the lines below it.
struct Node {
    /// The line: a name with its turns and cost.
    text: String,
    /// The lines that are indented below it.
    below: Vec<Node>,
}

/// Prints the cost of a session as a tree: threads, and below each its models. With `--json`, prints a JSON object.
pub(super) fn show_session(context: &Context, name: &SessionId, session: &SessionCosts) -> Result<(), Failure> {
    let total = session.total();
    let threads: Vec<_> = session
        .threads()
        .map(|(thread, costs)| {
            let models: Vec<_> =
                costs.models().map(|(model, total)| Row { name: model.as_str(), total: total_json(total) }).collect();
            json!({
                "role": thread.role(), "thread": thread.name(), "turns": costs.turns, "models": models,
                "total": total_json(&costs.total()),
            })
        })
        .collect();
    context.print(&json!({ "session": name, "total": total_json(&total), "threads": threads }), || {
        outln!("{}", styled(HEADING, &format!("Session {name} — total {}", format_cost(&total))));
        if 0 < total.unpriced_calls {
            let calls = count_noun(total.unpriced_calls, "call");
            outln!("Not included: {calls} of models without a known price (marked +)");
        }
        print_nodes(&nodes(session), "");
    })
}

/// Builds the cost tree of a session: a line for the main conversation, one for all sub-agents, one for all
/// auxiliary calls and one for questions about skills. Sub-agents and auxiliary calls have a line for every thread below.
fn nodes(session: &SessionCosts) -> Vec<Node> {
    let of_role = |role: CallRole| session.threads().filter(move |(thread, _)| thread.role() == role);
    let mut nodes: Vec<_> =
        of_role(CallRole::Planner).map(|(_, costs)| thread_node("main agent", costs, "turn")).collect();
    for (role, label, noun) in [(CallRole::Worker, "workers", "delegation"), (CallRole::Auxiliary, "auxiliary", "kind")]
    {
        let threads: Vec<_> = of_role(role).collect();
        if threads.is_empty() {
            continue;
        }
        let cost = format_cost(&session.role(role));
        let text = format!("{label}: {cost}, {}", count_noun(threads.len() as u64, noun));
        let below = threads.iter().map(|(thread, costs)| thread_node(thread_name(thread), costs, "turn")).collect();
        nodes.push(Node { text, below });
    }
    let questions = session.role(CallRole::SkillRouting);
    if 0 < questions.calls {
        let text = format!("skill routing: {}, {}", format_cost(&questions), count_noun(questions.calls, "question"));
        nodes.push(Node { text, below: Vec::new() });
    }
    nodes
}

/// Returns the name of a thread for the user; `main` for the main conversation.
fn thread_name(thread: &Thread) -> &str {
    thread.name().unwrap_or("main")
}

/// Builds the cost line of a thread. It names the model if the thread used only one; otherwise each model has a line
/// below it. `noun` is the unit in which turns are counted, such as `turn`.
fn thread_node(name: &str, costs: &ThreadCosts, noun: &str) -> Node {
    let turns = count_noun(costs.turns, noun);
    let total = format_cost(&costs.total());
    let models: Vec<_> = costs.models().collect();
    if let [(model, _)] = models.as_slice() {
        return Node { text: format!("{name} ({model}): {total}, {turns}"), below: Vec::new() };
    }
    let of_model = |(model, total): &(&contracts::ModelId, &costs::CostTotal)| Node {
        text: format!("{model}: {}, {}", format_cost(total), count_noun(total.calls, "call")),
        below: Vec::new(),
    };
    Node { text: format!("{name}: {total}, {turns}"), below: models.iter().map(of_model).collect() }
}

/// Prints the lines of a cost tree; `indent` is printed before each of them.
fn print_nodes(nodes: &[Node], indent: &str) {
    for (number, node) in (1..).zip(nodes) {
        let is_last = number == nodes.len();
        outln!("{indent}{} {}", if is_last { "└─" } else { "├─" }, node.text);
        print_nodes(&node.below, &format!("{indent}{}", if is_last { "   " } else { "│  " }));
    }
}
