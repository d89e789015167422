//! The requirements of a request are complete: if the router's validation accepts it for another API, it is converted,
//! and if the conversion fails, validation has rejected it.

mod anthropic;
mod cases;
mod chat;
mod gemini;
mod making;
mod odd;
mod responses;

use std::collections::BTreeSet;

use contracts::{Capabilities, ClientRequest, Failure, ModelId, ModelSpec, Requirement, Tokenizer, WireApi};
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
use serde_json::Value;
use wire::{ConversionOptions, ConvertError, convert_request, inspect};

/// The conditions under which a model is called, other than the API.
#[derive(Debug, Clone)]
struct Asked {
    /// The features that may be dropped.
    may_drop: BTreeSet<Requirement>,
    /// Whether the model accepts a reasoning effort.
    accepts_effort: bool,
    /// Whether the provider accepts the newer fields of chat completions.
    newer_chat: bool,
}

impl Asked {
    /// Validates a request as the router does before it selects a model that is only available over the API `to`.
    /// Returns the features that it reports as adapted.
    ///
    /// # Errors
    /// [`Failure`] if the request cannot be sent to the model.
    fn validate(
        &self,
        requires: &BTreeSet<Requirement>,
        from: WireApi,
        to: WireApi,
    ) -> Result<BTreeSet<Requirement>, Failure> {
        let id = ModelId::try_from("p:m").unwrap();
        let model = ModelSpec {
            id: id.clone(),
            provider: "p".try_into().unwrap(),
            tier: None,
            aliases: Vec::new(),
            released: None,
            context_window: 1_000_000,
            max_output: 1_000,
            capabilities: Capabilities {
                images: true,
                tools: true,
                system_prompt: true,
                structured_output: true,
                effort: self.accepts_effort,
                thinking_budget: true,
            },
            tokenizer: Tokenizer::Anthropic,
            prices: None,
            can_delegate: false,
            configured: true,
            apis: vec![to],
        };
        let request = ClientRequest {
            api: from,
            client: None,
            model: "m".to_owned(),
            named: None,
            auxiliary: None,
            subagent: false,
            requires: requires.clone(),
            signed_by: BTreeSet::from([id]),
            web_search: false,
            brings_key_of: None,
            imported: false,
        };
        let api = router_core::select_api(&model, &request, &self.may_drop)?;
        Ok(router_core::adapted_features(&model, api, &request, &self.may_drop))
    }

    /// Converts a body, and returns the features that were dropped.
    fn converted(&self, from: WireApi, to: WireApi, body: &str) -> Result<BTreeSet<Requirement>, ConvertError> {
        let conversion = ConversionOptions {
            from,
            to,
            model: "m",
            stream: true,
            accepts_effort: self.accepts_effort,
            newer_chat: self.newer_chat,
            may_drop: &self.may_drop,
            max_output: 1_000,
        };
        convert_request(&conversion, body.as_bytes()).map(|converted| converted.dropped)
    }
}

/// Random conditions, with none, all or some of the adaptable features allowed to be dropped.
fn asked() -> impl Strategy<Value = Asked> {
    let some = prop::sample::subsequence(Requirement::ADAPTABLE.to_vec(), 0..=Requirement::ADAPTABLE.len());
    let may_drop = prop_oneof![
        Just(BTreeSet::new()),
        Just(BTreeSet::from(Requirement::ADAPTABLE)),
        some.prop_map(|some| some.into_iter().collect()),
    ];
    (may_drop, any::<bool>(), any::<bool>()).prop_map(|(may_drop, accepts_effort, newer_chat)| Asked {
        may_drop,
        accepts_effort,
        newer_chat,
    })
}

/// Generates a request of an API, mostly valid.
fn request(api: WireApi) -> BoxedStrategy<Value> {
    match api {
        WireApi::AnthropicMessages => anthropic::request(),
        WireApi::OpenAiChat => chat::request(),
        WireApi::OpenAiResponses => responses::request(),
        WireApi::Gemini => gemini::request(),
    }
}

/// Checks that validation has rejected each request whose conversion fails, and reports all features that it drops.
/// Bodies that cannot be inspected are ignored, since they are rejected before validation.
fn nothing_comes_late(from: WireApi, body: &str, asked: &Asked) -> Result<(), TestCaseError> {
    let Ok(inspected) = inspect(from, body.as_bytes()) else { return Ok(()) };
    for to in WireApi::ALL.into_iter().filter(|to| *to != from) {
        let validated = asked.validate(&inspected.requires, from, to);
        let converted = asked.converted(from, to, body);
        prop_assert!(
            converted.is_ok() || validated.is_err(),
            "{from} to {to} came late: {converted:?}, required {:?}\n{asked:?}\n{body}",
            inspected.requires
        );
        if let (Ok(dropped), Ok(reported)) = (&converted, &validated) {
            prop_assert!(dropped.is_subset(reported), "{from} to {to} drops {dropped:?}, reports {reported:?}\n{body}");
        }
    }
    Ok(())
}

/// Returns for each other API the percentage of random requests that validation accepts.
fn carried(from: WireApi) -> Vec<usize> {
    let mut runner = TestRunner::deterministic();
    let asked = Asked { may_drop: BTreeSet::new(), accepts_effort: true, newer_chat: true };
    let bodies: Vec<_> = (0..300).map(|_| request(from).new_tree(&mut runner).unwrap().current()).collect();
    let others = WireApi::ALL.into_iter().filter(|to| *to != from);
    let is_carried = |body: &&Value, to| {
        let body = body.to_string();
        let inspected = inspect(from, body.as_bytes());
        inspected.is_ok_and(|inspected| asked.validate(&inspected.requires, from, to).is_ok())
    };
    others.map(|to| bodies.iter().filter(|body| is_carried(body, to)).count() / 3).collect()
}

/// The random requests are neither all accepted nor all rejected, so the properties below are not vacuous.
#[test]
fn of_the_requests_made_up_here_many_are_carried_and_many_are_not() {
    for from in WireApi::ALL {
        let carried = carried(from);
        assert!(carried.iter().all(|count| (5..95).contains(count)), "{from}: {carried:?} of a hundred");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_messages_require_is_all_that_keeps_them_from_other_apis(
        body in odd::perhaps(request(WireApi::AnthropicMessages)), asked in asked(),
    ) {
        nothing_comes_late(WireApi::AnthropicMessages, &body.to_string(), &asked)?;
    }

    #[test]
    fn what_chat_completions_require_is_all_that_keeps_them_from_other_apis(
        body in odd::perhaps(request(WireApi::OpenAiChat)), asked in asked(),
    ) {
        nothing_comes_late(WireApi::OpenAiChat, &body.to_string(), &asked)?;
    }

    #[test]
    fn what_responses_require_is_all_that_keeps_them_from_other_apis(
        body in odd::perhaps(request(WireApi::OpenAiResponses)), asked in asked(),
    ) {
        nothing_comes_late(WireApi::OpenAiResponses, &body.to_string(), &asked)?;
    }

    #[test]
    fn what_gemini_s_requests_require_is_all_that_keeps_them_from_other_apis(
        body in odd::perhaps(request(WireApi::Gemini)), asked in asked(),
    ) {
        nothing_comes_late(WireApi::Gemini, &body.to_string(), &asked)?;
    }
}
