//! Questions to a model which skill a message loads: beside the request, before it, from known replies, and without a reply.

use contracts::{
    NanoUsd, SkillReason, SkillSlot,
    events::{RouteDecided, SkillModelAsked, SkillModelReply, SkillQuestionSent, SkillRouted},
};
use engine::Engine;
use hyper::Method;
use mock_upstream::{Failure, Fault};
use serde_json::{Value, json};

use crate::support::{SESSION, Wish, World, message};

/// Returns a policy that asks haiku, with these settings of `skills.llm` and these other lines.
fn policy(llm: &str, rest: &str) -> String {
    format!("global_default: sonnet\nskills: {{layers: {{llm: on}}, llm: {{{llm}}}}}\n{rest}")
}

/// The provider's name of the model that is asked.
const HAIKU: &str = "claude-haiku-5-5";
/// A rule that reads the selected skill.
const RULE: &str = "rules: [{name: databases, when: {skill_selected_in: database}, use: opus}]\n";

/// Returns a request of Claude Code that offers two skills.
fn offering(text: &str) -> Value {
    let list = "<system-reminder>\nThe following skills are available for use with the Skill tool:\n\n- database: Use for \
                migrations of schemas\n- review: Use for reviews of changes\n</system-reminder>";
    let mut body = message("claude-sonnet-5", "");
    body["tools"] = json!([{ "name": "Skill", "input_schema": { "type": "object" } }]);
    body["messages"][0]["content"] = json!([{ "type": "text", "text": list }, { "type": "text", "text": text }]);
    body
}

