//! Sums up compared turns and builds the report.

use std::collections::BTreeMap;

use contracts::{Slot, events::RouteDecided};
use engine::RuleHits;
use event_core::Timestamp;
use patterns::Patterns;
use router_core::{WhyHeader, reason_text, why};

use crate::{
    accuracy::AccuracyReport,
    backtest::{Backtest, Baseline},
    choice::deciding_rule,
    day,
    report::{
        ASSUMPTIONS, Choice, ExcludedTurn, IMPORTED_ASSUMPTION, MAX_LARGEST_CHANGES, ModelChange, OutsideCalls,
        PolicyResult, Report, TurnRow,
    },
    success::{KnownSuccess, project_name},
    totals::{GroupKeys, GroupTotal, Totals},
    turn_comparison::TurnComparison,
};

/// Maximum number of excluded turns that the report lists one by one.
const MAX_LISTED_TURNS: usize = 1_000;

/// Sums up the turns of a running backtest, from which the report is built.
pub(crate) struct ReportBuilder {
    /// The name of the baseline: `recorded`, `requested`, or that of a policy.
    against: String,
    /// Whether the baseline is the recorded run.
    recorded: bool,
    /// Number of compared turns.
    turns: u64,
    /// The recorded cost of the compared turns, in nano-dollars.
    recorded_nano_usd: i64,
    /// The totals of the baseline.
    old: Totals,
    /// The totals of each policy, in the order in which the policies were given.
    new: Vec<PolicyResult>,
    /// Number of compared turns that were imported.
    imported: u64,
    /// The times at which the first and the last of the compared turns started.
    period: Option<(Timestamp, Timestamp)>,
    /// The recorded hits of each rule in the range.
    hits: RuleHits,
    /// The cost of the baseline in nano-dollars if a change of model lost no part of the prompt cache.
    old_same_cache_nano_usd: i64,
    /// The turns that could not be compared, by reason.
    excluded: BTreeMap<String, GroupTotal>,
    /// The first of those turns, at most [`MAX_LISTED_TURNS`].
    excluded_turns: Vec<ExcludedTurn>,
    /// The calls in the range that belong to no turn in it.
    outside: OutsideCalls,
    /// Questions in the range to a model which skill a message loads.
    skill_routing: OutsideCalls,
    /// For each policy, the turns whose cost changes most.
    largest: Vec<Vec<TurnRow>>,
}

impl ReportBuilder {
    /// Creates a builder of a backtest report, without turns, for the policies of `parameters`.
    pub(crate) fn new(parameters: &Backtest) -> Self {
        let (against, recorded) = match &parameters.against {
            Baseline::Recorded => ("recorded".to_owned(), true),
            Baseline::Policy(candidate) => (candidate.name.clone(), false),
            Baseline::Requested => ("requested".to_owned(), false),
        };
        let compared = |name: &String| PolicyResult {
            name: name.clone(),
            totals: Totals::default(),
            changed: 0,
            switches: BTreeMap::new(),
            changes: Vec::new(),
            same_cache_nano_usd: 0,
        };
        Self {
            against,
            recorded,
            turns: 0,
            recorded_nano_usd: 0,
            old: Totals::default(),
            new: parameters.candidates.iter().map(|candidate| compared(&candidate.name)).collect(),
            imported: 0,
            period: None,
            hits: RuleHits::default(),
            old_same_cache_nano_usd: 0,
            excluded: BTreeMap::new(),
            excluded_turns: Vec::new(),
            outside: OutsideCalls::default(),
            skill_routing: OutsideCalls::default(),
            largest: vec![Vec::new(); parameters.candidates.len()],
        }
    }

    /// Counts the recorded decision about a turn that started at `at` as a hit of the rule that decided.
    pub(crate) fn add_decision(&mut self, decided: &RouteDecided, at: Timestamp) {
        self.hits.add(decided, at);
    }

