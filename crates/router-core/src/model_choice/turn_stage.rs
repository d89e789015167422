//! [`TurnStage`], the stage of a turn at the time at which its banners are created.

/// The stage of a turn at the time at which the banners about its decision are created. It determines the commands that
/// the banners suggest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnStage {
    /// The decision is only previewed. The policy's list of models states which are configured.
    Preview,
    /// The turn was just decided and recorded. The policy's list of models states which are configured.
    Decided,
    /// The turn was decided earlier and is running. Which models are configured is not known.
    Running,
    /// The turn has ended, so that a recommendation can no longer be accepted. Which models are configured is not
    /// known.
    Ended,
}

impl TurnStage {
    /// Returns whether a recommendation can be accepted: the turn is recorded and has not ended.
    pub(super) const fn accepts_recommendation(self) -> bool {
        matches!(self, Self::Decided | Self::Running)
    }

    /// Returns whether the policy's list of models states which are configured.
    pub(super) const fn knows_configured_models(self) -> bool {
        matches!(self, Self::Preview | Self::Decided)
    }
}
