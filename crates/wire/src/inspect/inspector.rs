//! What has been read of a body so far, and what all four APIs read alike.

use std::{borrow::Cow, collections::BTreeSet};

use client_formats::{
    auxiliary_call::{Evidence, RequestProperties},
    client,
};
use contracts::{Needs, Requirement, WireApi};

use super::{
    history::{Draft, History},
    workspace,
};
use crate::{
    api,
    fields::{Meaning, Place, fields},
    json::{Cursor, Kind, Text, Value},
    limits,
    request::{Identity, Inspected, Places, PromptCounts, RequestError},
};

/// How much of a text goes into [`Inspected::opening`], in bytes.
const OPENING_BYTES: usize = 4096;

/// Who has said more than white space.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// Anybody but the system.
    pub(crate) anybody: bool,
    /// The system, since it was last asked for.
    pub(crate) system: bool,
}

/// A body that is being read.
pub(crate) struct Reading<'a> {
    pub(crate) out: Inspected<'a>,
    pub(crate) history: History<'a>,
    pub(crate) signs: Evidence,
    /// The first text of a system prompt.
    first_system: Option<&'a str>,
    /// The list of messages was there.
    pub(crate) conversation: bool,
    /// The index of the message, item or content that is being read.
    pub(crate) index: usize,
    /// The index of the last one with thinking that its model signed.
    signed: Option<usize>,
    /// Whether the answer is to be JSON, and whether there is a schema for it; where an API says both apart.
    pub(crate) json: (bool, bool),
    /// Whether the last word is the model's.
    pub(crate) ends_with_model: bool,
    /// Whether no more than one tool may be called at a time.
    pub(crate) one_tool_at_a_time: bool,
    pub(crate) temperature: Option<f64>,
    pub(crate) top_p: Option<f64>,
    pub(crate) heard: Heard,
    /// The ids of the calls so far, and of those that a result was for.
    calls: BTreeSet<Cow<'a, str>>,
    /// Id and function of the calls without a result so far, where results may name the function alone.
    pub(crate) unanswered: Vec<(Option<Cow<'a, str>>, Cow<'a, str>)>,
}

impl<'a> Reading<'a> {
    pub(crate) fn new(api: WireApi, start: usize) -> Self {
        let out = Inspected {
            api,
            model: None,
            model_span: None,
            stream: false,
            asks_usage: false,
            user_messages: Vec::new(),
            continues: false,
            tool_results: Vec::new(),
            tool_calls_in_history: false,
            calls: None,
            needs: Needs::default(),
            message_has_images: false,
            requires: BTreeSet::new(),
            prompt: PromptCounts::default(),
            side: None,
            identity: Identity::default(),
            opening: [0; 16],
            max_output: None,
            places: Places { start, ..Places::default() },
        };
        Self {
            out,
            history: History::default(),
            signs: Evidence::default(),
            first_system: None,
            conversation: false,
            index: 0,
            signed: None,
            json: (false, false),
            ends_with_model: false,
            one_tool_at_a_time: false,
            temperature: None,
            top_p: None,
            heard: Heard::default(),
            calls: BTreeSet::new(),
            unanswered: Vec::new(),
        }
    }

    pub(crate) fn requires(&mut self, requirement: Requirement) {
        if requirement == Requirement::Signatures {
            self.signed = Some(self.index);
        }
        self.out.requires.insert(requirement);
    }

    pub(crate) fn requires_if(&mut self, condition: bool, requirement: Requirement) {
        if condition {
            self.requires(requirement);
        }
    }

    /// Judges a member that nothing else is known to be done with; passes over its value.
    pub(crate) fn other(&mut self, cursor: &mut Cursor<'a>, place: Place, name: &str) -> Result<(), RequestError> {
        let value = cursor.value()?;
        self.judge(place, name, &value);
        Ok(())
    }

    /// Judges a member by its name.
    pub(crate) fn judge(&mut self, place: Place, name: &str, value: &Value<'a>) {
        match fields(self.out.api, place).find(name) {
            Some((_, (_, Meaning::Plain))) => {}
            Some(_) if value.is_null() => {}
            Some((_, (_, Meaning::Requires(requirement)))) => self.requires(requirement),
            // A value that its reader did not take as one it knows.
            Some((_, (_, Meaning::ByValue))) | None => self.requires(Requirement::Native),
        }
    }

