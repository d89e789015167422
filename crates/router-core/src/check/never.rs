//! Finds conditions that never hold, in general or for certain clients.

use crate::predicate::Predicate;

/// The clients whose requests have a long prompt before the first word, with the fewest tokens of it that were seen:
/// Claude Code 2.1 in 33 recorded sessions; Codex 0.169, Gemini CLI 0.61 and opencode 1.18 in captured requests.
const PROMPTS: [(&str, &str, u64); 4] = [
    ("claude-code", "Claude Code", 25_900),
    ("codex", "Codex", 9_600),
    ("gemini-cli", "Gemini CLI", 9_700),
    ("opencode", "opencode", 7_400),
];

/// The names of clients that the gateway recognises.
const CLIENTS: [&str; 7] = ["claude-code", "codex", "opencode", "gemini-cli", "aider", "anthropic-sdk", "openai-sdk"];

/// Why a condition never holds, as the second part of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Never {
    /// It holds for no turn.
    Everywhere(String),
    /// It holds for no turn of some clients.
    InClients(String),
}

/// Returns why a condition never holds; `None` if it may hold. Conditions that cannot hold for any turn are reported
/// before those that some clients cannot fulfil.
pub(super) fn never(when: &Predicate) -> Option<Never> {
    impossible(when).map(|cause| Never::Everywhere(format!("cannot fire: {cause}"))).or_else(|| too_few_tokens(when))
}

/// Returns why no turn fulfils a condition; `None` if one may.
fn impossible(when: &Predicate) -> Option<String> {
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
            let causes: Option<Vec<_>> = parts.iter().map(impossible).collect();
            causes.and_then(|causes| causes.into_iter().next())
        }
        Predicate::All(parts) => parts.iter().find_map(impossible).or_else(|| contradiction(parts)),
        Predicate::Not(part) if part.always_holds() => Some("`not` excludes every turn".to_owned()),
        _ => None,
    }
}

/// Returns why two conditions of which both must hold exclude each other.
fn contradiction(parts: &[Predicate]) -> Option<String> {
    let least = parts
        .iter()
        .filter_map(|part| if let Predicate::TokensAbove(tokens) = part { Some(*tokens) } else { None })
        .max();
    let most = parts
        .iter()
        .filter_map(|part| if let Predicate::TokensBelow(tokens) = part { Some(*tokens) } else { None })
        .min();
    if let (Some(least), Some(most)) = (least, most)
        && most <= least.saturating_add(1)
    {
        return Some(format!("no prompt has more than {least} and fewer than {most} tokens"));
    }
    let excludes = |a: &Predicate, b: &Predicate| match (a, b) {
        (Predicate::Not(a), b) => **a == *b,
        (Predicate::HasImages(a), Predicate::HasImages(b))
        | (Predicate::HasToolCalls(a), Predicate::HasToolCalls(b))
        | (Predicate::Subagent(a), Predicate::Subagent(b)) => a != b,
        _ => false,
    };
    let exclusive = parts.iter().any(|a| parts.iter().any(|b| excludes(a, b)));
    exclusive.then(|| "two of its conditions exclude each other".to_owned())
}

/// Returns the clients whose prompt alone exceeds a token limit of the condition. Sub-agents and auxiliary calls have
/// shorter prompts, so conditions on them are not checked.
fn too_few_tokens(when: &Predicate) -> Option<Never> {
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
    let named: Option<&Vec<String>> =
        parts.iter().find_map(|part| if let Predicate::Client(names) = part { Some(names) } else { None });
    let affected: Vec<_> = PROMPTS
        .into_iter()
        .filter(|(name, _, tokens)| {
            limit <= *tokens && named.is_none_or(|named| named.iter().any(|allowed| allowed == name))
        })
        .collect();
    let (_, _, tokens) = *affected.iter().min_by_key(|(_, _, tokens)| *tokens)?;
    let titles: Vec<_> = affected.iter().map(|(_, title, _)| *title).collect();
    let possessive = if titles.len() == 1 { "whose" } else { "each of whose" };
    Some(Never::InClients(format!(
        "does not fire in {}, {possessive} requests have at least {tokens} tokens before the first word: the limit is \
         {limit}",
        titles.join(", "),
    )))
}
