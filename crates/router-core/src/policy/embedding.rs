//! Parses the block `embedding` of a policy file: the endpoint that computes embeddings of messages.

use serde::{Deserialize, Serialize};

use super::{keys, load::Loader};
use crate::yaml::YamlNode;

/// The maximum length of a URL, in bytes.
const MAX_URL_BYTES: usize = 500;
/// The maximum length of the name of a model or an environment variable, in bytes.
const MAX_NAME_BYTES: usize = 100;

/// An endpoint that computes embeddings of messages, with the embeddings API of `OpenAI`; for example one of Ollama.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbeddingEndpoint {
    /// The base URL, to which `/embeddings` is appended: `http` or `https`, without a trailing slash.
    pub url: String,
    /// The name of the model, as the endpoint knows it.
    pub model: String,
    /// The environment variable with the key; `None` if no key is needed. A policy never contains a key.
    pub key_env: Option<String>,
}

impl Loader<'_> {
    /// Parses the block `embedding` and reports its problems. `None` if it is not a mapping, or if `url` or `model` is
    /// missing or invalid.
    pub(super) fn parse_embedding(&mut self, node: &YamlNode<'_>) -> Option<EmbeddingEndpoint> {
        let keys = self.problems.parse_mapping(node, "`embedding`", keys::EMBEDDING)?;
        for key in keys::EMBEDDING.iter().filter(|key| key.is_required && !keys.contains(key.name)) {
            self.problems.report(node.mark, format!("`embedding` has no `{}`", key.name));
        }
        let url = keys.get("url").and_then(|node| self.parse_validated_text(node, "url", url_problem));
        let model = keys.get("model").and_then(|node| self.parse_validated_text(node, "model", model_problem));
        let key_env = keys.get("key_env").and_then(|node| self.parse_validated_text(node, "key_env", variable_problem));
        Some(EmbeddingEndpoint {
            url: url?.trim_end_matches('/').to_owned(),
            model: model?.to_owned(),
            key_env: key_env.map(str::to_owned),
        })
    }

    /// Parses a text and validates it with `find_problem`, which returns a problem, or `None` if the text is valid.
    /// Reports the problem and returns `None` if it is not. The message does not repeat the text, which may be a secret
    /// in the wrong place.
    fn parse_validated_text<'n>(
        &mut self,
        node: &'n YamlNode<'_>,
        subject: &str,
        find_problem: fn(&str) -> Option<&'static str>,
    ) -> Option<&'n str> {
        let text = self.problems.parse_text(node, subject)?;
        let problem = find_problem(text);
        if let Some(problem) = problem {
            self.problems.report(node.mark, format!("`{subject}` {problem}"));
        }
        problem.is_none().then_some(text)
    }
}

/// Returns why a text is not a valid URL of an endpoint, as the end of a sentence that starts with its key; `None` if
/// it is valid.
fn url_problem(url: &str) -> Option<&'static str> {
    let Some(after_scheme) = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://")) else {
        return Some("must start with `http://` or `https://`");
    };
    let (authority, _) = after_scheme.split_once('/').unwrap_or((after_scheme, ""));
    if MAX_URL_BYTES < url.len() {
        Some("must have at most 500 bytes")
    } else if authority.contains('@') {
        Some("must not hold a user or password: name the environment variable of the key with `key_env`")
    } else if after_scheme.contains(['?', '#']) {
        Some("must end before any `?` or `#`: `/embeddings` is appended to it")
    } else if !is_authority(authority) {
        Some("must name a host, and a port from 1 to 65535 if any: `http://localhost:11434/v1`")
    } else if !after_scheme.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"<>\\^`{|}@".contains(&byte)) {
        Some("must be written in plain characters, others as `%` and two digits")
    } else {
        None
    }
}

/// Returns whether a text is a host name or IP address with an optional port.
fn is_authority(authority: &str) -> bool {
    if let Some(rest) = authority.strip_prefix('[') {
        let Some((host, port)) = rest.split_once(']') else { return false };
        let is_port_or_nothing = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
        return host.parse::<std::net::Ipv6Addr>().is_ok() && is_port_or_nothing;
    }
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let is_host_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    !host.is_empty() && host.bytes().all(is_host_byte) && port.is_none_or(is_port)
}

/// Returns whether a text is a port number from 1 to 65535, in digits only.
fn is_port(port: &str) -> bool {
    port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port != 0)
}

/// Returns why a text is not a valid name of an embedding model, as the end of a sentence that starts with its key;
/// `None` if it is valid.
fn model_problem(model: &str) -> Option<&'static str> {
    if MAX_NAME_BYTES < model.len() {
        Some("must have at most 100 bytes")
    } else if model.chars().any(char::is_control) {
        Some("contains a control character")
    } else {
        None
    }
}

/// Returns why a text is not a valid name of an environment variable, as the end of a sentence that starts with its
/// key; `None` if it is valid.
fn variable_problem(name: &str) -> Option<&'static str> {
    let has_valid_bytes = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let fits =
        has_valid_bytes && name.len() <= MAX_NAME_BYTES && !name.starts_with(|first: char| first.is_ascii_digit());
    (!fits).then_some("must be the name of an environment variable, such as OPENAI_API_KEY, and never a key itself")
}
