//! Scenarios: invented turns with which a policy is tested, described in one line each. Policy owners and the tests of
//! this project use them.

mod client;
mod error;
mod learned;
mod outcome;
mod spending;

use std::collections::BTreeMap;

use contracts::{
    Delegation, Estimates, Features, MessageText, ModelId, NanoUsd, Needs, Provider, SessionId, SkillWish, Spending,
    Thread, Tier, TokenBucket, Tone, Turn, TurnId,
    events::TurnStarted,
    views::{NoPatterns, Outages, PatternView, Views},
};
use event_core::{EventId, Timestamp};

pub use client::StatedRequest;
pub use error::ScenarioError;
pub use outcome::Outcome;
pub use spending::StatedSpending;

use learned::Learned;

use crate::{AuxiliaryCalls, NoticeContext, Policy, TurnStage, decide, extension_name, parse_override};

/// An invented turn to test a policy with. Start with [`Scenario::message`], set what the test needs, and evaluate a
/// policy with [`Scenario::try_on`].
///
/// ```
/// # use std::sync::Arc;
/// # use router_core::{Policy, Scenario};
/// # fn show(policy: &Policy) -> Result<(), router_core::ScenarioError> {
/// let outcome = Scenario::message("walk me through the architecture").spent("5.42").try_on(policy)?;
/// println!("{}", outcome.why);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The text of the message, with its `@` mention if there is one.
    message: String,
    /// The id or alias of the session's model; `None` if none is set.
    sticky: Option<String>,
    /// The tier that a planner requested; `None` if the turn is no delegation.
    delegation: Option<Tier>,
    /// The absolute path of the workspace.
    workspace: Option<String>,
    /// The capabilities that the request requires.
    needs: Needs,
    /// Whether the message has images.
    images: bool,
    /// Whether a tool was called earlier in the session.
    tool_history: bool,
    /// The estimated number of tokens in the prompt.
    tokens: u64,
    /// The extensions of files used in the session.
    extensions: Vec<String>,
    /// The skills that match the message.
    skills: Vec<String>,
    /// The skills that the skill decision about the message loads.
    selected_skills: Vec<String>,
    /// The model or tier that one of them asks for; `None` if none does.
    skill_wish: Option<SkillWish>,
    /// The amount spent since UTC midnight; the text if it cannot be parsed.
    spent: Result<NanoUsd, String>,
    /// The amounts spent in other periods and scopes.
    spending: Spending,
    /// Amounts that replace single amounts of `spent` and `spending`.
    stated_spending: StatedSpending,
    /// The local time in minutes since midnight; the text if it cannot be parsed.
    minute_of_day: Result<u16, String>,
    /// The ids or aliases of unavailable models.
    models_out: Vec<String>,
    /// The names of unavailable providers.
    providers_out: Vec<String>,
    /// The recommendation of the pattern store; `None` if there is none.
    learned: Option<Learned>,
    /// The request of a client of the gateway.
    request: StatedRequest,
}

/// The turn that a [`Scenario`] states: the data that a [`Turn`] borrows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedTurn {
    /// The event that would capture the turn.
    pub started: TurnStarted,
    /// Start of the turn.
    pub at: Timestamp,
    /// The message without the mention.
    pub message: String,
    /// The skills that the skill decision about the message loads.
    pub selected_skills: Vec<String>,
    /// The model or tier that a skill of the message asks for; `None` if none does.
    pub skill_wish: Option<SkillWish>,
}

impl StatedTurn {
    /// Returns the input of the decision.
    pub fn turn(&self) -> Turn<'_> {
        let turn = Turn::new(&self.started, self.at, MessageText::Present(&self.message));
        Turn { skills: &self.selected_skills, wish: self.skill_wish.as_ref(), ..turn }
    }
}

impl Scenario {
    /// Creates the turn of a new session with this message, sent at noon with tools, a system prompt and a prompt of
    /// 2,000 tokens.
    pub fn message(text: impl Into<String>) -> Self {
        Self {
            message: text.into(),
            sticky: None,
            delegation: None,
            workspace: None,
            needs: Needs { images: false, tools: true, system_prompt: true, structured_output: false },
            images: false,
            tool_history: false,
            tokens: 2_000,
            extensions: Vec::new(),
            skills: Vec::new(),
            selected_skills: Vec::new(),
            skill_wish: None,
            spent: Ok(NanoUsd::default()),
            spending: Spending::default(),
            stated_spending: StatedSpending::default(),
            minute_of_day: Ok(12 * 60),
            models_out: Vec::new(),
            providers_out: Vec::new(),
            learned: None,
            request: StatedRequest::default(),
        }
    }