    /// Counts a model call that belongs to no turn in the range, with its cost in nano-dollars (`None` if unknown).
    /// Does nothing unless the call itself is in the range.
    pub(crate) fn add_outside_call(&mut self, cost: Option<i64>, in_range: bool) {
        if in_range {
            self.outside.calls += 1;
            self.outside.nano_usd = self.outside.nano_usd.saturating_add(cost.unwrap_or_default());
        }
    }

    /// Adds a question to a model which skill a message loads. `cost` is in nano-dollars; `None` if it is unknown.
    pub(crate) fn add_skill_question(&mut self, cost: Option<i64>) {
        self.skill_routing.calls += 1;
        self.skill_routing.nano_usd = self.skill_routing.nano_usd.saturating_add(cost.unwrap_or_default());
    }

    /// Counts a turn that ended and returns its row of the report; `None` if the turn could not be compared.
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
        self.imported += u64::from(row.imported);
        let (first, last) = self.period.unwrap_or((row.at, row.at));
        self.period = Some((first.min(row.at), last.max(row.at)));
        self.recorded_nano_usd = self.recorded_nano_usd.saturating_add(row.recorded_nano_usd);
        let (day, week) = (day::format_day(row.at), day::format_week(row.at));
        let project = project_name(row.workspace.as_deref());
        let group_total = |choice: &Choice| {
            let (model, rule) = (choice.model.clone(), choice.rule.clone());
            (model, rule, GroupTotal { turns: 1, calls: row.calls, nano_usd: choice.nano_usd })
        };
        self.old_same_cache_nano_usd = self.old_same_cache_nano_usd.saturating_add(row.old.same_cache_nano_usd);
        let (model, rule, share) = group_total(&row.old);
        self.old.add(&GroupKeys { model: &model, rule: &rule, project, week: &week, day: &day }, share);
        for (index, (compared, new)) in self.new.iter_mut().zip(&row.new).enumerate() {
            let (model, rule, share) = group_total(new);
            compared.totals.add(&GroupKeys { model: &model, rule: &rule, project, week: &week, day: &day }, share);
            compared.same_cache_nano_usd = compared.same_cache_nano_usd.saturating_add(new.same_cache_nano_usd);
            if new.model != row.old.model {
                compared.changed += 1;
                compared.add_change(project, &row.old, new);
                let to = compared.switches.entry(row.old.model.clone()).or_default().entry(model).or_default();
                *to = (to.0 + 1, to.1.saturating_add(row.difference(index)));
            }
            insert_if_among_largest(&mut self.largest[index], &row, index, turn);
        }
        Some(row)
    }

    /// Counts a turn that cannot be compared. `recorded` is its recorded cost in nano-dollars.
    pub(crate) fn exclude(&mut self, turn: ExcludedTurn, recorded: i64) {
        let total = GroupTotal { turns: 1, calls: 0, nano_usd: recorded };
        self.excluded.entry(turn.reason.clone()).or_default().add(total);
        if self.excluded_turns.len() < MAX_LISTED_TURNS {
            self.excluded_turns.push(turn);
        }
    }

    /// Builds the row of a turn in the report; `None` if a policy chose no model or the turn had no response.
    fn build_row(&self, turn: &TurnComparison) -> Option<TurnRow> {
        let choice = |policy: usize| -> Option<Choice> {
            let chosen = turn.chosen.get(policy)?;
            let (nano_usd, same_cache_nano_usd) = turn.estimate(policy)?;
            let (rule, why) = match chosen.decision() {
                Some(decision) => (deciding_rule(decision), reason_text(decision.winner()?)),
                None => ("requested".to_owned(), "the client requested it".to_owned()),
            };
            Some(Choice {
                model: chosen.model()?.to_string(),
                rule,
                why: why.lines().next().unwrap_or_default().to_owned(),
                nano_usd,
                same_cache_nano_usd,
                chain: None,
            })
        };
        let recorded_model = turn.model.as_ref()?.to_string();
        let recorded_rule =
            if turn.started.is_imported() { "what ran".to_owned() } else { deciding_rule(&turn.decided.decision) };
        let new: Option<Vec<_>> = (0..self.new.len()).map(choice).collect();
        let new = new?;
        let old = if self.recorded {
            Choice {
                model: recorded_model.clone(),
                rule: recorded_rule.clone(),
                why: "what ran".to_owned(),
                nano_usd: turn.recorded,
                same_cache_nano_usd: turn.recorded,
                chain: None,
            }
        } else {
            choice(self.new.len())?
        };
        // The decision about an imported turn was not applied, so nothing can differ from it.
        let old_decision = if self.recorded {
            Some(&turn.decided.decision).filter(|_| !turn.started.is_imported())
        } else {
            turn.chosen.last()?.decision()
        };
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
            message: turn.message.clone(),
            imported: turn.started.is_imported(),
            recorded: recorded_model,
            recorded_rule,
            calls: turn.calls,
            recorded_nano_usd: turn.recorded,
            parted: new.iter().enumerate().map(first_difference).collect(),
            old,
            new,
        })
    }

    /// Builds the report of the backtest, with the policies in ascending order of cost.
    pub(crate) fn build(self, calibration: AccuracyReport, patterns: &Patterns) -> Report {
        let mut ranked: Vec<_> = self.new.into_iter().zip(self.largest).enumerate().collect();
        ranked.sort_by_key(|(index, (compared, _))| (compared.totals.all.nano_usd, *index));
        let largest_of = ranked.first().map_or(0, |(index, _)| *index);
        let (new, largest): (Vec<_>, Vec<_>) = ranked.into_iter().map(|(_, ranked)| ranked).unzip();
        let mut assumptions = ASSUMPTIONS.to_vec();
        assumptions.extend((0 < self.imported).then_some(IMPORTED_ASSUMPTION));
        Report {
            against: self.against,
            turns: self.turns,
            imported: self.imported,
            period: self.period,
            recorded_nano_usd: self.recorded_nano_usd,
            calibration,
            old: self.old,
            old_same_cache_nano_usd: self.old_same_cache_nano_usd,
            new,
            hits: self.hits,
            success: KnownSuccess::of(patterns),
            excluded: self.excluded,
            excluded_turns: self.excluded_turns,
            outside: self.outside,
            skill_routing: self.skill_routing,
            largest: largest.into_iter().next().unwrap_or_default(),
            largest_of,
            assumptions,
        }
    }
}

