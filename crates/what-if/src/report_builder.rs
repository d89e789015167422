//! Sums up compared turns and builds the report.

use std::collections::BTreeMap;

use contracts::Slot;
use router_core::{WhyHeader, reason_text, why};

use crate::{
    accuracy::AccuracyReport,
    backtest::{Backtest, Baseline, TurnComparison},
    choice::deciding_rule,
    day,
    report::{ASSUMPTIONS, Choice, ExcludedTurn, MAX_LARGEST_CHANGES, PolicyResult, Report, TurnRow},
    totals::{GroupKeys, GroupTotal, Totals},
};

/// Maximum number of excluded turns that the report lists one by one.
const MAX_LISTED_TURNS: usize = 1_000;

/// The totals of a running backtest.
pub(crate) struct ReportBuilder {
    against: String,
    /// Whether the baseline is the recorded run.
    recorded: bool,
    turns: u64,
    recorded_nano_usd: i64,
    old: Totals,
    new: Vec<PolicyResult>,
    unjudged: BTreeMap<String, u64>,
    unjudged_nano_usd: i64,
    unjudged_turns: Vec<ExcludedTurn>,
    /// For each policy, the turns whose cost changes most.
    most: Vec<Vec<TurnRow>>,
}

impl ReportBuilder {
    /// Creates a builder without turns for the policies of `parameters`.
    pub(crate) fn new(parameters: &Backtest) -> Self {
        let (against, recorded) = match &parameters.against {
            Baseline::Recorded => ("recorded".to_owned(), true),
            Baseline::Policy(candidate) => (candidate.name.clone(), false),
        };
        let compared = |name: &String| PolicyResult {
            name: name.clone(),
            totals: Totals::default(),
            changed: 0,
            switches: BTreeMap::new(),
        };
        Self {
            against,
            recorded,
            turns: 0,
            recorded_nano_usd: 0,
            old: Totals::default(),
            new: parameters.candidates.iter().map(|candidate| compared(&candidate.name)).collect(),
            unjudged: BTreeMap::new(),
            unjudged_nano_usd: 0,
            unjudged_turns: Vec::new(),
            most: vec![Vec::new(); parameters.candidates.len()],
        }
    }

    /// Counts an ended turn and returns its row; `None` if it could not be compared.
    pub(crate) fn add(&mut self, turn: &TurnComparison) -> Option<TurnRow> {
        let exclusion =
            turn.exclusion.clone().or_else(|| turn.model.is_none().then(|| "no call was answered".to_owned()));
        if let Some(reason) = exclusion {
            let (id, session, at) = (turn.started.turn, turn.started.session.clone(), turn.at);
            self.exclude(ExcludedTurn { turn: id, session, at, reason }, turn.recorded);
            return None;
        }
        let row = self.build_row(turn)?;
        self.turns += 1;
        self.recorded_nano_usd = self.recorded_nano_usd.saturating_add(row.recorded_nano_usd);
        let (day, workspace) = (day::format_day(row.at), row.workspace.as_deref().unwrap_or("(none)"));
        let group_total = |choice: &Choice| {
            let (model, rule) = (choice.model.clone(), choice.rule.clone());
            (model, rule, GroupTotal { turns: 1, calls: row.calls, nano_usd: choice.nano_usd })
        };
        let (model, rule, share) = group_total(&row.old);
        self.old.add(&GroupKeys { model: &model, rule: &rule, workspace, day: &day }, share);
        for (index, (compared, new)) in self.new.iter_mut().zip(&row.new).enumerate() {
            let (model, rule, share) = group_total(new);
            compared.totals.add(&GroupKeys { model: &model, rule: &rule, workspace, day: &day }, share);
            if new.model != row.old.model {
                compared.changed += 1;
                let to = compared.switches.entry(row.old.model.clone()).or_default().entry(model).or_default();
                *to = (to.0 + 1, to.1.saturating_add(row.difference(index)));
            }
            insert_if_among_largest(&mut self.most[index], &row, index, turn);
        }
        Some(row)
    }

    /// Counts a turn that cannot be compared; `recorded` is its recorded cost in nano-dollars.
    pub(crate) fn exclude(&mut self, turn: ExcludedTurn, recorded: i64) {
        *self.unjudged.entry(turn.reason.clone()).or_default() += 1;
        self.unjudged_nano_usd = self.unjudged_nano_usd.saturating_add(recorded);
        if self.unjudged_turns.len() < MAX_LISTED_TURNS {
            self.unjudged_turns.push(turn);
        }
    }

