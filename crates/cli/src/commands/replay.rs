//! `replay`: repeats every recorded decision from the log and compares the results.

use event_bus::TextFiles;
use unicode_width::UnicodeWidthStr as _;
use what_if::{Divergence, ReplayReport, replay};

use super::range::parse_range;
use crate::{
    arguments::RangeArguments,
    context::Context,
    failure::Failure,
    screen::{BAD, GOOD, count_noun, event_bar, outln, styled, truncate},
};

/// The width of the left chain when two are printed side by side, in terminal columns.
const LEFT_WIDTH: usize = 78;

/// Repeats the recorded decisions of a range of turns from the log, and prints whether the results are the same.
///
/// # Errors
/// [`Failure::Negative`] if a decision differs, after both versions were printed.
pub(super) fn run(context: &Context, arguments: &RangeArguments) -> Result<(), Failure> {
    let range = parse_range(arguments)?;
    let log = context.log_reader()?;
    let bar = event_bar(log.head()?.0, "replaying");
    if context.json {
        bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
    }
    let texts = TextFiles::open(context.home.log());
    let replayed = replay(log.as_ref(), &texts, &range, |position| bar.set_position(position.0))?;
    bar.finish_and_clear();
    context.print(&replayed, || print_report(&replayed))?;
    if replayed.divergence.is_some() { Err(Failure::Negative) } else { Ok(()) }
}

/// Prints the result of a replay: the number of repeated decisions, the decisions that could not be repeated exactly,
/// and the digest.
fn print_report(replayed: &ReplayReport) {
    let mut decisions = count_noun(replayed.decisions, "decision");
    if 0 < replayed.steps {
        decisions = format!("{decisions} and {}", count_noun(replayed.steps, "further step"));
    }
    if let Some(divergence) = &replayed.divergence {
        outln!("{} the last of {decisions} came out differently", styled(BAD, "diverged:"));
        print_side_by_side(divergence);
    } else {
        outln!("{} {decisions} made again from the log, byte for byte", styled(GOOD, "same:"));
    }
    if 0 < replayed.skill_decisions {
        outln!("  and {}", count_noun(replayed.skill_decisions, "skill decision"));
    }
    if 0 < replayed.skills_without_text {
        let decisions = count_noun(replayed.skills_without_text, "skill decision");
        outln!("  {decisions} dropped: the text of the message is gone or was not recorded");
    }
    if 0 < replayed.without_text {
        outln!("  {} of them by what had matched the message: its text is gone", replayed.without_text);
    }
    if 0 < replayed.without_start {
        let decisions = count_noun(replayed.without_start, "decision");
        outln!("  {decisions} dropped: the start of the turn was lost from the log");
    }
    if 0 < replayed.with_recorded_patterns {
        let count = replayed.with_recorded_patterns;
        outln!("  {count} of them with the recommendation they recorded: `events retain` removed other sessions");
    }
    if 0 < replayed.without_outages {
        let decisions = count_noun(replayed.without_outages, "decision");
        outln!("  {decisions} dropped: `events retain` removed calls that the outages they name follow from");
    }
    if 0 < replayed.removed {
        let decisions = count_noun(replayed.removed, "decision");
        outln!("  {decisions} dropped: `events retain` removed them");
    }
    for (version, count) in &replayed.other_deciders {
        let decisions = count_noun(*count, "decision");
        outln!("  {decisions} dropped: version {version} of the decider made them");
    }
    outln!("  digest {}", replayed.digest);
}

/// Prints the recorded and the repeated version of a decision side by side, with a mark on each line that differs.
fn print_side_by_side(divergence: &Divergence) {
    let Divergence { position, step, recorded, again, .. } = divergence;
    let step = if *step == 0 { String::new() } else { format!(", step {step} of the turn") };
    outln!("  position {position}{step}\n");
    outln!("  {:<LEFT_WIDTH$}   MADE AGAIN", "RECORDED");
    let mut right = again.why.lines();
    let mut left = recorded.why.lines();
    loop {
        let (one, other) = (left.next(), right.next());
        if one.is_none() && other.is_none() {
            break;
        }
        let (one, other) = (one.unwrap_or_default(), other.unwrap_or_default());
        let mark = if one == other { ' ' } else { '≠' };
        let shown = truncate(one, LEFT_WIDTH);
        let gap = " ".repeat(LEFT_WIDTH.saturating_sub(shown.width()));
        outln!("{mark} {shown}{gap} │ {other}");
    }
    if recorded.chain == again.chain {
        outln!(
            "  the chains are the same; what matched the message is not: {:?}, {:?}",
            recorded.matched,
            again.matched
        );
    }
}
