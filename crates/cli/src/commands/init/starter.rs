//! The starter policy, for the models of one provider.

use crate::machine::{Client, ClientKind, KeySource};

/// The starter policy with a name in braces for each tier.
const TEMPLATE: &str = include_str!("starter_routing.yaml");

/// The tiers that the template names.
const TIERS: [&str; 3] = ["fast", "balanced", "deep"];

/// A provider with one model for each tier (fast, balanced and deep), by alias.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Family {
    /// The name of the provider in model ids.
    pub(crate) provider: &'static str,
    /// The models of the tiers in the order of [`TIERS`].
    models: [&'static str; 3],
}

/// The providers that a starter policy can be written for. The first is used if nothing else decides.
pub(crate) const FAMILIES: [Family; 3] = [
    Family { provider: "anthropic", models: ["haiku", "sonnet", "opus"] },
    Family { provider: "openai", models: ["luna", "gpt", "astra"] },
    Family { provider: "google", models: ["flash", "gemini", "gemini"] },
];

/// Returns the text of a starter policy with the models of these providers. Those of `first` are tried first.
pub(crate) fn starter_policy(first: Family, others: &[Family]) -> String {
    TIERS.into_iter().enumerate().fold(TEMPLATE.to_owned(), |policy, (tier, name)| {
        let models: Vec<_> = std::iter::once(&first).chain(others).map(|family| family.models[tier]).collect();
        let list = if others.is_empty() { models.concat() } else { format!("[{}]", models.join(", ")) };
        policy.replace(&format!("{{{{all {name}}}}}"), &list).replace(&format!("{{{{{name}}}}}"), first.models[tier])
    })
}

impl Family {
    /// Returns the family of a provider by its name; `None` if a starter policy cannot be written for the provider.
    fn of(provider: &str) -> Option<Self> {
        FAMILIES.into_iter().find(|family| family.provider == provider)
    }

    /// Returns the family of a model by the model's name in a session file, such as `claude-opus-5-5` or
    /// `openai:gpt-6.1-sol`; `None` if it belongs to no family.
    fn of_model(name: &str) -> Option<Self> {
        if let Some((provider, _)) = name.split_once(':') {
            return Self::of(provider);
        }
        let provider = match name {
            name if name.starts_with("claude") => "anthropic",
            name if name.starts_with("gemini") => "google",
            name if name.starts_with("gpt") || name.starts_with('o') || name.contains("codex") => "openai",
            _ => return None,
        };
        Self::of(provider)
    }
}

/// The provider that was chosen for a starter policy, with the reason in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The provider with its models.
    pub(crate) family: Family,
    /// The other providers that a key or a login gives access to. Their models are tried second.
    pub(crate) others: Vec<Family>,
    /// The reason, such as `its key is in ANTHROPIC_API_KEY`.
    pub(crate) because: String,
    /// Whether a key or a login can reach its models.
    pub(crate) has_access: bool,
}

