//! The state of an inspection, and the reading that all APIs share.

use std::{borrow::Cow, collections::BTreeSet};

use client_formats::{
    auxiliary_call::{AuxiliaryCallEvidence, RequestProperties},
    client,
};
use contracts::{Needs, Requirement, WireApi};

use super::{
    history::{Draft, History},
    workspace,
};
use crate::{
    api,
    fields::{FieldRule, ObjectKind, fields},
    json::{Cursor, Kind, Text, Value},
    limits,
    request_summary::{BodyOffsets, Identity, PromptCounts, RequestError, RequestSummary},
};

/// How many bytes of a text are hashed into [`RequestSummary::conversation_hash`].
const OPENING_BYTES: usize = 4096;

/// Which authors have written a text that is not blank.
#[derive(Debug, Default)]
pub(crate) struct Authors {
    /// The user, the model or a tool.
    pub(crate) others: bool,
    /// The system, since this was last reset.
    pub(crate) system: bool,
}

/// An inspection in progress: the summary so far, and what is needed to complete it.
pub(crate) struct Inspector<'a> {
    /// The summary so far.
    pub(crate) out: RequestSummary<'a>,
    pub(crate) history: History<'a>,
    /// The evidence by which auxiliary calls are recognised.
    pub(crate) signs: AuxiliaryCallEvidence,
    /// The first text of the system prompt.
    first_system: Option<&'a str>,
    /// Whether the body has a conversation.
    pub(crate) conversation: bool,
    /// Index of the message, item or content that is being read.
    pub(crate) index: usize,
    /// Index of the last one with signed thinking.
    signed: Option<usize>,
    /// Whether the response has to be JSON, and whether it has a schema, for APIs with two separate fields.
    pub(crate) json: (bool, bool),
    /// Whether the conversation ends with a message of the model.
    pub(crate) ends_with_model: bool,
    /// Whether parallel tool calls are disabled.
    pub(crate) one_tool_at_a_time: bool,
    pub(crate) temperature: Option<f64>,
    pub(crate) top_p: Option<f64>,
    pub(crate) authors: Authors,
    /// Ids of all calls so far, including those of which there is only a result.
    calls: BTreeSet<Cow<'a, str>>,
    /// Id and function of the calls without a result so far, for APIs in which results may name only the function.
    pub(crate) unanswered: Vec<(Option<Cow<'a, str>>, Cow<'a, str>)>,
}

impl<'a> Inspector<'a> {
    pub(crate) fn new(api: WireApi, start: usize) -> Self {
        let out = RequestSummary {
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
            prompt: PromptCounts::default(),
            auxiliary_call: None,
            identity: Identity::default(),
            conversation_hash: [0; 16],
            max_output: None,
            offsets: BodyOffsets { first_member: start, ..BodyOffsets::default() },
        };
        Self {
            out,
            history: History::default(),
            signs: AuxiliaryCallEvidence::default(),
            first_system: None,
            conversation: false,
            index: 0,
            signed: None,
            json: (false, false),
            ends_with_model: false,
            one_tool_at_a_time: false,
            temperature: None,
            top_p: None,
            authors: Authors::default(),
            calls: BTreeSet::new(),
            unanswered: Vec::new(),
        }
    }

    pub(crate) fn require(&mut self, requirement: Requirement) {
        if requirement == Requirement::Signatures {
            self.signed = Some(self.index);
        }
        self.out.requires.insert(requirement);
    }

    pub(crate) fn require_if(&mut self, condition: bool, requirement: Requirement) {
        if condition {
            self.require(requirement);
        }
    }

    /// Skips the value of a member and records what it requires.
    pub(crate) fn skip_field(
        &mut self,
        cursor: &mut Cursor<'a>,
        kind: ObjectKind,
        name: &str,
    ) -> Result<(), RequestError> {
        let value = cursor.value()?;
        self.classify_field(kind, name, &value);
        Ok(())
    }

