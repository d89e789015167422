//! Finds conditions of rules that can never hold, in general or for certain clients.

use crate::predicate::Predicate;

/// The clients whose requests have a long prompt before the user's first word: name in policies, name in texts, and the
/// smallest number of tokens in that prompt.
///
/// The numbers are from Claude Code 2.1 in 33 recorded sessions, and from captured requests of Codex 0.169, Gemini CLI
/// 0.61 and opencode 1.18.
const PROMPTS: [(&str, &str, u64); 4] = [
    ("claude-code", "Claude Code", 25_900),
    ("codex", "Codex", 9_600),
    ("gemini-cli", "Gemini CLI", 9_700),
    ("opencode", "opencode", 7_400),
];

/// The names of clients that the gateway recognises.
const CLIENTS: [&str; 7] = ["claude-code", "codex", "opencode", "gemini-cli", "aider", "anthropic-sdk", "openai-sdk"];

/// The reason why a condition can never hold. Displayed as the end of a sentence that starts with the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ImpossibleCondition {
    /// The condition holds for no turn at all.
    Everywhere(String),
    /// The condition holds for no turn of certain clients.
    InClients(String),
}

/// Returns why a condition can never hold; `None` if it may hold. Returns
/// [`ImpossibleCondition::Everywhere`] if both cases apply.
pub(super) fn impossible_condition(when: &Predicate) -> Option<ImpossibleCondition> {
    impossible_for_all_turns(when)
        .map(|cause| ImpossibleCondition::Everywhere(format!("cannot fire: {cause}")))
        .or_else(|| too_few_tokens(when))
}

/// Returns why no turn satisfies a condition; `None` if a turn may satisfy it.
fn impossible_for_all_turns(when: &Predicate) -> Option<String> {
    match when {
        Predicate::TokensBelow(0) => Some("no prompt has fewer than 0 tokens".to_owned()),
        Predicate::TimeOfDay(window) if window.from == window.until => {
            Some(format!("the time window {window} is empty"))
        }
        Predicate::Client(names) if names.iter().all(|name| !CLIENTS.contains(&name.as_str())) => Some(format!(
            "no client is called {}; the names are {}",
            names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or "),
            CLIENTS.join(", ")
        )),
        Predicate::Any(parts) => {
            let causes: Option<Vec<_>> = parts.iter().map(impossible_for_all_turns).collect();
            causes.and_then(|causes| causes.into_iter().next())
        }
        Predicate::All(parts) => parts.iter().find_map(impossible_for_all_turns).or_else(|| contradiction(parts)),
        Predicate::Not(part) if part.always_holds() => Some("`not` excludes every turn".to_owned()),
        _ => None,
    }
}

/// Returns why conditions that must all hold exclude each other; `None` if no two of them are known to.
fn contradiction(parts: &[Predicate]) -> Option<String> {
    let lower_bound = parts
        .iter()
        .filter_map(|part| if let Predicate::TokensAbove(tokens) = part { Some(*tokens) } else { None })
        .max();
    let upper_bound = parts
        .iter()
        .filter_map(|part| if let Predicate::TokensBelow(tokens) = part { Some(*tokens) } else { None })
        .min();
    if let (Some(lower_bound), Some(upper_bound)) = (lower_bound, upper_bound)
        && upper_bound <= lower_bound.saturating_add(1)
    {
        return Some(format!("no prompt has more than {lower_bound} and fewer than {upper_bound} tokens"));
    }
    let excludes = |a: &Predicate, b: &Predicate| match (a, b) {
        (Predicate::Not(a), b) => **a == *b,
        (Predicate::HasImages(a), Predicate::HasImages(b))
        | (Predicate::HasToolCalls(a), Predicate::HasToolCalls(b))
        | (Predicate::Subagent(a), Predicate::Subagent(b)) => a != b,
        _ => false,
    };
    let has_contradiction = parts.iter().any(|a| parts.iter().any(|b| excludes(a, b)));
    has_contradiction.then(|| "two of its conditions exclude each other".to_owned())
}

/// Returns the clients whose prompt alone exceeds the token limit of a condition; `None` if there are none. Conditions
/// about sub-agents and auxiliary calls are not checked, because these have shorter prompts.
fn too_few_tokens(when: &Predicate) -> Option<ImpossibleCondition> {
    let parts = match when {
        Predicate::All(parts) => parts.as_slice(),
        part => std::slice::from_ref(part),
    };
    if parts.iter().any(|part| matches!(part, Predicate::Subagent(true) | Predicate::AuxiliaryCall(_))) {
        return None;
    }
    let limit = parts
        .iter()
        .filter_map(|part| if let Predicate::TokensBelow(tokens) = part { Some(*tokens) } else { None })
        .min()?;
    let stated_clients: Option<&Vec<String>> =
        parts.iter().find_map(|part| if let Predicate::Client(names) = part { Some(names) } else { None });
    let affected_clients: Vec<_> = PROMPTS
        .into_iter()
        .filter(|(name, _, tokens)| {
            limit <= *tokens
                && stated_clients
                    .is_none_or(|stated_clients| stated_clients.iter().any(|stated_client| stated_client == name))
        })
        .collect();
    let (_, _, tokens) = *affected_clients.iter().min_by_key(|(_, _, tokens)| *tokens)?;
    let titles: Vec<_> = affected_clients.iter().map(|(_, title, _)| *title).collect();
    let possessive = if titles.len() == 1 { "whose" } else { "each of whose" };
    Some(ImpossibleCondition::InClients(format!(
        "does not fire in {}, {possessive} requests have at least {tokens} tokens before the first word: the limit is \
         {limit}",
        titles.join(", "),
    )))
}
