//! What a request requires is all that can keep it from being said in another API: a request of which an API carries
//! everything is converted, and one whose conversion is refused said so before.

mod anthropic;
mod cases;
mod chat;
mod gemini;
mod making;
mod odd;
mod responses;

use std::collections::BTreeSet;

use contracts::{
    Requirement::{self, Effort},
    WireApi,
};
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
use serde_json::Value;
use wire::{Conversion, ConvertError, convert_request, inspect};

/// How a model is asked, beside in which API.
#[derive(Debug, Clone)]
struct Asked {
    may_drop: BTreeSet<Requirement>,
    takes_effort: bool,
    newer_chat: bool,
}

impl Asked {
    /// What of a request stands in the way of saying it in another API, as far as it is known before choosing.
    fn lost(&self, requires: &BTreeSet<Requirement>, from: WireApi, to: WireApi) -> Vec<Requirement> {
        let can = contracts::Capabilities {
            images: true,
            tools: true,
            system_prompt: true,
            structured_output: true,
            effort: self.takes_effort,
            thinking_budget: true,
        };
        let stands = |requirement: &Requirement| {
            let lost = can.is_told(*requirement, to) && !requirement.carried(from, to);
            (lost || (*requirement == Effort && !can.effort)) && !requirement.is_dropped_by(&self.may_drop)
        };
        requires.iter().copied().filter(stands).collect()
    }

    fn converted(&self, from: WireApi, to: WireApi, body: &str) -> Result<(), ConvertError> {
        let conversion = Conversion {
            from,
            to,
            model: "m",
            stream: true,
            takes_effort: self.takes_effort,
            newer_chat: self.newer_chat,
            may_drop: &self.may_drop,
            max_output: 1_000,
        };
        convert_request(&conversion, body.as_bytes()).map(|_| ())
    }
}

fn asked() -> impl Strategy<Value = Asked> {
    let some = prop::sample::subsequence(Requirement::OPTIONAL.to_vec(), 0..=Requirement::OPTIONAL.len());
    let may_drop = prop_oneof![
        Just(BTreeSet::new()),
        Just(BTreeSet::from(Requirement::OPTIONAL)),
        some.prop_map(|some| some.into_iter().collect()),
    ];
    (may_drop, any::<bool>(), any::<bool>()).prop_map(|(may_drop, takes_effort, newer_chat)| Asked {
        may_drop,
        takes_effort,
        newer_chat,
    })
}

fn request(api: WireApi) -> BoxedStrategy<Value> {
    match api {
        WireApi::AnthropicMessages => anthropic::request(),
        WireApi::OpenAiChat => chat::request(),
        WireApi::OpenAiResponses => responses::request(),
        WireApi::Gemini => gemini::request(),
    }
}

/// Nothing is found out after choosing. What is no request at all is refused before that.
fn nothing_comes_late(from: WireApi, body: &str, asked: &Asked) -> Result<(), TestCaseError> {
    let Ok(inspected) = inspect(from, body.as_bytes()) else { return Ok(()) };
    for to in WireApi::ALL.into_iter().filter(|to| *to != from) {
        let lost = asked.lost(&inspected.requires, from, to);
        let converted = asked.converted(from, to, body);
        prop_assert!(
            converted.is_ok() || !lost.is_empty(),
            "{from} to {to} came late: {converted:?}, required {:?}\n{asked:?}\n{body}",
            inspected.requires
        );
    }
    Ok(())
}

/// How many of a hundred requests each of the other APIs carries.
fn carried(from: WireApi) -> Vec<usize> {
    let mut runner = TestRunner::deterministic();
    let asked = Asked { may_drop: BTreeSet::new(), takes_effort: true, newer_chat: true };
    let bodies: Vec<_> = (0..300).map(|_| request(from).new_tree(&mut runner).unwrap().current()).collect();
    let others = WireApi::ALL.into_iter().filter(|to| *to != from);
    let is_carried = |body: &&Value, to| {
        let body = body.to_string();
        let inspected = inspect(from, body.as_bytes());
        inspected.is_ok_and(|inspected| asked.lost(&inspected.requires, from, to).is_empty())
    };
    others.map(|to| bodies.iter().filter(|body| is_carried(body, to)).count() / 3).collect()
}

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
