//! The skill decisions of the log, as the commands of `skills` read them.

use std::path::Path;

use event_bus::fold;
use skills::{RoutedRequest, SkillHistory, SkillSettings, routing_log::RoutingRecord};

use super::{absolute, settings_of};
use crate::{
    commands::record_before_report,
    context::Context,
    failure::Failure,
    screen::{FAINT, count_noun, outln, styled},
};

/// The recorded skill decisions, and the settings of the active policy.
pub(super) struct RecordedDecisions {
    /// The latest decisions.
    pub(super) history: SkillHistory,
    /// The settings of the active policy.
    pub(super) settings: SkillSettings,
    /// The absolute path of the only workspace whose decisions are included; `None` for all.
    workspace: Option<String>,
}

impl RecordedDecisions {
    /// Reads the decisions of a workspace; `None` for all. Those that hooks kept are recorded before.
    pub(super) fn read(context: &Context, workspace: Option<&Path>) -> Result<Self, Failure> {
        record_before_report(context);
        let history = fold::<SkillHistory>(context.log_reader()?.as_ref())?.state().clone();
        let workspace = workspace.map(absolute).transpose()?.map(|path| path.display().to_string());
        Ok(Self { history, settings: settings_of(context)?, workspace })
    }

    /// Returns whether a decision is of the workspace.
    fn is_of_workspace(&self, request: &RoutedRequest) -> bool {
        self.workspace.is_none() || request.workspace == self.workspace
    }

    /// Returns whether a decision counts in measurements: one of the workspace, made while skills were known.
    pub(super) fn is_measured(&self, request: &RoutedRequest) -> bool {
        request.is_measured() && self.is_of_workspace(request)
    }

    /// Returns the records of all decisions of the workspace, oldest first, with their messages.
    pub(super) fn all_records(&self, context: &Context) -> Result<Vec<RoutingRecord>, Failure> {
        self.records(context, |request| self.is_of_workspace(request))
    }

    /// Returns the records of the measured decisions of the workspace, oldest first, with their messages.
    pub(super) fn measured_records(&self, context: &Context) -> Result<Vec<RoutingRecord>, Failure> {
        self.records(context, |request| self.is_measured(request))
    }

    /// Returns the records of the decisions that `is_included` accepts.
    fn records(
        &self,
        context: &Context,
        is_included: impl Fn(&RoutedRequest) -> bool,
    ) -> Result<Vec<RoutingRecord>, Failure> {
        let texts = context.texts();
        Ok(self.history.records(&self.settings.confidence, is_included, |hash| texts.get(hash.0))?)
    }

    /// Prints why no decision is included, and the next step.
    pub(super) fn print_nothing(&self) {
        let kept = self.history.requests().count() as u64;
        match &self.workspace {
            _ if kept == 0 => {
                outln!("The log has no skill decision.");
                for next in [
                    "They come from `turnwise serve`, `turnwise import` and the hook of Claude Code.",
                    "`turnwise skills explain \"MESSAGE\"` shows which skills a message would load.",
                ] {
                    outln!("{}", styled(FAINT, next));
                }
            }
            Some(workspace) => {
                outln!("None of {} is about skills of `{workspace}`.", count_noun(kept, "recorded decision"));
                outln!(
                    "{}",
                    styled(FAINT, "Name another workspace with --workspace; `turnwise skills log` lists all.")
                );
            }
            None => {
                outln!("In {} no skill was known.", count_noun(kept, "recorded decision"));
                outln!("{}", styled(FAINT, "`turnwise skills list` shows the folders in which skills are looked up."));
            }
        }
    }
}