/// Chooses the provider of a starter policy: of the providers with a key, or else with a login of a client, the one
/// that the sessions used most. Without any, the provider that the sessions used, and otherwise that of the installed
/// clients. `models` are the models of the sessions with their number of turns.
pub(crate) fn choose(keys: &[KeySource], clients: &[Client], models: &[(String, usize)]) -> Choice {
    let with_key =
        keys.iter().filter_map(|key| Some((Family::of(&key.provider)?, format!("its key is in {}", key.place))));
    let with_login = clients.iter().filter(|client| client.has_login).filter_map(|client| {
        let family = Family::of(client.kind.provider()?)?;
        Some((family, format!("{} is logged in", client.kind.title())))
    });
    let accessible: Vec<_> = with_key.chain(with_login).collect();
    let turns_of = |family: Family| -> usize {
        models.iter().filter(|(name, _)| Family::of_model(name) == Some(family)).map(|(_, turns)| turns).sum()
    };
    // The first of equals wins, so `FAMILIES` is the order of preference.
    let most_used = |families: &[Family]| {
        let used = |family: &&Family| turns_of(**family);
        families.iter().rev().max_by_key(used).copied()
    };
    let families: Vec<_> =
        FAMILIES.into_iter().filter(|family| accessible.iter().any(|(found, _)| found == family)).collect();
    if let Some(family) = most_used(&families) {
        let because = accessible.into_iter().find(|(found, _)| *found == family).map(|(_, because)| because);
        let others = families.into_iter().filter(|other| *other != family).collect();
        return Choice { family, others, because: because.unwrap_or_default(), has_access: true };
    }
    if let Some(family) = most_used(&FAMILIES).filter(|family| 0 < turns_of(*family)) {
        return Choice {
            family,
            others: Vec::new(),
            because: "your sessions used its models".to_owned(),
            has_access: false,
        };
    }
    let installed = |client: &Client| {
        let provider = client.kind.provider().filter(|_| client.program.is_some())?;
        Some((Family::of(provider)?, client.kind))
    };
    let (family, because) = match clients.iter().find_map(installed) {
        Some((family, kind)) => (family, format!("{} is installed", ClientKind::title(kind))),
        None => (FAMILIES[0], "nothing on this machine names another provider".to_owned()),
    };
    Choice { family, others: Vec::new(), because, has_access: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(provider: &str) -> KeySource {
        KeySource { provider: provider.to_owned(), place: format!("{provider} variable"), is_in_file: false }
    }

    fn client(kind: ClientKind, has_login: bool) -> Client {
        Client { kind, program: Some("/bin/client".into()), has_login }
    }

    fn chosen(keys: &[KeySource], clients: &[Client], models: &[(&str, usize)]) -> (&'static str, bool) {
        let models: Vec<_> = models.iter().map(|(name, turns)| ((*name).to_owned(), *turns)).collect();
        let choice = choose(keys, clients, &models);
        (choice.family.provider, choice.has_access)
    }

    #[test]
    fn the_only_key_chooses_whatever_the_sessions_used() {
        assert_eq!(chosen(&[key("openai")], &[], &[("claude-opus-4-5", 90)]), ("openai", true));
        assert_eq!(chosen(&[key("google"), key("groq")], &[], &[]), ("google", true));
    }

    #[test]
    fn of_several_keys_and_logins_the_provider_of_most_turns_is_chosen() {
        let keys = [key("anthropic"), key("openai")];
        assert_eq!(chosen(&keys, &[], &[("claude-opus-4-5", 3), ("openai:gpt-5.6-sol", 7)]), ("openai", true));
        assert_eq!(chosen(&keys, &[], &[]), ("anthropic", true));
        let codex = [client(ClientKind::Codex, true)];
        assert_eq!(chosen(&[key("anthropic")], &codex, &[("openai:gpt-5.6-sol", 7)]), ("openai", true));
    }

    #[test]
    fn every_starter_policy_is_valid_and_none_of_its_rules_is_without_effect() {
        let registry = std::sync::Arc::new(catalogue::load_registry(None).unwrap());
        let [anthropic, openai, google] = FAMILIES;
        for (first, others) in
            [(anthropic, vec![]), (openai, vec![]), (google, vec![]), (openai, vec![anthropic, google])]
        {
            let text = starter_policy(first, &others);
            assert!(!text.contains("{{"), "{text}");
            let policy = router_core::Policy::load(&text, std::sync::Arc::clone(&registry), None).unwrap();
            assert_eq!(router_core::warnings(&policy, None), []);
            assert!(policy.rules().all(|rule| rule.models.len() == 1 + others.len()));
            assert!(policy.rules().all(|rule| rule.models[0].provider() == first.provider));
            assert!(!policy.disagreement().surface, "an opt-in (004 §5.6)");
        }
    }

    #[test]
    fn without_a_key_sessions_choose_and_then_installed_clients() {
        let codex = [client(ClientKind::Codex, false)];
        assert_eq!(chosen(&[], &codex, &[("claude-sonnet-4-5", 1)]), ("anthropic", false));
        assert_eq!(chosen(&[], &codex, &[]), ("openai", false));
        assert_eq!(chosen(&[], &[], &[]), ("anthropic", false));
    }
}
