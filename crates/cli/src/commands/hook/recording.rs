//! Records the decisions that hooks kept, when a command opens the log for writing or reports on skill decisions.

use control::{ControlError, RecordHookDecisions, RecordedHookDecisions};

use super::spool::Spool;
use crate::{context::Context, failure::Failure, screen::count_noun};

/// Has the decisions that hooks kept in the home folder recorded by `execute`, which returns once they are durable. A failure is
/// printed as a note: the decisions are kept for the next command.
pub(crate) fn record_kept_decisions(
    context: &Context,
    execute: impl FnMut(RecordHookDecisions) -> Result<RecordedHookDecisions, ControlError>,
) {
    match Spool::new(&context.home.dir).record(execute) {
        Ok(Some(RecordedHookDecisions { skipped, .. })) if 0 < skipped => {
            let decisions = count_noun(skipped, "decision");
            context.print_note(&format!("{decisions} of hooks cannot be recorded: damaged, or without the skills"));
        }
        Ok(_) => {}
        Err(cause) => context.print_note(&format!("the decisions of hooks are not recorded yet: {cause}")),
    }
}

/// Records the decisions that hooks kept, through the running gateway or else directly, for a command that reports on the
/// decisions of the log. Does nothing if none are kept. A failure is printed as a note: the report then lacks them.
pub(crate) fn record_before_report(context: &Context) {
    if !Spool::new(&context.home.dir).has_decisions() {
        return;
    }
    let closed = context.writer().and_then(|writer| writer.close().map_err(Failure::from));
    if let Err(Failure::Invalid(cause) | Failure::Failed(cause)) = closed {
        context.print_note(&format!("the decisions of hooks are not recorded yet: {cause}"));
    }
}
