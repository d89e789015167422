//! `demo`: imports, decides and explains a bundled session in a temporary folder, which remains for further commands.

use std::{fs, sync::Arc};

use contracts::{Decision, Slot};
use engine::{Engine, Home, Models, Stores, find_decision};
use event_bus::{SledLog, SystemClock, TextFiles};
use serde_json::json;
use transcripts::{DEMO_SESSION, claude_code};
use what_if::{Backtest, Baseline, Candidate, Range, Report, backtest, dollars, per_cent};

use super::{
    decision_view::{DecisionView, decided_by},
    init::{FAMILIES, starter_policy},
};
use crate::{
    context::{Context, local_offset},
    failure::Failure,
    screen::{FAINT, HEADING, Table, out, outln, styled, truncate},
};

/// Executes `turnwise demo` in a new temporary home folder, which remains for further commands.
pub(super) fn run(context: &Context) -> Result<(), Failure> {
    let folder = std::env::temp_dir().join(format!("turnwise-demo-{}", std::process::id()));
    // Fails if the folder exists, so that no other user's folder is written to.
    fs::create_dir(&folder).map_err(|error| Failure::file("create", &folder, &error))?;
    run_in(context, &folder)
}

/// Runs a backtest of the active policy on all turns of the log, and returns the report with the estimated costs.
fn try_policy(engine: &Engine) -> Result<Report, Failure> {
    let policy = Arc::clone(&engine.policy().policy);
    let options = Backtest {
        candidates: vec![Candidate { name: "starter policy".to_owned(), policy }],
        against: Baseline::Recorded,
        range: Range::default(),
        models: Arc::clone(&engine.models().registry),
    };
    let (log, texts) = (engine.log().as_ref(), engine.texts().as_ref());
    Ok(backtest(log, texts, &options, &mut |_| {}, &mut |_| true)?)
}

/// Runs the demo with `folder` as a temporary home folder: imports the bundled session, decides its turns, and explains
/// one of them.
fn run_in(context: &Context, folder: &std::path::Path) -> Result<(), Failure> {
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
    let report = try_policy(&engine)?;
    let (before, after) = (report.old.all.nano_usd, report.new.first().map_or(0, |new| new.totals.all.nano_usd));
    let views: Vec<_> = turns
        .iter()
        .map(|(outcome, ran_on, message)| {
            json!({ "message": message, "ran_on": ran_on, "decision": DecisionView::of(outcome) })
        })
        .collect();
    let events = engine.log().head()?;
    let json = json!({
        "turns": views, "events": events, "cost_nano_usd": overall.cost, "calls": overall.calls,
        "policy_nano_usd": after, "saved_nano_usd": before.saturating_sub(after), "home": folder,
    });
    context.print(&json, || {
        outln!("{}", styled(FAINT, "A recorded session of two days, decided turn by turn under the starter policy."));
        outln!();
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
            outln!("\n{}", styled(HEADING, "Why this model?"));
            out!("{}", insight.text(engine.texts().as_ref()));
        }
        outln!("\n{}", styled(HEADING, "What the session cost"));
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
        outln!(
            "\nUnder the starter policy it would have cost {} instead of {} ({}).",
            dollars(after),
            dollars(before),
            per_cent(after.saturating_sub(before), before)
        );
        let home = folder.display();
        outln!("\nIts log of {} events is in {home}. Ask it, and remove it afterwards:", events.0);
        for command in ["why", "cost --by model", "backtest"] {
            outln!("  turnwise --home {home} {command}");
        }
        outln!("  rm -r {home}\nFor your own sessions: turnwise init");
    })?;
    Ok(engine.close()?)
}
