//! The state of inspecting a request body, and the inspection of values that all APIs share.
//!
//! An inspection collects a summary of the request, and its *requirements*: the features that the provider's API must
//! support to receive the request. A request that is `Native` has a part that no other API can express.

use std::{borrow::Cow, collections::BTreeSet};

use client_formats::{
    auxiliary_call::{AuxiliaryCallEvidence, RequestProperties},
    client::{self, PromptClient},
    skills::{may_list_skills, offered_skills},
};
use contracts::{Needs, Requirement, WireApi};

use super::{
    history::{History, MessageDraft},
    workspace,
};
use crate::{
    api,
    fields::{FieldRule, ObjectKind, fields},
    json::{Cursor, Text, Value, ValueKind},
    limits,
    request_summary::{BodyOffsets, Identity, PromptCounts, RequestError, RequestSummary},
};

/// The number of bytes of a text that are hashed into [`RequestSummary::conversation_hash`].
const OPENING_BYTES: usize = 4096;

/// Whether the request has content that is not blank, by its author.
#[derive(Debug, Default)]
pub(crate) struct ContentByAuthor {
    /// Content of the user, the model or a tool.
    pub(crate) non_system: bool,
    /// Content of the system. An API may reset it before it reads a system message.
    pub(crate) system: bool,
}

/// The settings for JSON output in a Gemini request, which has two separate fields for them.
#[derive(Debug, Default)]
pub(crate) struct GeminiJson {
    /// Whether `responseMimeType` is `application/json`.
    pub(crate) is_requested: bool,
    /// Whether there is a response schema.
    pub(crate) has_schema: bool,
}

/// An inspection of a request body in progress: the summary of the request so far, and the state that is needed to
/// complete it.
pub(crate) struct Inspector<'a> {
    /// The part of the summary that is complete so far.
    pub(crate) summary: RequestSummary<'a>,
    /// The user's messages and tool results so far.
    pub(crate) history: History<'a>,
    /// The properties of the request by which auxiliary calls are recognised.
    pub(crate) evidence: AuxiliaryCallEvidence,
    /// The first text of the system prompt, with its escapes; `None` if there is none so far.
    first_system: Option<&'a str>,
    /// Whether the body has a conversation.
    pub(crate) has_conversation: bool,
    /// The index in the conversation of the message, item or content that is being read.
    pub(crate) message_index: usize,
    /// The index of the last message, item or content with signed thinking; `None` if there is none so far.
    last_signed: Option<usize>,
    /// The JSON settings of a Gemini request.
    pub(crate) gemini_json: GeminiJson,
    /// Whether the conversation so far ends with a message of the model.
    pub(crate) ends_with_model: bool,
    /// Whether parallel tool calls are disabled.
    pub(crate) is_one_tool_at_a_time: bool,
    /// The temperature; `None` if it is not set or not a number.
    pub(crate) temperature: Option<f64>,
    /// `top_p`; `None` if it is not set or not a number.
    pub(crate) top_p: Option<f64>,
    /// Whether the request has content that is not blank.
    pub(crate) has_content: ContentByAuthor,
    /// The ids of all calls so far, including ids that only a result has.
    call_ids: BTreeSet<Cow<'a, str>>,
    /// The calls without a result so far, each with its id (`None` if it has none) and function. Needed for Gemini,
    /// where a result may name only the function.
    pub(crate) unanswered: Vec<(Option<Cow<'a, str>>, Cow<'a, str>)>,
}

impl<'a> Inspector<'a> {
    /// Creates an inspection of a request body of `api`; `start` is the byte offset after its opening brace.
    pub(crate) fn new(api: WireApi, start: usize) -> Self {
        let summary = RequestSummary {
            api,
            model: None,
            model_span: None,
            stream: false,
            requests_stream_usage: false,
            user_messages: Vec::new(),
            continues_turn: false,
            tool_results: Vec::new(),
            tool_calls_in_history: false,
            call_ids: None,
            needs: Needs::default(),
            last_message_has_images: false,
            requires: BTreeSet::new(),
            web_search: false,
            skills: Vec::new(),
            prompt: PromptCounts::default(),
            auxiliary_call: None,
            identity: Identity::default(),
            conversation_hash: [0; 16],
            max_output: None,
            offsets: BodyOffsets { first_member: start, ..BodyOffsets::default() },
        };
        Self {
            summary,
            history: History::default(),
            evidence: AuxiliaryCallEvidence::default(),
            first_system: None,
            has_conversation: false,
            message_index: 0,
            last_signed: None,
            gemini_json: GeminiJson::default(),
            ends_with_model: false,
            is_one_tool_at_a_time: false,
            temperature: None,
            top_p: None,
            has_content: ContentByAuthor::default(),
            call_ids: BTreeSet::new(),
            unanswered: Vec::new(),
        }
    }

