//! `why`: the decision of a turn and the whole chain of reasons.

use engine::{decision_of, last_decision};

use super::decision_view::DecisionView;
use crate::{context::Context, failure::Failure};

pub(super) fn run(context: &Context, turn: &str) -> Result<(), Failure> {
    let log = context.read_only()?;
    let insight = match turn {
        "last" => last_decision(log.as_ref())?,
        turn => decision_of(log.as_ref(), turn)?,
    };
    let view = DecisionView::new(insight.decided.turn, &insight.decided.session, &insight.decided.decision, &[]);
    context.print(&view, || anstream::print!("{}", insight.text()))
}