impl PolicyResult {
    /// Counts a turn of `project` that runs on the model of `new` instead of that of `old`.
    fn add_change(&mut self, project: &str, old: &Choice, new: &Choice) {
        let same = |change: &&mut ModelChange| {
            (change.project.as_str(), &change.from, &change.to) == (project, &old.model, &new.model)
        };
        if let Some(change) = self.changes.iter_mut().find(same) {
            change.turns += 1;
            change.old_nano_usd = change.old_nano_usd.saturating_add(old.nano_usd);
            change.new_nano_usd = change.new_nano_usd.saturating_add(new.nano_usd);
            return;
        }
        self.changes.push(ModelChange {
            project: project.to_owned(),
            from: old.model.clone(),
            to: new.model.clone(),
            turns: 1,
            old_nano_usd: old.nano_usd,
            new_nano_usd: new.nano_usd,
        });
    }
}

/// Adds the row of a turn, with its decision chains, to `most` if its cost change under `policy` is among the
/// [`MAX_LARGEST_CHANGES`] largest. A row without a change of cost is skipped.
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
        Some(&turn.decided.decision).filter(|_| !row.imported)
    } else {
        turn.chosen.last().and_then(|chosen| chosen.decision())
    };
    row.old.chain = old.map(|decision| why(Some(&header), decision));
    let place = most.partition_point(|other| weight(&row) <= weight(other));
    most.insert(place, row);
    most.truncate(MAX_LARGEST_CHANGES);
}
