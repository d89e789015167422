//! The loader returns for any file, and the position of every problem is within the file.

use proptest::{collection::vec, prelude::*, sample::select, test_runner::TestCaseResult};
use router_core::{parse_override, why};

use super::{config, policies::policy, printed::printed, worlds};
use crate::support::{load_over, registry};

/// Parts of policies, and texts that make them invalid.
const PIECES: [&str; 40] = [
    "rules:",
    "- ",
    "when:",
    " ",
    "  ",
    "\n",
    "\n  ",
    "\n    ",
    "use: opus",
    "name: x",
    "{",
    "}",
    "[",
    "]",
    ",",
    ": ",
    "\"",
    "'",
    "#",
    "&a ",
    "*a",
    "!t ",
    "---\n",
    "...",
    "? ",
    "|",
    ">",
    "%YAML 1.2\n",
    "\t",
    "\r\n",
    "\u{feff}",
    "\u{0}",
    "é",
    "tiers:",
    "workspaces:",
    "message_matches: ",
    "any_of: ",
    "time_of_day_between: [1:00, 2:00]",
    "-1",
    ".nan",
];

/// Asserts that the loader returns, and that problems are in order and have a message and a position within the file.
fn answers(text: &str) -> TestCaseResult {
    let Err(problems) = load_over(text, registry()) else { return Ok(()) };
    prop_assert!(!problems.is_empty());
    prop_assert!(problems.is_sorted());
    // YAML also breaks lines at a carriage return. After the last line break there is one more, empty line.
    let lines = 1 + text.replace("\r\n", "\n").matches(['\n', '\r']).count();
    for problem in &problems {
        prop_assert!(!problem.message.is_empty());
        prop_assert!(!problem.message.ends_with(": "), "{}", problem);
        prop_assert!((1..=lines).contains(&problem.line), "{} in {:?}", problem, text);
        prop_assert!(1 <= problem.column, "{} in {:?}", problem, text);
    }
    Ok(())
}

/// Changes of a text: position, number of replaced characters, and replacement.
fn changes() -> impl Strategy<Value = Vec<(prop::sample::Index, usize, String)>> {
    let put = prop_oneof![3 => select(&PIECES[..]).prop_map(str::to_owned), 1 => Just(String::new()), 1 => "\\PC{1,3}"];
    vec((any::<prop::sample::Index>(), 0..12_usize, put), 1..6)
}

proptest! {
    #![proptest_config(config(1_000))]

    #[test]
    fn arbitrary_text_is_decided_without_a_panic(text in "(?s).{0,200}") {
        answers(&text)?;
    }

    #[test]
    fn fragments_of_policies_in_any_order_are_parsed_without_a_panic(pieces in vec(select(&PIECES[..]), 0..40)) {
        answers(&pieces.concat())?;
    }

    /// A message is parsed to a text at its end, or to an error that contains `@`.
    #[test]
    fn any_message_is_parsed_as_text_override_or_error(text in "[@\\\\]{0,2}\\PC{0,20}", escaped in any::<bool>()) {
        let text = if escaped { format!("\\@{text}") } else { text };
        match parse_override(&text, &registry()) {
            Ok(parsed) => prop_assert!(text.ends_with(parsed.text)),
            Err(error) => prop_assert!(error.to_string().contains('@')),
        }
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn mutated_policies_are_parsed_without_a_panic(policy in policy(), changes in changes()) {
        let mut letters: Vec<char> = printed(&policy).chars().collect();
        for (place, removed, put) in changes {
            let start = place.index(letters.len() + 1);
            let end = (start + removed).min(letters.len());
            letters.splice(start..end, put.chars());
        }
        answers(&letters.into_iter().collect::<String>())?;
    }

    #[test]
    fn every_decision_can_be_explained(policy in policy(), world in worlds::world()) {
        let policy = crate::support::policy_over(&printed(&policy), world.registry());
        let stub = worlds::Stub { says: world.recommendation.clone(), ..worlds::Stub::default() };
        let decision = worlds::decide(&world, &policy, &stub).decision;
        let text = why(None, &decision);
        prop_assert!(decision.chosen.iter().all(|model| text.starts_with(&format!("Chose: {model}"))), "{}", text);
        prop_assert!(text.lines().all(|line| line == line.trim_end()), "{}", text);
        let (turn, spent_today) = (world.turn.turn(), world.turn.started.spent_today);
        let context = router_core::NoticeContext { policy: Some(&policy), spent_today, turn: Some(&turn), stage: router_core::TurnStage::Running };
        for banner in router_core::banners(&decision, &context) {
            prop_assert!(!banner.to_string().is_empty());
        }
    }
}