    /// Builds the row of a turn; `None` if a policy chose no model or no call was answered.
    fn build_row(&self, turn: &TurnComparison) -> Option<TurnRow> {
        // The recorded cost plus the simulated change: errors common to both simulations cancel.
        let estimate = |policy: usize| {
            Some(turn.recorded.saturating_add(turn.simulated_by_policy.get(policy)?.saturating_sub(turn.simulated)))
        };
        let choice = |policy: usize| -> Option<Choice> {
            let decision = turn.chosen.get(policy)?.decision()?;
            let winner = decision.winner()?;
            Some(Choice {
                model: decision.chosen.as_ref()?.to_string(),
                rule: deciding_rule(decision),
                why: reason_text(winner).lines().next().unwrap_or_default().to_owned(),
                nano_usd: estimate(policy)?,
                chain: None,
            })
        };
        let recorded_model = turn.model.as_ref()?.to_string();
        let new: Option<Vec<_>> = (0..self.new.len()).map(choice).collect();
        let new = new?;
        let old = if self.recorded {
            let (why, rule) = ("what really ran".to_owned(), "recorded".to_owned());
            Choice { model: recorded_model.clone(), rule, why, nano_usd: turn.recorded, chain: None }
        } else {
            choice(self.new.len())?
        };
        let old_decision = if self.recorded { Some(&turn.decided.decision) } else { turn.chosen.last()?.decision() };
        let first_difference = |(index, new): (usize, &Choice)| -> Option<Slot> {
            let decision = turn.chosen.get(index)?.decision()?;
            if new.model == old.model {
                return None;
            }
            old_decision.and_then(|old| decision.first_difference(old)).or_else(|| Some(decision.winner()?.slot))
        };
        Some(TurnRow {
            turn: turn.started.turn,
            session: turn.started.session.clone(),
            at: turn.at,
            workspace: turn.started.workspace.clone(),
            recorded: recorded_model,
            calls: turn.calls,
            recorded_nano_usd: turn.recorded,
            parted: new.iter().enumerate().map(first_difference).collect(),
            old,
            new,
        })
    }

    /// Builds the report, with the policies ranked by cost, cheapest first.
    pub(crate) fn build(self, identity: AccuracyReport) -> Report {
        let mut ranked: Vec<_> = self.new.into_iter().zip(self.most).enumerate().collect();
        ranked.sort_by_key(|(index, (compared, _))| (compared.totals.all.nano_usd, *index));
        let most_of = ranked.first().map_or(0, |(index, _)| *index);
        let (new, mut most): (Vec<_>, Vec<_>) = ranked.into_iter().map(|(_, ranked)| ranked).unzip();
        Report {
            against: self.against,
            turns: self.turns,
            recorded_nano_usd: self.recorded_nano_usd,
            identity,
            old: self.old,
            new,
            unjudged: self.unjudged,
            unjudged_nano_usd: self.unjudged_nano_usd,
            unjudged_turns: self.unjudged_turns,
            most: if most.is_empty() { Vec::new() } else { most.swap_remove(0) },
            most_of,
            assumptions: ASSUMPTIONS.to_vec(),
        }
    }
}

/// Inserts a row with its chains if it is among the [`MAX_LARGEST_CHANGES`] whose cost changes most under `policy`; a
/// row without a change is skipped.
fn insert_if_among_largest(most: &mut Vec<TurnRow>, row: &TurnRow, policy: usize, turn: &TurnComparison) {
    let weight = |row: &TurnRow| row.difference(policy).unsigned_abs();
    let least = most.last().map_or(0, weight);
    if weight(row) == 0 || (MAX_LARGEST_CHANGES <= most.len() && weight(row) <= least) {
        return;
    }
    let mut row = row.clone();
    let header = WhyHeader { turn: row.turn, session: row.session.clone(), at: row.at };
    for (choice, chosen) in row.new.iter_mut().zip(&turn.chosen) {
        choice.chain = chosen.decision().map(|decision| why(Some(&header), decision));
    }
    let old = if turn.chosen.len() == row.new.len() {
        Some(&turn.decided.decision)
    } else {
        turn.chosen.last().and_then(|chosen| chosen.decision())
    };
    row.old.chain = old.map(|decision| why(Some(&header), decision));
    let place = most.partition_point(|other| weight(&row) <= weight(other));
    most.insert(place, row);
    most.truncate(MAX_LARGEST_CHANGES);
}
