//! Decides a turn without recording it, in the present situation or under assumptions.

use contracts::{
    MessageText, ModelId, Requirement, Thread, Turn, TurnId,
    events::{DecisionMode, SkillRouted, SkillRoutingMode, TurnStarted},
    views::Outages,
};
use event_core::Timestamp;
use router_core::{StatedSpending, TurnStage};

use crate::{
    engine::Engine, error::EngineError, skill_routing::RoutedMessage, turn_input::TurnInput, turn_outcome::TurnOutcome,
};

/// Values that replace the present ones in a preview of a decision. The default replaces none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assumptions {
    /// Time of the turn.
    pub at: Option<Timestamp>,
    /// Amounts spent before the turn, by scope and period.
    pub spending: StatedSpending,
    /// Model of the session, as `turnwise model` sets it.
    pub session_model: Option<ModelId>,
    /// Model that signed thinking of earlier turns of a client's request.
    pub thinking_of: Option<ModelId>,
    /// Outages in addition to the present ones.
    pub outages: Outages,
}

impl Engine {
    /// Decides a turn as it would be decided now, and records nothing.
    ///
    /// # Errors
    /// [`EngineError::Override`] if the `@` mention names no model.
    pub fn preview(&self, input: TurnInput) -> Result<TurnOutcome, EngineError> {
        self.preview_assuming(input, &Assumptions::default())
    }

    /// Returns the skill decision about the message of a turn, as it would be decided now with the prepared skills of `input`.
    /// Records nothing. `None` if no skill is known, and for an auxiliary call.
    ///
    /// # Errors
    /// [`EngineError::Override`] if the `@` mention names no model.
    pub fn preview_skill_decision(&self, input: &TurnInput) -> Result<Option<SkillRouted>, EngineError> {
        let mention = self.mention(input)?;
        let prepared = self.current_skills(input.prepared_skills.as_ref());
        let has_decision = prepared.is_some() && !matches!(input.thread, Thread::Auxiliary(_));
        let message = RoutedMessage {
            turn: None,
            session: &input.session,
            thread: &input.thread,
            workspace: input.workspace.as_deref(),
            text: mention.strip_from(&input.message),
            mode: SkillRoutingMode::Observed,
            interactive: input.is_of_conversation(),
        };
        Ok(has_decision.then(|| self.decide_skills(&message, prepared.as_deref(), None)))
    }

    /// Decides a turn as [`Engine::preview`] does, under assumptions that replace the present state.
    ///
    /// # Errors
    /// [`EngineError::Override`] if the `@` mention names no model.
    pub fn preview_assuming(&self, mut input: TurnInput, assumed: &Assumptions) -> Result<TurnOutcome, EngineError> {
        self.resolve(&mut input);
        if let (Some(model), Some(request)) = (&assumed.thinking_of, &mut input.request) {
            request.requires.insert(Requirement::EarlierThinking);
            request.signed_by = [model.clone()].into();
        }
        let mention = self.mention(&input)?;
        let turn = TurnId::derive(&input.session, &input.name);
        let at = assumed.at.unwrap_or_else(|| self.now());
        let (mut spent_today, mut spending) = self.spent_now(&input, at);
        assumed.spending.apply_to(&mut spent_today, &mut spending);
        let captured = self.capture(turn, &input, &mention, at, DecisionMode::Live, (spent_today, spending));
        let started = TurnStarted {
            // A session model applies to the main conversation alone (decision D45).
            sticky: assumed.session_model.clone().filter(|_| input.is_of_conversation()).or(captured.sticky),
            ..captured
        };
        let message = mention.strip_from(&input.message);
        let (skills, wish) = self.preview_skills(&started, message, input.prepared_skills.as_ref());
        let turn =
            Turn { skills: &skills, wish: wish.as_ref(), ..Turn::new(&started, at, MessageText::Present(message)) };
        let decided = self.decide(&turn, DecisionMode::Live, &assumed.outages);
        let banners = self.banners(&turn, &decided.decision, TurnStage::Preview);
        Ok(self.outcome(input, &mention, at, banners, decided))
    }
}
