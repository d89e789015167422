//! Scenarios: invented turns, described in one line each, to test a policy with. For tests of policy owners and of this
//! project.

mod client;

use std::{collections::BTreeMap, fmt};

use contracts::{
    Alternative, Decision, Delegation, Estimates, Features, MessageText, ModelChoice, ModelId, NanoUsd, Needs,
    Provider, Recommendation, Score, SessionId, Spending, Tier, TokenBucket, Turn, TurnId,
    views::{NoPatterns, Outages, PatternQuery, PatternView, Views},
};
use event_core::{EventId, Timestamp};

pub use client::StatedRequest;

use crate::{
    AuxiliaryCalls, Banner, NoticeContext, Notify, OverrideError, Policy, banners, decide, extension_name,
    parse_override, why,
};

/// An invented turn. Start with [`Scenario::message`], add what matters, and evaluate a policy with
/// [`Scenario::try_on`].
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
    message: String,
    sticky: Option<String>,
    delegation: Option<Tier>,
    workspace: Option<String>,
    needs: Needs,
    images: bool,
    tool_history: bool,
    tokens: u64,
    extensions: Vec<String>,
    skills: Vec<String>,
    spent: Result<NanoUsd, String>,
    spending: Spending,
    minute: Result<u16, String>,
    models_out: Vec<String>,
    providers_out: Vec<String>,
    learned: Option<Learned>,
    request: StatedRequest,
}

#[derive(Debug, Clone)]
struct Learned {
    model: String,
    confidence_percent: u64,
    samples: u64,
}

/// A decision with everything that a user sees of it. Its `Display` output is the why-view followed by the banners, for
/// snapshot tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome<K: Notify = ModelChoice> {
    /// The decision.
    pub decision: Decision<K>,
    /// Text of the why-view.
    pub why: String,
    /// Banners that the user is shown.
    pub banners: Vec<Banner<K>>,
}

impl<K: Notify> Outcome<K> {
    /// Formats a decision's why-view and banners.
    pub fn new(decision: Decision<K>, context: &K::Context<'_>) -> Self {
        let (why, banners) = (why(None, &decision), banners(&decision, context));
        Self { decision, why, banners }
    }
}

impl<K: Notify> fmt::Display for Outcome<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)?;
        self.banners.iter().try_for_each(|banner| write!(f, "\nShown: {banner}\n"))
    }
}

/// Why a scenario cannot be evaluated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioError {
    /// The mention at the start of the message names no known model.
    #[error(transparent)]
    Override(#[from] OverrideError),
    /// The scenario names a model that is not in the policy's registry.
    #[error("the scenario names an unknown model `{0}`")]
    UnknownModel(String),
    /// A value has the wrong format.
    #[error("the scenario's {what} `{text}` cannot be read")]
    Unreadable {
        /// Kind of value, such as `time`.
        what: &'static str,
        /// The value as given.
        text: String,
    },
}