    /// Records what a member requires, according to the table of known fields.
    pub(crate) fn classify_field(&mut self, kind: ObjectKind, name: &str, value: &Value<'a>) {
        match fields(self.out.api, kind).find(name) {
            Some((_, (_, FieldRule::Supported))) => {}
            Some(_) if value.is_null() => {}
            Some((_, (_, FieldRule::Requires(requirement)))) => self.require(requirement),
            // A value that its reader does not know, or an unknown field.
            Some((_, (_, FieldRule::ByValue))) | None => self.require(Requirement::Native),
        }
    }

    /// Records the requested model and its position.
    pub(crate) fn model(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let value = cursor.value()?;
        let Some(name) = value.string() else {
            return Err(RequestError::WrongType { field: "model", expected: "a string" });
        };
        self.out.model = Some(name);
        self.out.model_span = Some(value.span());
        Ok(())
    }

    pub(crate) fn stream(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let value = cursor.value()?;
        if !value.is_null() {
            let expected = RequestError::WrongType { field: "stream", expected: "true or false" };
            self.out.stream = value.as_bool().ok_or(expected)?;
        }
        Ok(())
    }

    /// Reads the service tier; only the default is available in all APIs.
    pub(crate) fn service_tier(&mut self, value: &Value<'a>) {
        let usual = value.is_null() || matches!(value.string().as_deref(), Some("auto" | "default"));
        self.require_if(!usual, Requirement::Native);
    }

    /// Records what the reasoning effort requires; it may also disable thinking.
    pub(crate) fn effort(&mut self, effort: Option<&Value<'a>>) {
        const NO_EFFORT: [&str; 3] = ["", "none", "off"];
        let Some(effort) = effort else { return };
        self.expect_kind(Kind::String, effort);
        let Some(word) = effort.string() else { return };
        let is_set = !NO_EFFORT.iter().any(|nothing| word.eq_ignore_ascii_case(nothing));
        self.require_if(is_set, Requirement::Effort);
        self.out.requires.extend(limits::required_by_effort(&word));
    }

    /// Records a text of the system prompt or of a later system message.
    pub(crate) fn system(&mut self, text: Text<'a>) {
        self.authors.system |= !limits::is_blank(&text.decoded());
        self.out.prompt.characters += text.characters();
        self.out.needs.system_prompt = true;
        if text.raw.starts_with(client::BILLING_PREFIX) {
            self.out.identity.subagent |= client::is_subagent_billing(text.raw);
            return;
        }
        self.signs.add_system_prompt(text.raw);
        if self.first_system.is_none() {
            self.first_system = Some(text.raw);
            self.history.aider = client::is_aider_prompt(text.raw);
        }
        self.workspace(text);
    }

    /// Searches an injected text for the client's working directory.
    pub(crate) fn workspace(&mut self, text: Text<'a>) {
        if self.out.identity.workspace.is_none() {
            self.out.identity.workspace = workspace::find(self.out.api, text.raw);
        }
    }

    /// Records a message of the role `user` or a tool result.
    pub(crate) fn user_message(&mut self, index: usize, draft: &Draft<'a>) {
        if self.out.identity.workspace.is_none() {
            for text in draft.injected() {
                self.workspace(text);
            }
        }
        // A blank message is not sent to every API.
        self.ends_with_model &= !self.record_content(draft);
        self.history.user_message(index, draft);
    }

    /// Records the schema of the response, by which some auxiliary calls are recognised.
    pub(crate) fn schema(&mut self, schema: &Value<'a>) {
        let properties = schema.get("properties");
        let names: Vec<_> = properties.iter().flat_map(Value::members).filter_map(|(name, _)| name.string()).collect();
        self.signs.set_response_properties(&names);
    }

    /// Returns and records whether a message has content other than white space.
    pub(crate) fn record_content(&mut self, draft: &Draft<'a>) -> bool {
        let has_content = !draft.results.is_empty()
            || draft.images
            || draft.texts.iter().any(|text| !limits::is_blank(&text.decoded()));
        self.authors.others |= has_content;
        has_content
    }

