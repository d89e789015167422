//! Decides whether a model is asked which skill a message loads, and reserves the cost of the question.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use catalogue::estimate::estimate_text_tokens;
use contracts::{
    CallRole, ContentHash, ModelId, ModelSpec, NanoUsd, Sealed, SessionId, Thread, Usage,
    events::{SkillModelAsked, SkillModelReply, SkillQuestionSent, SkillRouted, SkillRoutingMode},
};
use event_core::{EventId, EventType as _, Timestamp};
use skills::{INSTRUCTIONS, LlmQuestion};

use super::{
    decide::{llm_question, message_hash},
    prepared::PreparedSkills,
    record::RoutedMessage,
};
use crate::{engine::Engine, error::EngineError, turn_input::TurnInput};

/// The maximum number of output tokens of a reply. Some models think before they reply.
pub const MAX_REPLY_TOKENS: u64 = 1_000;
/// The maximum number of questions in flight.
const MAX_IN_FLIGHT: usize = 16;

/// Whether the front end of a turn can ask a model which skill fits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SkillModel {
    /// It cannot.
    #[default]
    NotAvailable,
    /// It asks beside the request; [`Engine::take_skill_questions`] returns the question.
    AskLater,
    /// It has asked, and waited for the reply.
    Answered(SkillAnswer),
}

/// The reply of a model to a question, as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillAnswer {
    /// The hash of the question.
    pub(super) question: ContentHash,
    /// The reply.
    pub(super) reply: SkillModelReply,
}

/// A question to a model which skill fits a message. [`Engine::record_skill_reply`] must follow, which releases its reserved
/// cost.
#[derive(Debug)]
pub struct SkillQuestion {
    /// The model.
    pub model: ModelSpec,
    /// The instructions, for the system prompt.
    pub instructions: &'static str,
    /// The question as JSON, for the user's message.
    pub text: String,
    /// The time limit.
    pub timeout: Duration,
    /// The session of the message.
    pub(super) session: SessionId,
    /// The hash of the message.
    pub(super) message: ContentHash,
    /// The hash of the question.
    pub(super) hash: ContentHash,
    /// The number of the reservation.
    pub(super) number: u64,
    /// The turn whose decision follows with the reply; `None` if the request waits.
    pub(super) pending: Option<PendingDecision>,
}

/// A decision that is made from the reply of a model.
#[derive(Debug)]
pub(super) struct PendingDecision {
    /// The decision without a reply.
    pub(super) unanswered: SkillRouted,
    /// The message.
    pub(super) message: String,
    /// The skills.
    pub(super) prepared: Arc<PreparedSkills>,
}

/// The questions of an engine that are in flight, and those that its front end has not taken.
#[derive(Debug, Default)]
pub(super) struct Questions {
    /// The most that each question in flight may cost.
    in_flight: BTreeMap<u64, NanoUsd>,
    /// The number of questions so far.
    count: u64,
    /// The questions to send.
    waiting: Vec<SkillQuestion>,
}

impl Questions {
    /// Reserves an amount, and returns the number of the reservation.
    fn reserve(&mut self, amount: NanoUsd) -> u64 {
        self.count += 1;
        self.in_flight.insert(self.count, amount);
        self.count
    }

    /// Releases a reservation.
    pub(super) fn release(&mut self, number: u64) {
        self.in_flight.remove(&number);
    }
}

/// What a decision that reaches the layer of the model does.
enum Resolution {
    /// It uses this reply of a model to an equal question.
    Known(ModelId, SkillModelReply),
    /// It asks a model, which costs at most this amount.
    Ask(Box<ModelSpec>, NanoUsd),
    /// It goes on to the next layer, for this cause.
    Skip(String),
}

/// The events of a turn's skill decision, with the decision if it is made now.
pub(super) struct ResolvedDecision {
    /// The decision; `None` if it follows with the reply of a model.
    pub(super) routed: Option<SkillRouted>,
    /// The event of a reply that was known, or of the question that is sent.
    pub(super) event: Option<Sealed>,
}

impl Engine {
    /// Returns the questions of the turns that arrived since the last call, which the front end sends.
    pub fn take_skill_questions(&mut self) -> Vec<SkillQuestion> {
        std::mem::take(&mut self.skill_routing.questions.waiting)
    }

