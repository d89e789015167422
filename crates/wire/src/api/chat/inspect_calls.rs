//! Inspects the tool calls in a message of chat completions.

use contracts::Requirement;

use crate::{
    inspect::{history::Author, inspector::Inspector},
    json::{Value, ValueKind},
};

impl<'a> Inspector<'a> {
    /// Inspects the `tool_calls` of a message in a chat completions request: records the calls, their size, and the API
    /// features that they require. Calls in a message that is not by the model make the request
    /// [`Native`](Requirement::Native) (not convertible to another API).
    pub(crate) fn inspect_chat_calls(&mut self, calls: &Value<'a>, author: Author) {
        self.expect_kind(ValueKind::Array, calls);
        for call in calls.elements() {
            self.require_if(author != Author::Model, Requirement::Native);
            let names = ["id", "index", "type", "function", "custom", "extra_content"];
            let [id, index, kind, function, custom, extra_content] = self.known_members(&call, names);
            self.record_call(id.as_ref());
            self.expect_string(id.as_ref());
            if let Some(index) = &index {
                self.expect_count(index);
            }
            // The signature of the thinking, in Google's compatible API.
            self.require_if(
                extra_content.is_some_and(|extra_content| !extra_content.is_falsy()),
                Requirement::EarlierThinking,
            );
            let (content, name, arguments) = match kind.as_ref().map(Value::string) {
                Some(Some(kind)) if kind == "custom" => {
                    self.require(Requirement::CustomTools);
                    self.require_if(function.is_some(), Requirement::Native);
                    let [name, input] =
                        custom.map(|content| self.known_members(&content, ["name", "input"])).unwrap_or_default();
                    self.expect_optional(ValueKind::String, input.as_ref());
                    (custom, name, input)
                }
                kind => {
                    let is_function = kind.is_none_or(|kind| kind.as_deref() == Some("function"));
                    self.require_if(!is_function || custom.is_some(), Requirement::Native);
                    let content = function.map(|content| self.known_members(&content, ["name", "arguments"]));
                    let [name, arguments] = content.unwrap_or_default();
                    self.inspect_arguments(arguments.as_ref());
                    (function, name, arguments)
                }
            };
            self.require_if(content.is_none(), Requirement::Native);
            self.inspect_tool_name(name.as_ref());
            let parts = [name, arguments].into_iter().flatten();
            self.summary.prompt.characters += parts.map(|part| part.characters()).sum::<u64>();
        }
    }
}