    /// Sets the model of the session by its id or alias. [`Scenario::try_on`] reports an unknown name.
    #[must_use]
    pub fn sticky(mut self, model: &str) -> Self {
        self.sticky = Some(model.to_owned());
        self
    }

    /// Makes the turn a request of a client of the gateway; an empty request is ignored.
    #[must_use]
    pub fn request(mut self, request: StatedRequest) -> Self {
        self.request = request;
        self
    }

    /// Makes the turn a delegation to a worker, for which a planner requested this tier.
    #[must_use]
    pub const fn delegated(mut self, tier: Tier) -> Self {
        self.delegation = Some(tier);
        self
    }

    /// Sets the absolute path of the session's workspace.
    #[must_use]
    pub fn workspace(mut self, path: &str) -> Self {
        self.workspace = Some(path.to_owned());
        self
    }

    /// Adds images to the message.
    #[must_use]
    pub const fn images(mut self) -> Self {
        self.images = true;
        self
    }

    /// Sets the capabilities that the request requires, in place of tools and a system prompt.
    #[must_use]
    pub const fn needs(mut self, needs: Needs) -> Self {
        self.needs = needs;
        self
    }

    /// Adds an earlier tool call to the session's history.
    #[must_use]
    pub const fn tool_history(mut self) -> Self {
        self.tool_history = true;
        self
    }

    /// Sets the estimated length of the prompt in tokens; the same for every tokenizer.
    #[must_use]
    pub const fn tokens(mut self, tokens: u64) -> Self {
        self.tokens = tokens;
        self
    }

    /// Adds a file with this extension to the files used in the session, such as `.sql` or `sql`.
    #[must_use]
    pub fn touched(mut self, extension: &str) -> Self {
        self.extensions.push(extension_name(extension));
        self
    }

    /// Adds the name of a skill that matches the message.
    #[must_use]
    pub fn skill(mut self, name: &str) -> Self {
        self.skills.push(name.to_owned());
        self
    }

    /// Adds the name of a skill that the skill decision about the message loads.
    #[must_use]
    pub fn selected_skill(mut self, name: &str) -> Self {
        self.selected_skills.push(name.to_owned());
        self
    }

    /// Has the skill decision about the message load a skill that asks for a model or a tier.
    #[must_use]
    pub fn skill_wish(mut self, wish: SkillWish) -> Self {
        self.selected_skills.push(wish.skill.clone());
        self.skill_wish = Some(wish);
        self
    }

    /// Sets the amount spent since UTC midnight in dollars, such as `5.42`. [`Scenario::try_on`] reports an invalid
    /// amount.
    #[must_use]
    pub fn spent(mut self, dollars: &str) -> Self {
        self.spent = dollars.parse().map_err(|_| dollars.to_owned());
        self
    }

    /// Sets the other amounts spent before the turn: in the week, the month, the project, the client and the session,
    /// and by calls in flight.
    #[must_use]
    pub const fn spending(mut self, spending: Spending) -> Self {
        self.spending = spending;
        self
    }

    /// Sets single amounts that were spent. They replace those of [`Scenario::spent`] and [`Scenario::spending`].
    #[must_use]
    pub const fn stated_spending(mut self, spending: StatedSpending) -> Self {
        self.stated_spending = spending;
        self
    }

    /// Sets the local time of the turn, such as `23:30`. [`Scenario::try_on`] reports an invalid time.
    #[must_use]
    pub fn at(mut self, time: &str) -> Self {
        self.minute_of_day = crate::time_window::TimeWindow::parse_minute_of_day(time).ok_or_else(|| time.to_owned());
        self
    }

    /// Makes a model unavailable, as if several calls had failed; `model` is its id or alias.
    #[must_use]
    pub fn model_out(mut self, model: &str) -> Self {
        self.models_out.push(model.to_owned());
        self
    }

    /// Makes all models of a provider unavailable.
    #[must_use]
    pub fn provider_out(mut self, provider: &str) -> Self {
        self.providers_out.push(provider.to_owned());
        self
    }

    /// Makes the pattern store recommend a model, with this confidence in percent and this number of samples.
    #[must_use]
    pub fn learned(mut self, model: &str, confidence_percent: u64, samples: u64) -> Self {
        self.learned = Some(Learned { model: model.to_owned(), confidence_percent, samples });
        self
    }

    /// Decides the turn under a policy.
    ///
    /// # Errors
    /// [`ScenarioError`] if the scenario names a model that is not in the policy's registry, or contains an invalid
    /// value.
    pub fn try_on(&self, policy: &Policy) -> Result<Outcome, ScenarioError> {
        let stated_turn = self.turn(policy)?;
        let turn = stated_turn.turn();
        let outages = self.outages(policy)?;
        let pattern_view = self.learned.as_ref().map(|pattern_view| pattern_view.pattern_view(policy)).transpose()?;
        let patterns: &dyn PatternView = match &pattern_view {
            Some(pattern_view) => pattern_view,
            None => &NoPatterns,
        };
        let decision = decide(&turn, policy, &Views { outages: &outages, patterns }).decision;
        let context = NoticeContext {
            policy: Some(policy),
            spent_today: turn.started.spent_today,
            turn: Some(&turn),
            stage: TurnStage::Decided,
        };
        Ok(Outcome::new(decision, &context))
    }