impl Scenario {
    /// Creates a turn of a new session with this message, at noon, with tools and a system prompt, and a prompt of
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
            spent: Ok(NanoUsd::default()),
            spending: Spending::default(),
            minute: Ok(12 * 60),
            models_out: Vec::new(),
            providers_out: Vec::new(),
            learned: None,
            request: StatedRequest::default(),
        }
    }

    /// Sets the session's model, by id or alias. An unknown name is an error of [`Scenario::try_on`].
    #[must_use]
    pub fn sticky(mut self, model: &str) -> Self {
        self.sticky = Some(model.to_owned());
        self
    }

    /// Makes the turn a request of a client of the gateway. A request for which nothing is stated is none.
    #[must_use]
    pub fn request(mut self, request: StatedRequest) -> Self {
        self.request = request;
        self
    }

    /// Makes the turn one of a worker, for which a planner requested this tier.
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

    /// Adds a touched file with this extension, such as `.sql` or `sql`.
    #[must_use]
    pub fn touched(mut self, extension: &str) -> Self {
        self.extensions.push(extension_name(extension));
        self
    }

    /// Adds a skill whose description matches the message.
    #[must_use]
    pub fn skill(mut self, name: &str) -> Self {
        self.skills.push(name.to_owned());
        self
    }

    /// Sets the amount spent since UTC midnight, in dollars, such as `5.42`. A wrong format is an error of
    /// [`Scenario::try_on`].
    #[must_use]
    pub fn spent(mut self, dollars: &str) -> Self {
        self.spent = dollars.parse().map_err(|_| dollars.to_owned());
        self
    }

    /// Sets what was spent beside the amount of the day: in the week, the month, the project, the client and the session,
    /// and by calls in flight.
    #[must_use]
    pub const fn spending(mut self, spending: Spending) -> Self {
        self.spending = spending;
        self
    }

    /// Sets the local time of the turn, such as `23:30`. A wrong format is an error of [`Scenario::try_on`].
    #[must_use]
    pub fn at(mut self, time: &str) -> Self {
        self.minute = crate::time_window::TimeWindow::minute(time).ok_or_else(|| time.to_owned());
        self
    }

    /// Makes a model, by id or alias, unavailable, as after several failed calls.
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

    /// Makes the pattern store recommend a model, with this confidence in percent and number of samples.
    #[must_use]
    pub fn learned(mut self, model: &str, confidence_percent: u64, samples: u64) -> Self {
        self.learned = Some(Learned { model: model.to_owned(), confidence_percent, samples });
        self
    }

    /// Returns the decision of a policy about this turn.
    ///
    /// # Errors
    /// [`ScenarioError`] for a model that is not in the policy's registry, or a value of the wrong format.
    pub fn try_on(&self, policy: &Policy) -> Result<Outcome, ScenarioError> {
        let turn = self.turn(policy)?;
        let outages = self.outages(policy)?;
        let learned = self.learned.as_ref().map(|learned| learned.pattern_view(policy)).transpose()?;
        let patterns: &dyn PatternView = match &learned {
            Some(learned) => learned,
            None => &NoPatterns,
        };
        let decision = decide(&turn, policy, &Views { outages: &outages, patterns }).decision;
        let context = NoticeContext { policy: Some(policy), spent_today: turn.spent_today, turn: Some(&turn) };
        Ok(Outcome::new(decision, &context))
    }

    /// Returns the turn that [`Scenario::try_on`] decides, for use with [`decide`].
    ///
    /// # Errors
    /// As [`Scenario::try_on`].
    pub fn turn(&self, policy: &Policy) -> Result<Turn, ScenarioError> {
        let parsed = parse_override(&self.message, policy.registry())?;
        let unreadable = |what| move |text: String| ScenarioError::Unreadable { what, text };
        let minute = self.minute.clone().map_err(unreadable("time"))?;
        let resolve = |name: &str| policy.registry().named(name).map(|model| model.id.clone());
        let request = (!self.request.is_empty()).then(|| self.request.build(resolve)).transpose();
        let request = request.map_err(unreadable("request"))?;
        // As for a live request: an auxiliary call is a delegation, and a session model is of the main conversation.
        let tier = match policy.gateway().auxiliary_calls {
            AuxiliaryCalls::Tier(tier) if self.request.auxiliary.is_some() => Some(tier),
            _ => None,
        };
        let is_main = self.request.auxiliary.is_none() && !self.request.subagent;
        let sticky = self.sticky.as_deref().filter(|_| is_main);
        Ok(Turn {
            id: TurnId(EventId::derive(&[b"scenario"])),
            session: SessionId::try_from("scenario")
                .map_err(|error| ScenarioError::Unreadable { what: "session", text: error.to_string() })?,
            at: time_at_minute(minute),
            offset_minutes: 0,
            message: MessageText::Present(parsed.text.to_owned()),
            message_bytes: parsed.text.len() as u64,
            override_model: parsed.override_model,
            sticky: sticky.map(|name| resolve_model(policy, name)).transpose()?,
            delegation: self.delegation.or(tier).map(|tier| Delegation { tier }),
            workspace: self.workspace.clone(),
            needs: self.needs,
            message_has_images: self.images,
            tool_calls_in_history: self.tool_history,
            tokens: Estimates::same(self.tokens),
            extensions: self.extensions.iter().cloned().collect(),
            skills: self.skills.iter().cloned().collect(),
            spent_today: self.spent.clone().map_err(unreadable("amount of dollars"))?,
            spending: self.spending,
            features: Features { tokens: TokenBucket::of(self.tokens), ..Features::default() },
            request,
            failed: Vec::new(),
        })
    }

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

/// Resolves a model's id or alias.
///
/// # Errors
/// [`ScenarioError::UnknownModel`] if the policy's registry does not have it.
fn resolve_model(policy: &Policy, name: &str) -> Result<ModelId, ScenarioError> {
    let model = policy.registry().named(name);
    model.map(|model| model.id.clone()).ok_or_else(|| ScenarioError::UnknownModel(name.to_owned()))
}

/// Returns a minute of 2 January 1970. On the first of January, a clock's offset could lead to a time before the epoch.
fn time_at_minute(minute: u16) -> Timestamp {
    Timestamp::from_secs(86_400 + u64::from(minute) * 60)
}

impl Learned {
    fn pattern_view(&self, policy: &Policy) -> Result<FixedRecommendation, ScenarioError> {
        let model = resolve_model(policy, &self.model)?;
        let (confidence, samples) = (Score::ratio(self.confidence_percent, 100), self.samples);
        let alternatives = vec![Alternative { model: model.clone(), score: Some(Score::ONE), samples }];
        Ok(FixedRecommendation(Recommendation { model, confidence, samples, alternatives }))
    }
}

/// A pattern store that recommends one model for every turn.
#[derive(Debug)]
struct FixedRecommendation(Recommendation);

impl PatternView for FixedRecommendation {
    fn recommend(&self, query: &PatternQuery<'_>) -> Option<Recommendation> {
        (query.known)(&self.0.model).then(|| self.0.clone())
    }
}
