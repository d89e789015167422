//! Fuzz target for the loader of policies.

use std::sync::{Arc, LazyLock};

use contracts::Registry;
use router_core::{Policy, Scenario};

/// The built-in models, against which policies are loaded.
static MODELS: LazyLock<Arc<Registry>> =
    LazyLock::new(|| Arc::new(catalogue::load_registry(None).expect("the built-in models are read")));

/// Loads the input as a policy. Panics if it is rejected without a problem, if a problem has no message or a line
/// outside the text, or if loading a valid policy a second time results in another decision for a sample message.
pub fn check_policy(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Policy::load(text, Arc::clone(&MODELS), Some("/home/dev")) {
        Err(problems) => {
            assert!(!problems.is_empty(), "rejected without a problem");
            // A carriage return is a line break in YAML.
            let lines = text.matches(['\n', '\r']).count() + 1;
            for problem in problems {
                assert!((1..=lines).contains(&problem.line), "line {} of {lines}: {problem}", problem.line);
                assert!(!problem.message.is_empty());
            }
        }
        Ok(policy) => {
            let decide = |policy: &Policy| {
                let scenario = Scenario::message("/commit fix src/main.rs and issue 42").touched(".rs").skill("pdf");
                scenario.try_on(policy).map(|outcome| (outcome.decision, outcome.why))
            };
            let reloaded = Policy::load(text, Arc::clone(&MODELS), Some("/home/dev")).expect("the policy loads twice");
            assert_eq!(decide(&policy), decide(&reloaded));
        }
    }
}
