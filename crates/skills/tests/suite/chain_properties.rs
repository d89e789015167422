//! Properties of the skill choice for random requests and tables.

use contracts::{Decision, SkillChoice, SkillReason, SkillSlot};
use proptest::prelude::*;
use skills::{
    LabelledRequest, NegativeKeyword, SkillRequest, SkillRouter, TriggerRow, TriggerTable, decide, preview_keyword,
};

use crate::chain_support::{FIVE_COLUMNS, keywords_only, outcome, route, router_of, seed_router, table};

/// Words that tables and requests are made of. The last ones never occur in a table.
const WORDS: &[&str] = &[
    "research", "design", "risk", "red team", "plan", "and", "then", ",", "not", "use", "skill", "the", "/a", "`", "é",
    "weather", "lunch",
];
/// The number of the first words that a table can have.
const TABLE_WORDS: usize = 5;

/// Returns a strategy of requests: words of the tables, words around them, and arbitrary characters.
fn requests() -> impl Strategy<Value = String> {
    let word = prop_oneof![8 => (0..WORDS.len()).prop_map(|index| WORDS[index].to_owned()), 1 => ".{0,8}"];
    prop::collection::vec(word, 0..12).prop_map(|words| words.join(" "))
}

/// Returns a strategy of tables with up to five rows of different skills.
fn tables() -> impl Strategy<Value = TriggerTable> {
    let words = || prop::collection::vec(0..TABLE_WORDS, 0..3);
    let row = (words(), prop::collection::vec((0..TABLE_WORDS, any::<bool>()), 0..3), 1..9_u32);
    prop::collection::vec(row, 0..5).prop_map(|rows| {
        let rows = rows.into_iter().zip('a'..).map(|((keywords, negatives, priority), name)| TriggerRow {
            skill: name.to_string(),
            keywords: keywords.into_iter().map(|index| WORDS[index].to_owned()).collect(),
            negatives: negatives
                .into_iter()
                .map(|(index, standalone)| NegativeKeyword { keyword: WORDS[index].to_owned(), standalone })
                .collect(),
            priority,
            ..TriggerRow::default()
        });
        TriggerTable { path: "t.md".to_owned(), rows: rows.collect() }
    })
}

/// Returns the number of matches that negative keywords suppress.
fn suppressed(decision: &Decision<SkillChoice>) -> Option<usize> {
    match &decision.entry(SkillSlot::Keyword)?.reason {
        SkillReason::Keywords(evidence) => Some(evidence.suppressed.len()),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    /// SK-14: every request has an outcome and a winner.
    #[test]
    fn every_request_has_an_outcome(text in prop_oneof![requests(), any::<String>()], flags in any::<(bool, bool)>()) {
        thread_local!(static ROUTER: SkillRouter = seed_router());
        let request = SkillRequest { text: &text, interactive: flags.0, asked_before: flags.1, ..SkillRequest::default() };
        let decision = ROUTER.with(|router| decide(&request, router));
        prop_assert!(decision.winner().is_some());
        let name = decision.chosen.as_ref().unwrap().name();
        prop_assert!(["routed", "combined", "deferred", "clarification", "no_skill"].contains(&name), "{}", name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// SK-15: the same request is decided equally each time, and with the rows in any order.
    #[test]
    fn the_order_of_rows_does_not_matter((table, shuffled) in tables().prop_flat_map(|table| {
        let rows = Just(table.rows.clone()).prop_shuffle();
        (Just(table), rows)
    }), text in requests()) {
        let bytes = |table: TriggerTable| {
            event_core::encode("decision", &route(&router_of(table, keywords_only()), &text)).unwrap()
        };
        let first = bytes(table.clone());
        prop_assert_eq!(&first, &bytes(table.clone()));
        prop_assert_eq!(first, bytes(TriggerTable { rows: shuffled, ..table }));
    }

    /// SK-94: a row whose words do not occur in the request changes nothing.
    #[test]
    fn a_row_of_other_words_changes_nothing(table in tables(), text in requests(), priority in 1..9_u32) {
        let mut extended = table.clone();
        let negatives = vec![NegativeKeyword { keyword: "absentia".to_owned(), standalone: false }];
        let keywords = vec!["zyzzyva".to_owned(), "qwerty uiop".to_owned()];
        extended.rows.push(TriggerRow { skill: "zz".to_owned(), keywords, negatives, priority, ..TriggerRow::default() });
        let decided = |table| route(&router_of(table, keywords_only()), &text);
        prop_assert_eq!(decided(table), decided(extended));
    }

    /// SK-29: without one of its negative keywords, no more matches are suppressed.
    #[test]
    fn a_removed_negative_keyword_never_suppresses_more(table in tables(), text in requests()) {
        let count = |table: &TriggerTable| suppressed(&route(&router_of(table.clone(), keywords_only()), &text));
        let before = count(&table);
        for (index, row) in table.rows.iter().enumerate() {
            for negative in 0..row.negatives.len() {
                let mut fewer = table.clone();
                fewer.rows[index].negatives.remove(negative);
                prop_assert!(count(&fewer) <= before);
            }
        }
    }
}

/// SK-94: the preview of a keyword lists the requests that it changes, with the labels that it breaks, and its collisions.
#[test]
fn the_preview_of_a_keyword_lists_its_effects() {
    let router = seed_router();
    let request = |text: &str, expected: &str| LabelledRequest {
        text: text.to_owned(),
        expected: Some(vec![format!("/{expected}")]),
    };
    let requests = [
        request("Help me debug why this test is failing", "problem-solving"),
        request("profile the slow endpoint", "problem-solving"),
        request("Write a requirements specification for the new module", "nasa-se"),
    ];
    let additive = preview_keyword(&router, "problem-solving", "profile", &requests).unwrap();
    assert_eq!(additive.changed.len(), 1);
    assert_eq!((additive.changed[0].request, additive.changed[0].improves), (1, Some(true)));
    assert_eq!(
        (additive.changed[0].before.as_str(), additive.changed[0].after.as_str()),
        ("no skill", "problem-solving")
    );
    assert_eq!(additive.new_collisions, []);
    let harmful = preview_keyword(&router, "saucer-boy", "debugs", &requests).unwrap();
    assert_eq!((harmful.changed[0].request, harmful.changed[0].improves), (0, Some(false)));
    assert_eq!(harmful.new_collisions[0].other_skill, "saucer-boy");
    assert_eq!(preview_keyword(&router, "new-skill", "unheard", &requests).unwrap().changed, []);
}

/// SK-94: a synonym is added to the table without an effect on the requests that it does not occur in.
#[test]
fn a_synonym_is_additive() {
    let mut extended = table(FIVE_COLUMNS);
    extended.rows[0].keywords.push("look into".to_owned());
    let router = router_of(extended, keywords_only());
    assert_eq!(outcome(&router, "look into the crash"), "problem-solving");
    assert_eq!(outcome(&router, "Plan the workflow for this research project"), "orchestration");
}