    /// Creates the turn that [`Scenario::try_on`] decides, for use with [`decide`].
    ///
    /// # Errors
    /// As [`Scenario::try_on`].
    pub fn turn(&self, policy: &Policy) -> Result<StatedTurn, ScenarioError> {
        let parsed_message = parse_override(&self.message, policy.registry())?;
        let value_error = |what| move |text: String| ScenarioError::Unreadable { what, text };
        let mut spent_today = self.spent.clone().map_err(value_error("amount of dollars"))?;
        let mut spending = self.spending;
        self.stated_spending.apply_to(&mut spent_today, &mut spending);
        let minute_of_day = self.minute_of_day.clone().map_err(value_error("time"))?;
        let resolve = |name: &str| policy.registry().named(name).map(|model| model.id.clone());
        let request = (!self.request.is_empty()).then(|| self.request.build(resolve)).transpose();
        let request = request.map_err(value_error("request"))?;
        // As for a live request: an auxiliary call is a delegation, and a session model is of the main conversation.
        let tier = match policy.gateway().auxiliary_calls {
            AuxiliaryCalls::Tier(tier) if self.request.auxiliary.is_some() => Some(tier),
            _ => None,
        };
        let is_main = self.request.auxiliary.is_none() && !self.request.subagent;
        let sticky = self.sticky.as_deref().filter(|_| is_main);
        let started = TurnStarted {
            turn: TurnId(EventId::derive(&[b"scenario"])),
            session: SessionId::try_from("scenario")
                .map_err(|error| ScenarioError::Unreadable { what: "session", text: error.to_string() })?,
            thread: Thread::Main,
            offset_minutes: 0,
            message_bytes: parsed_message.text.len() as u64,
            override_model: parsed_message.override_model,
            sticky: sticky.map(|name| resolve_model(policy, name)).transpose()?,
            delegation: self.delegation.or(tier).map(|tier| Delegation { tier }),
            workspace: self.workspace.clone(),
            needs: self.needs,
            message_has_images: self.images,
            tool_calls_in_history: self.tool_history,
            tokens: Estimates::same(self.tokens),
            extensions: self.extensions.clone(),
            skills: self.skills.clone(),
            spent_today,
            spending,
            features: Features { tokens: TokenBucket::from_tokens(self.tokens), ..Features::default() },
            tone: Tone::Plain,
            request,
        };
        let at = time_at_minute_of_day(minute_of_day);
        let (selected_skills, skill_wish) = (self.selected_skills.clone(), self.skill_wish.clone());
        Ok(StatedTurn { started, at, message: parsed_message.text.to_owned(), selected_skills, skill_wish })
    }

    /// Creates the outages of the scenario, which never end.
    ///
    /// # Errors
    /// [`ScenarioError`] if the name of a model or provider is unknown or invalid.
    fn outages(&self, policy: &Policy) -> Result<Outages, ScenarioError> {
        let forever = Timestamp(u64::MAX);
        let provider = |name: &String| {
            let provider = Provider::try_from(name.as_str());
            provider.map_err(|_| ScenarioError::Unreadable { what: "provider", text: name.clone() })
        };
        Ok(Outages {
            models: self
                .models_out
                .iter()
                .map(|name| Ok((resolve_model(policy, name)?, forever)))
                .collect::<Result<BTreeMap<_, _>, ScenarioError>>()?,
            providers: self
                .providers_out
                .iter()
                .map(|name| Ok((provider(name)?, forever)))
                .collect::<Result<BTreeMap<_, _>, ScenarioError>>()?,
            refused_keys: BTreeMap::new(),
        })
    }
}

/// Returns the id of the model with this id or alias.
///
/// # Errors
/// [`ScenarioError::UnknownModel`] if the policy's registry does not contain it.
fn resolve_model(policy: &Policy, name: &str) -> Result<ModelId, ScenarioError> {
    let model = policy.registry().named(name);
    model.map(|model| model.id.clone()).ok_or_else(|| ScenarioError::UnknownModel(name.to_owned()))
}

/// Returns a time on 2 January 1970, at a minute since midnight. On 1 January, the offset of a clock could lead to a
/// time before the epoch.
fn time_at_minute_of_day(minute_of_day: u16) -> Timestamp {
    Timestamp::from_secs(86_400 + u64::from(minute_of_day) * 60)
}