    /// Returns the question that a request waits for, because the policy reads the skill that a message loads; `None` if the
    /// request does not wait.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be read or written.
    pub fn skill_question_before(&mut self, input: &TurnInput) -> Result<Option<SkillQuestion>, EngineError> {
        if !self.policy.active().policy.reads_selected_skills() || matches!(input.thread, Thread::Auxiliary(_)) {
            return Ok(None);
        }
        self.load_session(&input.session)?;
        self.record_configuration()?;
        let Some(prepared) = self.current_skills(input.prepared_skills.as_ref()) else { return Ok(None) };
        let text = self.text_to_match(&input.message).to_owned();
        let session = self.state().sessions.get(&input.session);
        let hooked = session.and_then(|session| session.skills()?.hook_decision(message_hash(&text), self.now()));
        if input.is_of_conversation() && hooked.is_some() {
            return Ok(None);
        }
        let message = RoutedMessage {
            turn: None,
            session: &input.session,
            thread: &input.thread,
            workspace: input.workspace.as_deref(),
            text: &text,
            mode: SkillRoutingMode::Observed,
            interactive: input.is_of_conversation(),
        };
        let routed = self.decide_skills(&message, Some(&prepared), None);
        let Some(question) = llm_question(&prepared.router, &text, &routed) else { return Ok(None) };
        Ok(match self.resolve_question(&question) {
            Resolution::Ask(model, most) => Some(self.question(&routed, &question, *model, most, None)),
            Resolution::Known(..) | Resolution::Skip(_) => None,
        })
    }

    /// Completes the decision `routed` of a turn, which was made without a model: if it reaches the layer of the model, it
    /// is made again with the reply that is known, or with the cause why there is none, or follows with the reply to a question.
    pub(super) fn resolve_skills(
        &mut self,
        message: &RoutedMessage<'_>,
        prepared: Option<&Arc<PreparedSkills>>,
        routed: SkillRouted,
        asking: &SkillModel,
        at: Timestamp,
    ) -> Result<ResolvedDecision, EngineError> {
        let question = prepared.and_then(|prepared| llm_question(&prepared.router, message.text, &routed));
        let (Some(question), Some(prepared)) = (question, prepared) else {
            return Ok(ResolvedDecision { routed: Some(routed), event: None });
        };
        let decide = |engine: &Self, reply| engine.decide_skills(message, Some(prepared), Some(reply));
        let skip = |cause: &str| SkillModelReply::Unavailable { cause: cause.to_owned() };
        let hash = question.context_hash();
        match asking {
            _ if message.mode == SkillRoutingMode::Imported => {
                let routed = decide(self, skip("an import asks no model"));
                return Ok(ResolvedDecision { routed: Some(routed), event: None });
            }
            SkillModel::NotAvailable => {
                let routed = decide(self, skip("no gateway handles the message"));
                return Ok(ResolvedDecision { routed: Some(routed), event: None });
            }
            SkillModel::Answered(answer) if answer.question == hash => {
                let routed = decide(self, answer.reply.clone());
                return Ok(ResolvedDecision { routed: Some(routed), event: None });
            }
            SkillModel::Answered(_) | SkillModel::AskLater => {}
        }
        match self.resolve_question(&question) {
            Resolution::Known(model, reply) => {
                let asked = SkillModelAsked {
                    session: routed.session.clone(),
                    text: routed.text,
                    question: hash,
                    model,
                    reply: reply.clone(),
                    cached: true,
                    usage: None,
                    cost: None,
                    latency_ms: 0,
                };
                let (id, correlation) = place(&routed, SkillModelAsked::KIND);
                let event = Sealed::new(id, at, correlation, Arc::new(asked))?;
                Ok(ResolvedDecision { routed: Some(decide(self, reply)), event: Some(event) })
            }
            Resolution::Skip(cause) => Ok(ResolvedDecision { routed: Some(decide(self, skip(&cause))), event: None }),
            Resolution::Ask(model, most) => {
                let unanswered = decide(self, skip("turnwise ended before the reply"));
                let sent = SkillQuestionSent {
                    question: hash,
                    model: model.id.clone(),
                    unanswered: Box::new(unanswered.clone()),
                };
                let (id, correlation) = place(&routed, SkillQuestionSent::KIND);
                let Ok(event) = Sealed::new(id, at, correlation, Arc::new(sent)) else {
                    let routed = decide(self, skip("the question is too long to record"));
                    return Ok(ResolvedDecision { routed: Some(routed), event: None });
                };
                let (message, prepared) = (message.text.to_owned(), Arc::clone(prepared));
                let pending = PendingDecision { unanswered, message, prepared };
                let question = self.question(&routed, &question, *model, most, Some(pending));
                self.skill_routing.questions.waiting.push(question);
                Ok(ResolvedDecision { routed: None, event: Some(event) })
            }
        }
    }

