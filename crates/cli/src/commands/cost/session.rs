//! The costs of one session by thread and model, in the layout of 004 §6.7.

use contracts::{CallRole, SessionId, Thread};
use costs::{SessionCosts, ThreadCosts};
use serde_json::json;

use super::{Row, format_cost, total_json};
use crate::{
    context::Context,
    failure::Failure,
    screen::{HEADING, count_noun, styled},
};

/// A line of the tree: its text and the lines below it.
struct Node {
    text: String,
    below: Vec<Node>,
}

pub(super) fn show(context: &Context, name: &SessionId, session: &SessionCosts) -> Result<(), Failure> {
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
        anstream::println!("{}", styled(HEADING, &format!("Session {name} — total {}", format_cost(&total))));
        if 0 < total.unpriced_calls {
            let calls = count_noun(total.unpriced_calls, "call");
            anstream::println!("Not included: {calls} of models without a known price (marked +)");
        }
        print_nodes(&nodes(session), "");
    })
}

/// Builds the tree: the planner, the workers together, the auxiliary calls together.
fn nodes(session: &SessionCosts) -> Vec<Node> {
    let of_role = |role: CallRole| session.threads().filter(move |(thread, _)| thread.role() == role);
    let mut nodes: Vec<_> =
        of_role(CallRole::Planner).map(|(_, costs)| thread_node("planner", costs, "turn")).collect();
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
    nodes
}

fn thread_name(thread: &Thread) -> &str {
    thread.name().unwrap_or("main")
}

/// Builds the line of a thread: with its model if it has one, otherwise with a line for each model below it.
fn thread_node(name: &str, costs: &ThreadCosts, noun: &str) -> Node {
    let turns = count_noun(costs.turns, noun);
    let total = format_cost(&costs.total());
    let models: Vec<_> = costs.models().collect();
    if let [(model, _)] = models.as_slice() {
        return Node { text: format!("{name} ({model}): {total}, {turns}"), below: Vec::new() };
    }
    let of_model = |(model, total): &(&contracts::ModelId, &costs::Total)| Node {
        text: format!("{model}: {}, {}", format_cost(total), count_noun(total.calls, "call")),
        below: Vec::new(),
    };
    Node { text: format!("{name}: {total}, {turns}"), below: models.iter().map(of_model).collect() }
}

/// Prints the lines of a tree below `indent`.
fn print_nodes(nodes: &[Node], indent: &str) {
    for (number, node) in (1..).zip(nodes) {
        let is_last = number == nodes.len();
        anstream::println!("{indent}{} {}", if is_last { "└─" } else { "├─" }, node.text);
        print_nodes(&node.below, &format!("{indent}{}", if is_last { "   " } else { "│  " }));
    }
}
