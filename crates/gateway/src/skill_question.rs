//! Asks a model which skill a message loads, outside of the bus thread and with a time limit.

mod request;

use std::sync::Arc;

use adapters::{Operation, RetryBudget, UpstreamFailure, UpstreamRequest};
use contracts::Usage;
use engine::{Engine, EngineError, SkillAnswer, SkillCallResult, SkillModel, SkillQuestion, TurnInput};
use event_bus::BusError;
use http_body_util::{BodyExt as _, Limited};
use tokio::{
    task::JoinHandle,
    time::{Instant, timeout},
};

use crate::gateway::Gateway;

/// The maximum length of a response, in bytes. A reply has some hundred.
const MAX_RESPONSE_BYTES: usize = 256 * 1024;

/// Asks a model before the turn of a request starts, if the policy reads the skill that its message loads, and waits for the
/// recorded reply.
///
/// # Errors
/// [`BusError`] if the bus refuses requests.
pub(crate) async fn ask_before(gateway: &Arc<Gateway>, input: &TurnInput) -> Result<SkillModel, BusError> {
    let asks = input.prepared_skills.as_ref().is_some_and(|prepared| prepared.router().settings().layers.llm);
    if !asks {
        return Ok(SkillModel::AskLater);
    }
    let message = input.clone();
    let (question, _) =
        gateway.bus().command(move |engine: &mut Engine| engine.skill_question_before(&message)).await?;
    let question = question.unwrap_or_else(|error: EngineError| {
        tracing::error!(%error, "the skills of a message could not be decided");
        None
    });
    let Some(question) = question else { return Ok(SkillModel::AskLater) };
    // The reply is recorded even if the client disconnects.
    let answer = spawn(gateway, question).await.ok().flatten();
    Ok(answer.map_or(SkillModel::AskLater, SkillModel::Answered))
}

/// Sends a question in a task of its own and records the reply. The task returns the reply; `None` if it could not be recorded,
/// which is logged.
pub(crate) fn spawn(gateway: &Arc<Gateway>, question: SkillQuestion) -> JoinHandle<Option<SkillAnswer>> {
    let gateway = Arc::clone(gateway);
    tokio::spawn(async move {
        let result = ask(&gateway, &question).await;
        let command = gateway.bus().command(move |engine| engine.record_skill_reply(question, &result));
        match command.await {
            Ok((Ok(answer), _)) => Some(answer),
            Ok((Err(error), _)) => {
                tracing::error!(%error, "the reply of the model to a question about skills could not be recorded");
                None
            }
            // The gateway is shutting down; the next start records the decision.
            Err(_) => None,
        }
    })
}

/// Records that a question is not sent, for this cause.
pub(crate) fn skip(gateway: &Gateway, question: SkillQuestion, cause: &str) {
    let result = SkillCallResult { text: Err(cause.to_owned()), usage: None, latency_ms: 0 };
    gateway.bus().notify(move |engine| engine.record_skill_reply(question, &result).map(drop));
}

/// Sends a question to its model. Never takes longer than the time limit of the question.
async fn ask(gateway: &Gateway, question: &SkillQuestion) -> SkillCallResult {
    let start = Instant::now();
    let called = timeout(question.timeout, call(gateway, question)).await;
    let limit = || format!("no reply within {} ms", question.timeout.as_millis());
    let (text, usage) = called.unwrap_or_else(|_| (Err(limit()), None));
    let latency_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    SkillCallResult { text, usage, latency_ms }
}

/// Sends a question once. Returns the text of the response, or the cause why there is none, and the reported tokens.
async fn call(gateway: &Gateway, question: &SkillQuestion) -> (Result<String, String>, Option<Usage>) {
    let model = &question.model;
    let providers = gateway.providers();
    let provider =
        providers.get(model.provider.as_str()).filter(|provider| !provider.config().credential.is_clients_own());
    let Some(provider) = provider else {
        let cause = format!("the provider `{}` has no key of turnwise", model.provider.as_str());
        return (Err(cause), None);
    };
    let (api, body) = match request::body(question, provider.config().newer_chat) {
        Ok(request) => request,
        Err(cause) => return (Err(cause), None),
    };
    let sent = UpstreamRequest {
        api,
        operation: Operation::Generate,
        model: model.id.model(),
        stream: false,
        body,
        client: None,
        timeouts: gateway.timeouts().response(),
        retry: RetryBudget::NONE,
        retry_until: None,
    };
    let response = match provider.send(&sent).await {
        Ok(response) => response,
        Err(failure) => return (Err(failure_cause(&failure)), None),
    };
    match Limited::new(response.body, MAX_RESPONSE_BYTES).collect().await {
        Ok(body) => request::read_response(api, &body.to_bytes()),
        Err(error) => (Err(format!("the response is incomplete: {error}")), None),
    }
}

/// Returns the cause of a failed call in a few words, such as `overloaded (status 529)`.
fn failure_cause(failure: &UpstreamFailure) -> String {
    let class = failure.class.name();
    match failure.status {
        Some(status) => format!("{class} (status {})", status.as_u16()),
        None => class.to_owned(),
    }
}
