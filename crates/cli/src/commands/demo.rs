//! `demo`: imports, decides and explains a bundled session in a temporary folder, which is removed.

use std::{fs, sync::Arc};

use contracts::{Decision, Slot};
use engine::{Engine, Home, Models, Stores, find_decision};
use event_bus::{SledLog, SystemClock, TextFiles};
use serde_json::json;
use transcripts::{DEMO_SESSION, claude_code};

use super::{
    decision_view::{DecisionView, decided_by},
    init::{FAMILIES, starter_policy},
};
use crate::{
    context::{Context, local_offset},
    failure::Failure,
    screen::{FAINT, HEADING, Table, styled, truncate},
};

pub(super) fn run(context: &Context) -> Result<(), Failure> {
    let folder = std::env::temp_dir().join(format!("turnwise-demo-{}", std::process::id()));
    let done = run_in(context, &folder);
    let removed = fs::remove_dir_all(&folder).map_err(|error| Failure::file("remove", &folder, &error));
    done.and(removed)
}

/// Imports and explains the bundled session with `folder` as the home folder.
fn run_in(context: &Context, folder: &std::path::Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure::file("create", folder, &error))?;
    let home = Home::new(folder, context.home.user.clone());
    fs::write(&home.policy, starter_policy(FAMILIES[0], &[]))
        .map_err(|error| Failure::file("write", &home.policy, &error))?;
    let (log, _) = SledLog::open(home.log())?;
    let stores = Stores {
        log: Arc::new(log),
        texts: Arc::new(TextFiles::open(home.log())),
        clock: Box::new(SystemClock),
        offset: local_offset,
    };
    let mut engine = Engine::with_models(&home, Models::load(&home.models())?, stores)?;
    let mut reader = claude_code::SessionReader::new("demo.jsonl".as_ref(), DEMO_SESSION.as_bytes());
    let mut turns = Vec::new();
    while let Some(turn) = reader.next() {
        let Some(session) = reader.session().cloned() else { continue };
        if turns.is_empty() {
            engine.observe_session(&session)?;
        }
        let ran_on = turn.calls().next().map(|call| call.model.clone());
        if let Some(outcome) = engine.observe_turn(&session, &turn)? {
            turns.push((outcome, ran_on, turn.message));
        }
    }
    engine.commit()?;
    // A decision by a rule has the most instructive chain.
    let is_decided_by_rule = |outcome: &engine::TurnOutcome| {
        outcome.decision().and_then(Decision::winner).is_some_and(|entry| entry.slot == Slot::ConfiguredRules)
    };
    let shown = turns.iter().rev().find(|(outcome, ..)| is_decided_by_rule(outcome)).or(turns.first());
    let insight =
        shown.map(|(outcome, ..)| find_decision(engine.log().as_ref(), &outcome.turn.to_string())).transpose()?;
    let overall = engine.state().costs.overall();
    let views: Vec<_> = turns
        .iter()
        .map(|(outcome, ran_on, message)| {
            json!({ "message": message, "ran_on": ran_on, "decision": DecisionView::of(outcome) })
        })
        .collect();
    let events = engine.log().head()?;
    let json = json!({ "turns": views, "events": events, "cost_nano_usd": overall.cost, "calls": overall.calls });
    context.print(&json, || {
        anstream::println!(
            "{}",
            styled(FAINT, "A recorded session of two days, decided turn by turn under the starter policy.")
        );
        anstream::println!();
        let mut table = Table::new(&[">#", "MESSAGE", "RAN ON", "TURNWISE CHOOSES", "BECAUSE OF"]);
        for (number, (outcome, ran_on, message)) in (1..).zip(&turns) {
            let start = truncate(message.lines().next().unwrap_or_default(), 44).to_owned();
            let chosen = outcome.model().map_or_else(|| "-".to_owned(), ToString::to_string);
            table.add_row([
                number.to_string(),
                start,
                ran_on.clone().unwrap_or_else(|| "-".to_owned()),
                chosen,
                outcome.decision().map(decided_by).unwrap_or_default(),
            ]);
        }
        table.print();
        if let Some(insight) = insight {
            anstream::println!("\n{}", styled(HEADING, "Why this model?"));
            anstream::print!("{}", insight.text());
        }
        anstream::println!("\n{}", styled(HEADING, "What the session cost"));
        let mut table = Table::new(&["MODEL", ">CALLS", ">OUTPUT TOKENS", ">COST"]);
        for (model, total) in engine.state().costs.models() {
            table.add_row([
                model.to_string(),
                total.calls.to_string(),
                total.usage.output.to_string(),
                total.cost.to_string(),
            ]);
        }
        table.add_row([
            "total".to_owned(),
            overall.calls.to_string(),
            overall.usage.output.to_string(),
            overall.cost.to_string(),
        ]);
        table.print();
        anstream::println!("\n{} events in the log. Next: turnwise init", events.0);
    })?;
    Ok(engine.close()?)
}