/// Waits until there are `count` skill decisions, and returns them.
fn decisions(world: &World, count: usize) -> Vec<SkillRouted> {
    for _ in 0..500 {
        if count <= world.events::<SkillRouted>().len() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let decisions = world.events::<SkillRouted>();
    assert_eq!(decisions.len(), count);
    decisions
}

/// Returns the skills that a decision loads.
fn loaded(routed: &SkillRouted) -> &[String] {
    routed.decision.chosen.as_ref().unwrap().loaded()
}

/// Returns the cause for which the layer of the model did not decide.
fn cause(routed: &SkillRouted) -> &str {
    let entry = routed.decision.chain.iter().find(|entry| entry.slot == SkillSlot::Llm).unwrap();
    match &entry.reason {
        SkillReason::LlmUnavailable { cause } => cause,
        reason => panic!("{reason:?}"),
    }
}

/// SK-11, SK-17: the model is asked beside the request. Its reply, cost and duration are recorded, the decision follows from
/// it, and an equal question is answered without a call.
#[test]
fn a_model_is_asked_beside_the_request() {
    let world = World::new(&policy("model: haiku", ""));
    let text = "look after the orders ROUTE:database:90";
    assert_eq!(world.post("/v1/messages", &SESSION, &offering(text)).status, 200);
    let routed = decisions(&world, 1).remove(0);
    assert_eq!(loaded(&routed), ["database"]);
    assert_eq!(routed.decision.winner().unwrap().slot, SkillSlot::Llm);
    assert!(matches!(&routed.inputs.model_reply, Some(SkillModelReply::Skill { skill, .. }) if skill == "database"));
    let asked = world.events::<SkillModelAsked>().remove(0);
    assert!(asked.model.as_str().contains("haiku") && !asked.cached && asked.usage.is_some(), "{asked:?}");
    assert!(asked.cost.is_some_and(|cost| NanoUsd(0) < cost), "{asked:?}");
    assert_eq!(world.events::<SkillQuestionSent>().len(), 1);
    world.ended(1);
    assert_eq!(world.mock.requests().len(), 2);
    let model = world.events::<RouteDecided>()[0].decision.chosen.clone();
    assert!(model.is_some_and(|model| model.as_str().contains("sonnet")));

    // The same message in another session is the same question.
    let other = [("x-claude-code-session-id", "1f8fad5b-d9cb-469f-a165-70867728950e"), SESSION[1]];
    world.post("/v1/messages", &other, &offering(text));
    assert_eq!(loaded(&decisions(&world, 2)[1]), ["database"]);
    world.ended(2);
    let asked = world.events::<SkillModelAsked>();
    assert_eq!((asked.len(), asked[1].cached, asked[1].cost), (2, true, None));
    assert_eq!(world.mock.requests().len(), 3);
}

/// SK-11: a request waits for the reply if a rule reads the skill: the rule decides from it.
#[test]
fn a_request_waits_if_a_rule_reads_the_skill() {
    let world = World::new(&policy("model: haiku", RULE));
    world.post("/v1/messages", &SESSION, &offering("look after the orders ROUTE:database:90"));
    assert_eq!(loaded(&decisions(&world, 1)[0]), ["database"]);
    let model = world.events::<RouteDecided>()[0].decision.chosen.clone();
    assert!(model.is_some_and(|model| model.as_str().contains("opus")));
    assert_eq!((world.events::<SkillModelAsked>().len(), world.events::<SkillQuestionSent>().len()), (1, 0));
}

/// SK-11, SK-13, SK-17: low confidence, an invalid reply, an unknown skill, an error and a timeout lead to the next layer, and
/// the chain has the cause.
#[test]
fn a_reply_that_cannot_be_used_leads_to_the_next_layer() {
    let world = World::new(&policy("model: haiku, timeout_ms: 300", RULE));
    let ask = |text: &str, number: usize| {
        world.post("/v1/messages", &SESSION, &offering(text));
        let routed = decisions(&world, number).remove(number - 1);
        assert!(loaded(&routed).is_empty(), "{routed:?}");
        routed
    };
    let low = ask("look after the orders ROUTE:database:60", 1);
    assert!(low.decision.chain.iter().any(|entry| entry.slot == SkillSlot::Llm && entry.failure.is_some()));
    assert!(ask("look after the orders ROUTE:nothing:90", 2).decision.winner().unwrap().slot != SkillSlot::Llm);
    assert_eq!(cause(&ask("look after the orders now", 3)), "the reply is not the requested JSON object");
    world.mock.fail(Failure::once(Failure::status(529)).for_model(HAIKU));
    assert_eq!(cause(&ask("look after the orders later", 4)), "overloaded (status 529)");
    let causes: Vec<_> = world.events::<SkillModelAsked>().into_iter().map(|asked| asked.reply).collect();
    assert!(matches!(&causes[3], SkillModelReply::Unavailable { cause } if cause == "overloaded (status 529)"));
}

/// Without a model, a key or money the model is not asked, and the chain has the cause.
#[test]
fn without_a_model_or_money_nothing_is_asked() {
    for (llm, expected) in [
        ("", "`skills.llm.model` names no model"),
        ("model: haiku, dollars_per_day: 0.0001", "$0.00 of $0.0001 for today are spent"),
    ] {
        let world = World::new(&policy(llm, ""));
        world.post("/v1/messages", &SESSION, &offering("look after the orders ROUTE:database:90"));
        let routed = decisions(&world, 1).remove(0);
        assert_eq!(cause(&routed), expected);
        assert_eq!(world.events::<SkillModelAsked>(), []);
    }
}

/// A turn that is refused costs no question.
#[test]
fn a_refused_turn_asks_nothing() {
    let policy = policy("model: haiku", "gateway: {client_model: auto}\n").replace("global_default: sonnet\n", "");
    let world = World::new(&policy);
    let body = offering("look after the orders ROUTE:database:90");
    let unnamed = json!({ "model": "auto", "max_tokens": 9, "messages": body["messages"], "tools": body["tools"] });
    assert_eq!(world.post("/v1/messages", &SESSION, &unnamed).status, 400);
    assert_eq!(cause(&decisions(&world, 1)[0]), "the turn was refused");
    assert_eq!(world.mock.requests().len(), 0);
}

/// Every API of a provider can be asked.
#[test]
fn a_model_of_every_api_is_asked() {
    for model in ["\"openai:gpt-5-mini\"", "\"google:gemini-2.5-flash\""] {
        let world = World::new(&policy(&format!("model: {model}"), ""));
        world.post("/v1/messages", &SESSION, &offering("look after the orders ROUTE:review:85"));
        let routed = decisions(&world, 1).remove(0);
        assert_eq!(loaded(&routed), ["review"], "{model}: {routed:?}");
        assert!(world.events::<SkillModelAsked>()[0].usage.is_some());
    }
}

/// After a kill the next start records the decision of a message whose question had no reply.
#[test]
fn a_question_without_a_reply_is_decided_at_the_next_start() {
    let mut world = World::new(&policy("model: haiku", ""));
    world.mock.fail(Failure::once(Fault::Never).for_model(HAIKU));
    world.post("/v1/messages", &SESSION, &offering("look after the orders ROUTE:database:90"));
    world.ended(1);
    assert_eq!((world.events::<SkillQuestionSent>().len(), world.events::<SkillRouted>().len()), (1, 0));
    world.shut_down();
    let policy = policy("model: haiku", "");
    let next = World::wished(&Wish { policy: &policy, after: Some(&world), ..Wish::default() });
    assert_eq!(cause(&decisions(&next, 1)[0]), "turnwise ended before the reply");
    let open = next.run(next.gateway.bus().query(|engine: &Engine| engine.state().skill_questions.open().count()));
    assert_eq!(open.unwrap(), 0);
}

/// With `record_text: never` the reasoning of a model, which can repeat the message, is not recorded.
#[test]
fn the_reasoning_is_withheld_where_texts_are() {
    let world = World::new(&policy("model: haiku", "privacy: {record_text: never}\n"));
    world.post("/v1/messages", &SESSION, &offering("look after the orders ROUTE:database:90"));
    assert_eq!(loaded(&decisions(&world, 1)[0]), ["database"]);
    world.ended(1);
    assert!(!world.log_text().contains("The mock was told so"), "{}", world.log_text());
}

/// The page of a turn has the decision with its reply, and the spending of the day has questions as a role of their own.
#[test]
fn the_page_has_the_reply_and_its_cost() {
    let world = World::new(&policy("model: haiku", ""));
    world.post("/v1/messages", &SESSION, &offering("look after the orders ROUTE:database:90"));
    let routed = decisions(&world, 1).remove(0);
    world.ended(1);
    let page = world.send(&Method::GET, &format!("/turns/{}", routed.turn.unwrap()), &[], "").json();
    assert_eq!(page["skills"]["skills"], json!(["database"]), "{page}");
    let spend = world.send(&Method::GET, "/api/spend", &[], "").json();
    let cost = world.events::<SkillModelAsked>()[0].cost.unwrap().0;
    let roles = spend["by_role"].as_array().unwrap();
    let role = roles.iter().find(|role| role["role"] == "skill_routing").unwrap();
    assert_eq!((&role["cost"], &role["calls"]), (&json!(cost), &json!(1)), "{spend}");
    let sum: u64 = roles.iter().map(|role| role["cost"].as_u64().unwrap()).sum();
    assert_eq!(spend["total"], json!(sum));
}