    /// Records that the request requires a feature of the provider's API. For signed thinking, the message that is
    /// being read is recorded too.
    pub(crate) fn require(&mut self, requirement: Requirement) {
        if requirement == Requirement::EarlierThinking {
            self.last_signed = Some(self.message_index);
        }
        self.summary.requires.insert(requirement);
    }

    /// Records a tool that the provider runs, such as a web search, by its type.
    pub(crate) fn add_server_tool(&mut self, kind: &str) {
        self.require(Requirement::ServerTools);
        let names = ["web_search", "google_search", "googleSearch"];
        self.summary.web_search |= names.iter().any(|name| kind.starts_with(name));
    }

    /// Records that the request requires a feature of the provider's API if `condition` is true.
    pub(crate) fn require_if(&mut self, condition: bool, requirement: Requirement) {
        if condition {
            self.require(requirement);
        }
    }

    /// Skips the value of a member and records the feature that the member requires, according to the table of known
    /// fields. `cursor` is before the value.
    ///
    /// # Errors
    /// [`RequestError`] if the value is not valid JSON.
    pub(crate) fn skip_field(
        &mut self,
        cursor: &mut Cursor<'a>,
        kind: ObjectKind,
        name: &str,
    ) -> Result<(), RequestError> {
        let value = cursor.read_value()?;
        self.classify_field(kind, name, &value);
        Ok(())
    }

    /// Records the API feature that the member `name` of an object requires, according to the table of known fields.
    /// Unknown members, and members whose rule depends on the value, make the request [`Native`](Requirement::Native)
    /// (not convertible to another API), unless the value is `null`.
    pub(crate) fn classify_field(&mut self, kind: ObjectKind, name: &str, value: &Value<'a>) {
        match fields(self.summary.api, kind).find(name) {
            Some((_, (_, FieldRule::Supported))) => {}
            _ if value.is_null() => {}
            Some((_, (_, FieldRule::Requires(Requirement::ServerTools)))) => self.add_server_tool(name),
            Some((_, (_, FieldRule::Requires(requirement)))) => self.require(requirement),
            // A value that its reader does not know, or an unknown field.
            Some((_, (_, FieldRule::ByValue))) | None => self.require(Requirement::Native),
        }
    }

    /// Reads the requested model and records it with its position in the body.
    ///
    /// # Errors
    /// [`RequestError::WrongType`] if the value is not a string.
    pub(crate) fn read_model(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let value = cursor.read_value()?;
        let Some(name) = value.string() else {
            return Err(RequestError::WrongType { field: "model", expected: "a string" });
        };
        self.summary.model = Some(name);
        self.summary.model_span = Some(value.span());
        Ok(())
    }

    /// Reads whether the client requests a streamed response, and records it.
    ///
    /// # Errors
    /// [`RequestError::WrongType`] if the value is neither a boolean nor `null`.
    pub(crate) fn read_stream(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let value = cursor.read_value()?;
        if !value.is_null() {
            let type_error = RequestError::WrongType { field: "stream", expected: "true or false" };
            self.summary.stream = value.as_bool().ok_or(type_error)?;
        }
        Ok(())
    }

    /// Records the requirement of the service tier. Tiers other than the default make the request
    /// [`Native`](Requirement::Native) (not convertible to another API), because only the default is available in all
    /// APIs.
    pub(crate) fn inspect_service_tier(&mut self, value: &Value<'a>) {
        let is_default = value.is_null() || matches!(value.string().as_deref(), Some("auto" | "default"));
        self.require_if(!is_default, Requirement::Native);
    }