    /// Reads the model's name.
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
            self.out.stream = value.boolean().ok_or(expected)?;
        }
        Ok(())
    }

    /// Reads a service tier: only the usual one can be had everywhere.
    pub(crate) fn service_tier(&mut self, value: &Value<'a>) {
        let usual = value.is_null() || matches!(value.string().as_deref(), Some("auto" | "default"));
        self.requires_if(!usual, Requirement::Native);
    }

    /// A wish how hard to think; the word may be one that asks for no thinking, or for nothing special.
    pub(crate) fn effort(&mut self, wish: Option<&Value<'a>>) {
        const NO_WISHES: [&str; 3] = ["", "none", "off"];
        let Some(wish) = wish else { return };
        self.of_kind(Kind::String, wish);
        let Some(word) = wish.string() else { return };
        let wished = !NO_WISHES.iter().any(|nothing| word.eq_ignore_ascii_case(nothing));
        self.requires_if(wished, Requirement::Effort);
        self.out.requires.extend(limits::of_effort(&word));
    }

    /// A text of the system prompt, or of a system message later on.
    pub(crate) fn system(&mut self, text: Text<'a>) {
        self.heard.system |= !limits::is_blank(&text.decoded());
        self.out.prompt.characters += text.characters();
        self.out.needs.system_prompt = true;
        if text.raw.starts_with(client::BILLING_START) {
            self.out.identity.subagent |= client::is_billing_of_subagent(text.raw);
            return;
        }
        self.signs.add_system_prompt(text.raw);
        if self.first_system.is_none() {
            self.first_system = Some(text.raw);
            self.history.aider = client::is_aider_prompt(text.raw);
        }
        self.workspace(text);
    }

    /// Looks for the client's directory in what the client wrote.
    pub(crate) fn workspace(&mut self, text: Text<'a>) {
        if self.out.identity.workspace.is_none() {
            self.out.identity.workspace = workspace::find(self.out.api, text.raw);
        }
    }

    /// A message of the role `user`, or of the role `tool`.
    pub(crate) fn said(&mut self, index: usize, draft: &Draft<'a>) {
        if self.out.identity.workspace.is_none() {
            for text in draft.injected() {
                self.workspace(text);
            }
        }
        // A message of nothing is not sent to every API.
        self.ends_with_model &= !self.heard(draft);
        self.history.said(index, draft);
    }

    /// Reads the schema of the response.
    pub(crate) fn schema(&mut self, schema: &Value<'a>) {
        let properties = schema.get("properties");
        let names: Vec<_> = properties.iter().flat_map(Value::members).filter_map(|(name, _)| name.string()).collect();
        self.signs.set_response_properties(&names);
    }

    /// Whether there is more in a message than white space; somebody then said something.
    pub(crate) fn heard(&mut self, draft: &Draft<'a>) -> bool {
        let says_something = !draft.results.is_empty()
            || draft.images
            || draft.texts.iter().any(|text| !limits::is_blank(&text.decoded()));
        self.heard.anybody |= says_something;
        says_something
    }

    /// A message, a call or thinking of the model.
    pub(crate) fn answered(&mut self) {
        self.ends_with_model = true;
        self.history.answered();
    }

    /// A call of the model, by its id where its API has ids.
    pub(crate) fn called(&mut self, id: Option<&Value<'a>>) {
        self.out.tool_calls_in_history = true;
        self.heard.anybody = true;
        self.calls.extend(id.and_then(Value::string));
    }

    /// The result of a call.
    pub(crate) fn returned(&mut self, id: Option<&Value<'a>>) {
        self.needed_text(id);
        let Some(id) = id.and_then(Value::string) else { return };
        let is_new = self.calls.insert(id);
        self.requires_if(is_new, Requirement::ResultWithoutCall);
    }

    pub(crate) fn image(&mut self) {
        self.out.needs.images = true;
        self.out.prompt.images += 1;
    }

    /// What only several members together require.
    fn require_by_the_whole(&mut self) {
        let (wants_json, has_schema) = self.json;
        self.requires_if(wants_json && !has_schema, Requirement::JsonObject);
        self.requires_if(has_schema && !wants_json, Requirement::Native);
        self.requires_if(self.one_tool_at_a_time && self.out.needs.tools, Requirement::OneToolAtATime);
        self.requires_if(self.ends_with_model, Requirement::Prefill);
        self.requires_if(!self.heard.anybody, Requirement::SystemAlone);
        self.out.requires.extend(limits::of_temperature(self.temperature, self.top_p));
        // What the user wrote last began the running turn.
        let turn_event = self.signed.is_some_and(|signed| self.history.last_user.is_none_or(|user| user < signed));
        self.requires_if(turn_event, Requirement::TurnSignatures);
    }

    /// What was read, put together.
    pub(crate) fn finish(mut self) -> Result<Inspected<'a>, RequestError> {
        if !self.conversation {
            let field = api::of(self.out.api).conversation_field();
            return Err(RequestError::Missing { field });
        }
        self.history.settle();
        self.require_by_the_whole();
        let mut out = self.out;
        out.side = self.signs.classify(RequestProperties {
            has_tools: out.needs.tools || out.tool_calls_in_history,
            max_output: out.max_output,
            characters: out.prompt.characters,
            last_message: self.history.messages.last().map(|message| message.text.as_ref()),
        });
        out.identity.client = self.history.aider.then_some("aider");
        out.continues = self.history.continues;
        out.calls = api::of(out.api).has_call_ids().then_some(self.calls);
        out.tool_results = self.history.results;
        out.places.last_user = self.history.last_user;
        out.message_has_images = self.history.messages.last().is_some_and(|message| message.images);
        let first = self.history.messages.first().map(|message| message.text.as_ref());
        out.opening = opening(out.api, self.first_system.unwrap_or_default(), first.unwrap_or_default());
        out.user_messages = self.history.messages;
        Ok(out)
    }
}

/// The hash that stands for a session without ids.
fn opening(api: WireApi, system: &str, message: &str) -> [u8; 16] {
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

/// The text of a member, when it is one; an empty one otherwise.
pub(crate) fn name_of<'a>(value: Option<&Value<'a>>) -> Cow<'a, str> {
    value.and_then(Value::string).unwrap_or_default()
}

/// The `type` of an object; empty when it has none.
pub(crate) fn kind_of<'a>(object: &Value<'a>) -> Cow<'a, str> {
    name_of(object.get("type").as_ref())
}