    /// Records a message, a tool call or thinking of the model.
    pub(crate) fn assistant_message(&mut self) {
        self.ends_with_model = true;
        self.history.assistant_message();
    }

    /// Records a tool call; `id` is `None` in APIs without call ids.
    pub(crate) fn record_call(&mut self, id: Option<&Value<'a>>) {
        self.out.tool_calls_in_history = true;
        self.authors.others = true;
        self.calls.extend(id.and_then(Value::string));
    }

    /// Records the tool result of a call.
    pub(crate) fn record_result(&mut self, id: Option<&Value<'a>>) {
        self.expect_string(id);
        let Some(id) = id.and_then(Value::string) else { return };
        let is_new = self.calls.insert(id);
        self.require_if(is_new, Requirement::ResultWithoutCall);
    }

    pub(crate) fn image(&mut self) {
        self.out.needs.images = true;
        self.out.prompt.images += 1;
    }

    /// Records requirements that depend on several members of the body.
    fn combined_requirements(&mut self) {
        let (wants_json, has_schema) = self.json;
        self.require_if(wants_json && !has_schema, Requirement::JsonObject);
        self.require_if(has_schema && !wants_json, Requirement::Native);
        self.require_if(self.one_tool_at_a_time && self.out.needs.tools, Requirement::OneToolAtATime);
        self.require_if(self.ends_with_model, Requirement::Prefill);
        self.require_if(!self.authors.others, Requirement::SystemAlone);
        self.out.requires.extend(limits::required_by_temperature(self.temperature, self.top_p));
        // The user's last message is the start of the running turn.
        let in_running_turn = self.signed.is_some_and(|signed| self.history.last_user.is_none_or(|user| user < signed));
        self.require_if(in_running_turn, Requirement::TurnSignatures);
    }

    /// Completes the summary.
    ///
    /// # Errors
    /// [`RequestError::MissingField`] if the body has no conversation.
    pub(crate) fn finish(mut self) -> Result<RequestSummary<'a>, RequestError> {
        if !self.conversation {
            let field = api::of(self.out.api).conversation_field();
            return Err(RequestError::MissingField { field });
        }
        self.history.use_fallback();
        self.combined_requirements();
        let mut out = self.out;
        out.auxiliary_call = self.signs.classify(RequestProperties {
            has_tools: out.needs.tools || out.tool_calls_in_history,
            max_output: out.max_output,
            characters: out.prompt.characters,
            last_message: self.history.messages.last().map(|message| message.text.as_ref()),
        });
        out.identity.client = self.history.aider.then_some("aider");
        out.continues_turn = self.history.continues;
        out.call_ids = api::of(out.api).has_call_ids().then_some(self.calls);
        out.tool_results = self.history.results;
        out.offsets.last_user = self.history.last_user;
        out.last_message_has_images = self.history.messages.last().is_some_and(|message| message.has_images);
        let first = self.history.messages.first().map(|message| message.text.as_ref());
        out.conversation_hash =
            conversation_hash(out.api, self.first_system.unwrap_or_default(), first.unwrap_or_default());
        out.user_messages = self.history.messages;
        Ok(out)
    }
}

/// Hashes API, system prompt and first message, to identify sessions without ids.
fn conversation_hash(api: WireApi, system: &str, message: &str) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(api.name().as_bytes());
    for text in [system, message] {
        let bytes = text.as_bytes();
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes.get(..OPENING_BYTES).unwrap_or(bytes));
    }
    let hash = *hasher.finalize().as_bytes();
    let mut start = [0; 16];
    for (to, from) in start.iter_mut().zip(hash) {
        *to = from;
    }
    start
}

/// Returns the string of a member; empty if it is missing or of another type.
pub(crate) fn string_or_empty<'a>(value: Option<&Value<'a>>) -> Cow<'a, str> {
    value.and_then(Value::string).unwrap_or_default()
}

/// Returns the `type` of an object; empty if it has none.
pub(crate) fn type_of<'a>(object: &Value<'a>) -> Cow<'a, str> {
    string_or_empty(object.get("type").as_ref())
}
