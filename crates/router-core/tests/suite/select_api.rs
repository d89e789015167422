//! The API in which a request is sent to a model, and the failures that prevent it.

use std::collections::BTreeSet;

use contracts::{
    ClientRequest, Failure, ModelSpec,
    Requirement::{
        self, EarlierThinking, Effort, FiveStopSequences, HighTemperature, JsonObject, MaxEffort, NoThinking,
        RunningThinking, Sampling, SixStopSequences, StopSequences, ThinkingBudget, ThinkingControl,
    },
    Tier, Tokenizer,
    WireApi::{self, AnthropicMessages, Gemini, OpenAiChat, OpenAiResponses},
};
use router_core::select_api;

use crate::support::model;

fn request(api: WireApi, requires: &[Requirement], signed_by: &[&ModelSpec]) -> ClientRequest {
    ClientRequest {
        api,
        client: None,
        model: "auto".to_owned(),
        named: None,
        auxiliary: None,
        subagent: false,
        requires: requires.iter().copied().collect(),
        signed_by: signed_by.iter().map(|model| model.id.clone()).collect(),
        web_search: false,
        brings_key_of: None,
        imported: false,
    }
}

fn named(id: &str, apis: &[WireApi]) -> ModelSpec {
    ModelSpec { apis: apis.to_vec(), ..model(id, Tier::Deep, &[], Tokenizer::Anthropic) }
}

fn asked(model: &ModelSpec, request: &ClientRequest, may_drop: &[Requirement]) -> Result<WireApi, Failure> {
    select_api(model, request, &may_drop.iter().copied().collect::<BTreeSet<_>>())
}

#[test]
fn a_model_without_effort_is_rejected_unless_effort_may_be_dropped() {
    let mut haiku = named("anthropic:haiku", &[AnthropicMessages]);
    let wish = request(AnthropicMessages, &[Effort], &[]);
    assert_eq!(asked(&haiku, &wish, &[]), Ok(AnthropicMessages));
    haiku.capabilities.effort = false;
    let refused = Failure::UnsupportedFeature { requirement: Effort, api: AnthropicMessages };
    assert_eq!(asked(&haiku, &wish, &[]), Err(refused.clone()));
    assert_eq!(asked(&haiku, &wish, &[ThinkingBudget]), Err(refused));
    assert_eq!(asked(&haiku, &wish, &[Effort]), Ok(AnthropicMessages));
    assert_eq!(asked(&haiku, &request(AnthropicMessages, &[], &[]), &[]), Ok(AnthropicMessages));
    let codex = request(OpenAiResponses, &[Effort], &[]);
    assert_eq!(
        asked(&haiku, &codex, &[]),
        Err(Failure::UnsupportedFeature { requirement: Effort, api: AnthropicMessages }),
        "another API says it too"
    );
}

#[test]
fn a_thinking_budget_is_required_only_in_its_own_api() {
    let mut opus = named("anthropic:opus", &[AnthropicMessages]);
    opus.capabilities.thinking_budget = false;
    let refused = Failure::UnsupportedFeature { requirement: ThinkingBudget, api: AnthropicMessages };
    assert_eq!(asked(&opus, &request(AnthropicMessages, &[ThinkingBudget], &[]), &[]), Err(refused));
    assert_eq!(
        asked(&opus, &request(AnthropicMessages, &[ThinkingBudget], &[]), &[ThinkingBudget]),
        Ok(AnthropicMessages)
    );
    opus.apis = vec![OpenAiChat];
    assert_eq!(asked(&opus, &request(AnthropicMessages, &[ThinkingBudget], &[]), &[]), Ok(OpenAiChat));
}

#[test]
fn thinking_of_the_running_turn_is_sent_to_its_own_model_only() {
    let opus = named("anthropic:opus", &[AnthropicMessages]);
    let sonnet = named("anthropic:sonnet", &[AnthropicMessages]);
    let gpt = named("openai:gpt", &[OpenAiResponses]);
    let all = Requirement::ADAPTABLE;
    let over = request(AnthropicMessages, &[EarlierThinking], &[&opus]);
    let running = request(AnthropicMessages, &[EarlierThinking, RunningThinking], &[&opus]);
    assert_eq!(asked(&sonnet, &over, &all), Ok(AnthropicMessages));
    assert_eq!(asked(&sonnet, &running, &all), Err(Failure::ThinkingOfAnotherModel));
    assert_eq!(asked(&gpt, &running, &all), Err(Failure::ThinkingOfAnotherModel));
    assert_eq!(asked(&opus, &running, &[]), Ok(AnthropicMessages));
    let unknown = request(AnthropicMessages, &[EarlierThinking, RunningThinking], &[]);
    assert_eq!(asked(&opus, &unknown, &all), Err(Failure::ThinkingOfAnotherModel));
    // Of several signers in a session, the one of the running turn continues if the others' thinking may be dropped.
    let both = request(AnthropicMessages, &[EarlierThinking, RunningThinking], &[&opus, &sonnet]);
    assert_eq!(asked(&sonnet, &both, &all), Ok(AnthropicMessages));
    assert_eq!(asked(&sonnet, &both, &[]), Err(Failure::ThinkingOfAnotherModel));
}

