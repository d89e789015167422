//! The request of a client in a scenario, with the features that conditions of rules and requirements depend on.

use std::collections::BTreeSet;

use contracts::{AuxiliaryCall, ClientRequest, ModelId, Requirement, WireApi};

/// The request of a gateway client in a scenario, as a test states it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatedRequest {
    /// Name of the client, such as `claude-code`; `None` for an unknown client.
    pub client: Option<String>,
    /// Name of the requested model, unchanged; `None` for `turnwise`, which leaves the choice to the policy.
    pub model: Option<String>,
    /// Whether a sub-agent sent the request.
    pub subagent: bool,
    /// Kind of auxiliary call; `None` for a request of the conversation.
    pub auxiliary: Option<AuxiliaryCall>,
    /// Id or alias of the model that signed thinking of earlier turns; `None` without thinking.
    pub thinking_of: Option<String>,
    /// Whether the request offers the model a web search that the provider runs.
    pub web_search: bool,
    /// Names of the features that the request uses, besides those of every request of its client.
    pub requires: Vec<String>,
}

impl StatedRequest {
    /// Returns whether no property is stated, so that the turn is one of the command line and not of a client.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Builds the request, with the API and the usual features of its client. `resolve` returns the model with an id or
    /// alias; `None` if there is none.
    ///
    /// # Errors
    /// The name that cannot be resolved: no model for [`StatedRequest::thinking_of`], or no feature for
    /// [`StatedRequest::requires`].
    pub fn build(&self, resolve: impl Fn(&str) -> Option<ModelId>) -> Result<ClientRequest, String> {
        let (api, usual) = usual_features(self.client.as_deref());
        let mut requires: BTreeSet<Requirement> = usual.iter().copied().collect();
        for name in &self.requires {
            requires.insert(Requirement::named(name).ok_or_else(|| name.clone())?);
        }
        let mut signed_by = BTreeSet::new();
        if let Some(name) = &self.thinking_of {
            signed_by.insert(resolve(name).ok_or_else(|| name.clone())?);
            requires.insert(Requirement::EarlierThinking);
        }
        let model = self.model.clone().unwrap_or_else(|| "turnwise".to_owned());
        Ok(ClientRequest {
            api,
            client: self.client.clone(),
            named: resolve(&model),
            model,
            auxiliary: self.auxiliary,
            subagent: self.subagent,
            requires,
            signed_by,
            brings_key_of: None,
            web_search: self.web_search,
            imported: false,
        })
    }
}

/// Returns the API of a client, and the features that its requests always use: those of Claude Code 2.1, Codex 0.169
/// and Gemini CLI 0.61. Other clients use chat completions without such features.
fn usual_features(client: Option<&str>) -> (WireApi, &'static [Requirement]) {
    match client {
        Some("claude-code") => (
            WireApi::AnthropicMessages,
            &[
                Requirement::CacheControl,
                Requirement::ContextManagement,
                Requirement::Effort,
                Requirement::ThinkingControl,
            ],
        ),
        Some("codex") => (WireApi::OpenAiResponses, &[Requirement::CustomTools, Requirement::Effort]),
        Some("gemini-cli") => (WireApi::Gemini, &[Requirement::Sampling]),
        Some("anthropic-sdk") => (WireApi::AnthropicMessages, &[]),
        _ => (WireApi::OpenAiChat, &[]),
    }
}