    /// Records the API features that the reasoning effort requires: the effort itself, unless it switches thinking off,
    /// and its level. `None` and `null` require nothing.
    pub(crate) fn inspect_effort(&mut self, effort: Option<&Value<'a>>) {
        const NO_EFFORT: [&str; 3] = ["", "none", "off"];
        let Some(effort) = effort else { return };
        self.expect_kind(ValueKind::String, effort);
        let Some(word) = effort.string() else { return };
        let is_set = !NO_EFFORT.iter().any(|disabling_word| word.eq_ignore_ascii_case(disabling_word));
        self.require_if(is_set, Requirement::Effort);
        self.summary.requires.extend(limits::required_by_effort(&word));
    }

    /// Records a text of the system prompt or of a later system message: its size, and the client, auxiliary call and
    /// working directory that it indicates. Of the billing text of Claude Code, only the mark of a sub-agent is
    /// recorded.
    pub(crate) fn record_system_text(&mut self, text: Text<'a>) {
        self.has_content.system |= !limits::is_blank(&text.decoded());
        self.summary.prompt.characters += text.characters();
        self.summary.needs.system_prompt = true;
        if text.raw.starts_with(client::BILLING_PREFIX) {
            self.summary.identity.subagent |= client::is_subagent_billing(text.raw);
            return;
        }
        self.evidence.add_system_prompt(text.raw);
        if self.first_system.is_none() {
            self.first_system = Some(text.raw);
            self.history.client = PromptClient::of_prompt(text.raw);
        }
        self.find_workspace(text);
        self.find_skills(text);
    }

    /// Searches a text of the prompt for the skills that the client offers, and records them. Does nothing if they are
    /// already known.
    fn find_skills(&mut self, text: Text<'a>) {
        if self.summary.skills.is_empty() && may_list_skills(text.raw) {
            self.summary.skills = offered_skills(&text.decoded());
        }
    }

    /// Searches a text of the prompt for the client's working directory, and records it. Does nothing if the directory
    /// is already known.
    pub(crate) fn find_workspace(&mut self, text: Text<'a>) {
        if self.summary.identity.workspace.is_none() {
            self.summary.identity.workspace = workspace::find_workspace(self.summary.api, text.raw);
        }
    }

    /// Records a message with the role `user`, or a tool result, at `index` of the conversation, and searches it for
    /// the working directory.
    pub(crate) fn record_user_message(&mut self, index: usize, draft: &MessageDraft<'a>) {
        if self.summary.identity.workspace.is_none() {
            for text in draft.directory_candidates() {
                self.find_workspace(text);
            }
        }
        for text in draft.directory_candidates() {
            self.find_skills(text);
        }
        // A blank message is not sent to every API.
        self.ends_with_model &= !self.record_content(draft);
        self.history.record_user_message(index, draft);
    }

    /// Records the property names of the schema of the response, by which some auxiliary calls are recognised.
    pub(crate) fn record_response_schema(&mut self, schema: &Value<'a>) {
        let properties = schema.get("properties");
        let names: Vec<_> = properties.iter().flat_map(Value::members).filter_map(|(name, _)| name.string()).collect();
        self.evidence.set_response_properties(&names);
    }

    /// Returns whether a message has content other than white space, and records it by author.
    pub(crate) fn record_content(&mut self, draft: &MessageDraft<'a>) -> bool {
        let has_content = !draft.results.is_empty()
            || draft.has_images
            || draft.texts.iter().any(|text| !limits::is_blank(&text.decoded()));
        self.has_content.non_system |= has_content;
        has_content
    }

    /// Records a message, a tool call or thinking of the model: the conversation so far ends with the model.
    pub(crate) fn record_assistant_message(&mut self) {
        self.ends_with_model = true;
        self.history.record_assistant_message();
    }

    /// Records a tool call of the model. `id` is `None` in APIs without call ids.
    pub(crate) fn record_call(&mut self, id: Option<&Value<'a>>) {
        self.summary.tool_calls_in_history = true;
        self.has_content.non_system = true;
        self.call_ids.extend(id.and_then(Value::string));
    }