#[test]
fn the_first_api_that_supports_all_requirements_is_selected() {
    let gpt = named("openai:gpt", &[OpenAiResponses, OpenAiChat]);
    assert_eq!(asked(&gpt, &request(AnthropicMessages, &[], &[]), &[]), Ok(OpenAiResponses));
    assert_eq!(asked(&gpt, &request(AnthropicMessages, &[StopSequences], &[]), &[]), Ok(OpenAiChat));
    let claude = named("anthropic:opus", &[AnthropicMessages]);
    assert_eq!(
        asked(&claude, &request(OpenAiChat, &[JsonObject], &[]), &Requirement::ADAPTABLE),
        Err(Failure::UnsupportedFeature { requirement: JsonObject, api: AnthropicMessages })
    );
}

#[test]
fn too_many_stop_sequences_for_an_api_reject_its_models() {
    let chat = named("groq:llama", &[OpenAiChat]);
    let gemini = named("google:gemini", &[Gemini]);
    let refused = |requirement, api| Err(Failure::UnsupportedFeature { requirement, api });
    let five = request(AnthropicMessages, &[StopSequences, FiveStopSequences], &[]);
    assert_eq!(asked(&chat, &five, &Requirement::ADAPTABLE), refused(FiveStopSequences, OpenAiChat));
    assert_eq!(asked(&gemini, &five, &[]), Ok(Gemini));
    let six = request(AnthropicMessages, &[StopSequences, FiveStopSequences, SixStopSequences], &[]);
    assert_eq!(asked(&gemini, &six, &[]), refused(SixStopSequences, Gemini));
    assert_eq!(asked(&chat, &request(OpenAiChat, &[StopSequences, FiveStopSequences], &[]), &[]), Ok(OpenAiChat));
}

#[test]
fn a_temperature_above_anthropics_maximum_is_dropped_if_sampling_may_be_dropped() {
    let claude = named("anthropic:opus", &[AnthropicMessages]);
    let hot = request(OpenAiChat, &[HighTemperature], &[]);
    let refused = Failure::UnsupportedFeature { requirement: HighTemperature, api: AnthropicMessages };
    assert_eq!(asked(&claude, &hot, &[Effort]), Err(refused));
    assert_eq!(asked(&claude, &hot, &[Sampling]), Ok(AnthropicMessages));
    assert_eq!(asked(&named("google:gemini", &[Gemini]), &hot, &[]), Ok(Gemini));
}

#[test]
fn an_effort_is_required_only_of_models_that_accept_it() {
    let mut claude = named("anthropic:haiku", &[AnthropicMessages]);
    let quiet = request(OpenAiChat, &[NoThinking], &[]);
    let refused = |requirement, api| Err(Failure::UnsupportedFeature { requirement, api });
    assert_eq!(asked(&claude, &quiet, &[]), refused(NoThinking, AnthropicMessages));
    assert_eq!(asked(&claude, &quiet, &[ThinkingControl]), Ok(AnthropicMessages));
    claude.capabilities.effort = false;
    assert_eq!(asked(&claude, &quiet, &[]), Ok(AnthropicMessages), "it does not think");
    let mut gemini = named("google:gemini", &[Gemini]);
    gemini.capabilities.effort = false;
    assert_eq!(asked(&gemini, &quiet, &[]), refused(NoThinking, Gemini), "it thinks by itself");
    let hard = request(AnthropicMessages, &[Effort, MaxEffort], &[]);
    let mut gpt = named("openai:gpt", &[OpenAiResponses]);
    assert_eq!(asked(&gpt, &hard, &[Effort]), refused(MaxEffort, OpenAiResponses));
    gpt.capabilities.effort = false;
    assert_eq!(asked(&gpt, &hard, &[]), refused(Effort, OpenAiResponses));
    assert_eq!(asked(&gpt, &hard, &[Effort]), Ok(OpenAiResponses), "all of it is dropped");
}