    /// Returns the model that the policy asks; `None` if there is none.
    fn asked_model(&self) -> Option<&ModelSpec> {
        let policy = &self.policy.active().policy;
        self.skill_routing.settings.llm.model_in(policy)
    }

    /// Decides whether a question is sent: not if an equal one was answered, without a usable model, beyond the amount of the
    /// day, or with too many questions in flight.
    fn resolve_question(&self, question: &LlmQuestion) -> Resolution {
        let settings = &self.skill_routing.settings.llm;
        if let Some(obstacle) = settings.obstacle(&self.policy.active().policy) {
            return Resolution::Skip(obstacle);
        }
        let Some((model, prices)) = self.asked_model().and_then(|model| Some((model, model.prices?))) else {
            return Resolution::Skip("no model".to_owned());
        };
        if let Some(reply) = self.state().skill_questions.reply(question.context_hash(), &model.id) {
            return Resolution::Known(model.id.clone(), reply.clone());
        }
        let tokens = |text: &str| estimate_text_tokens(model.tokenizer, text);
        let input = tokens(INSTRUCTIONS).saturating_add(tokens(&question.to_json())).saturating_mul(5) / 4;
        let most = prices.cost(&Usage { input, output: MAX_REPLY_TOKENS, ..Usage::default() });
        let in_flight = &self.skill_routing.questions.in_flight;
        if MAX_IN_FLIGHT <= in_flight.len() {
            return Resolution::Skip(format!("{MAX_IN_FLIGHT} questions are in flight"));
        }
        let reserved: NanoUsd = in_flight.values().copied().sum();
        let spent = self.skill_routing_spent(self.now());
        if settings.dollars_per_day < spent.plus(reserved).plus(most) {
            return Resolution::Skip(format!("{spent} of {} for today are spent", settings.dollars_per_day));
        }
        Resolution::Ask(Box::new(model.clone()), most)
    }

    /// Returns the cost of the questions of the UTC day of `at`.
    fn skill_routing_spent(&self, at: Timestamp) -> NanoUsd {
        let day = self.state().costs.latest_day().filter(|day| day.day == at.utc_day());
        day.and_then(|day| day.roles.get(&CallRole::SkillRouting)).map(|total| total.cost).unwrap_or_default()
    }

    /// Creates a question and reserves its cost.
    fn question(
        &mut self,
        routed: &SkillRouted,
        question: &LlmQuestion,
        model: ModelSpec,
        most: NanoUsd,
        pending: Option<PendingDecision>,
    ) -> SkillQuestion {
        SkillQuestion {
            model,
            instructions: INSTRUCTIONS,
            text: question.to_json(),
            timeout: Duration::from_millis(u64::from(self.skill_routing.settings.llm.timeout_ms)),
            session: routed.session.clone(),
            message: routed.text,
            hash: question.context_hash(),
            number: self.skill_routing.questions.reserve(most),
            pending,
        }
    }
}

/// Returns the id and the correlation of an event about the decision of a turn.
pub(super) fn place(routed: &SkillRouted, kind: &str) -> (EventId, EventId) {
    if let Some(turn) = routed.turn {
        return (turn.0.then(kind, 0), turn.0);
    }
    let correlation = routed.session.correlation();
    (EventId::derive(&[kind.as_bytes(), &correlation.0, &routed.text.0]), correlation)
}