    /// Records the result of the tool call with this id. A result without an earlier call requires
    /// [`Requirement::ResultWithoutCall`]; a missing id makes the request [`Native`](Requirement::Native) (not
    /// convertible to another API).
    pub(crate) fn record_result(&mut self, id: Option<&Value<'a>>) {
        self.expect_string(id);
        let Some(id) = id.and_then(Value::string) else { return };
        let is_new = self.call_ids.insert(id);
        self.require_if(is_new, Requirement::ResultWithoutCall);
    }

    /// Counts an image of the prompt.
    pub(crate) fn count_image(&mut self) {
        self.summary.needs.images = true;
        self.summary.prompt.images += 1;
    }

    /// Records the requirements that depend on several members of the request body, once all are read.
    fn require_combinations(&mut self) {
        let GeminiJson { is_requested, has_schema } = self.gemini_json;
        self.require_if(is_requested && !has_schema, Requirement::JsonObject);
        self.require_if(has_schema && !is_requested, Requirement::Native);
        self.require_if(self.is_one_tool_at_a_time && self.summary.needs.tools, Requirement::OneToolAtATime);
        self.require_if(self.ends_with_model, Requirement::Prefill);
        self.require_if(!self.has_content.non_system, Requirement::SystemAlone);
        self.summary.requires.extend(limits::required_by_temperature(self.temperature, self.top_p));
        // The user's last message is the start of the running turn.
        let in_running_turn =
            self.last_signed.is_some_and(|signed_index| self.history.last_user.is_none_or(|user| user < signed_index));
        self.require_if(in_running_turn, Requirement::RunningThinking);
    }

    /// Completes the summary of the request at the end of its body.
    ///
    /// # Errors
    /// [`RequestError::MissingField`] if the body has no conversation.
    pub(crate) fn finish(mut self) -> Result<RequestSummary<'a>, RequestError> {
        if !self.has_conversation {
            let field = api::implementation(self.summary.api).conversation_field();
            return Err(RequestError::MissingField { field });
        }
        self.history.use_fallback();
        self.require_combinations();
        let mut summary = self.summary;
        summary.auxiliary_call = self.evidence.classify(RequestProperties {
            has_tools: summary.needs.tools || summary.tool_calls_in_history,
            max_output: summary.max_output,
            characters: summary.prompt.characters,
            last_message: self.history.messages.last().map(|message| message.text.as_ref()),
        });
        summary.identity.client = (self.history.client == Some(PromptClient::Aider)).then_some("aider");
        summary.continues_turn = self.history.continues_turn;
        summary.call_ids = api::implementation(summary.api).has_call_ids().then_some(self.call_ids);
        summary.tool_results = self.history.results;
        summary.offsets.last_user = self.history.last_user;
        summary.last_message_has_images = self.history.messages.last().is_some_and(|message| message.has_images);
        let first_message = self.history.messages.first().map(|message| message.text.as_ref());
        summary.conversation_hash =
            conversation_hash(summary.api, self.first_system.unwrap_or_default(), first_message.unwrap_or_default());
        summary.user_messages = self.history.messages;
        Ok(summary)
    }
}

/// Returns the first 16 bytes of a BLAKE3 hash of the API, the system prompt and the user's first message, which
/// identifies sessions without ids. Of each text, the length and the first 4,096 bytes are hashed.
fn conversation_hash(api: WireApi, system: &str, message: &str) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(api.name().as_bytes());
    for text in [system, message] {
        let bytes = text.as_bytes();
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes.get(..OPENING_BYTES).unwrap_or(bytes));
    }
    let hash = *hasher.finalize().as_bytes();
    let mut identity_hash = [0; 16];
    for (to, from) in identity_hash.iter_mut().zip(hash) {
        *to = from;
    }
    identity_hash
}

/// Returns the string in a member of a JSON object; empty if the member is missing or of another type.
pub(crate) fn string_or_empty<'a>(value: Option<&Value<'a>>) -> Cow<'a, str> {
    value.and_then(Value::string).unwrap_or_default()
}

/// Returns the member `type` of a JSON object; empty if it has none.
pub(crate) fn type_of<'a>(object: &Value<'a>) -> Cow<'a, str> {
    string_or_empty(object.get("type").as_ref())
}
