//! Finds rules about skills that no client lists.

use std::collections::BTreeSet;

use crate::predicate::Predicate;

/// The clients that list the skills they offer in their requests. Of other clients, a skill matches only as a command.
const CLIENTS_WITH_SKILLS: [&str; 2] = ["claude-code", "codex"];

/// Returns why a rule about skills matches commands only, as the second part of a sentence; `None` if the rule is not about
/// skills, or if a client that may fulfil its other conditions lists them. `clients` are the names of the clients of this
/// machine.
pub(super) fn unlisted_skills(when: &Predicate, clients: &BTreeSet<String>) -> Option<String> {
    let name = skill(when)?;
    let lists_skills = |client: &str| CLIENTS_WITH_SKILLS.contains(&client);
    let clients: Vec<&str> = match named_clients(when) {
        Some(stated_clients) => stated_clients.iter().map(String::as_str).collect(),
        None => clients.iter().map(String::as_str).collect(),
    };
    if clients.iter().any(|client| lists_skills(client)) {
        return None;
    }
    let clients = match clients.as_slice() {
        [] => "no client that lists its skills was found".to_owned(),
        [client] => format!("{client} does not list its skills"),
        clients => format!("none of {} lists its skills", clients.join(", ")),
    };
    Some(format!(
        "matches only a message that begins with a command such as `/{name}`: {clients} ({} do)",
        CLIENTS_WITH_SKILLS.join(" and ")
    ))
}

/// Returns the first skill that a condition requires to match; `None` if there is none.
fn skill(when: &Predicate) -> Option<&str> {
    match when {
        Predicate::Skills(names) => names.first().map(String::as_str),
        Predicate::All(parts) => parts.iter().find_map(skill),
        Predicate::Any(parts) => {
            let skills: Option<Vec<_>> = parts.iter().map(skill).collect();
            skills.and_then(|skills| skills.into_iter().next())
        }
        _ => None,
    }
}

/// Returns the clients that a condition requires; `None` if it allows all.
fn named_clients(when: &Predicate) -> Option<&Vec<String>> {
    match when {
        Predicate::Client(names) => Some(names),
        Predicate::All(parts) => parts.iter().find_map(named_clients),
        _ => None,
    }
}
