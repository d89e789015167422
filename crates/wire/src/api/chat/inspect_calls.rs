//! Inspects the tool calls in a message of chat completions.

use contracts::Requirement;

use crate::{
    inspect::{history::By, inspector::Reading},
    json::{Kind, Value},
};

impl<'a> Reading<'a> {
    pub(crate) fn chat_calls(&mut self, calls: &Value<'a>, by: By) {
        self.of_kind(Kind::Array, calls);
        for call in calls.elements() {
            self.requires_if(by != By::Model, Requirement::Native);
            let names = ["id", "index", "type", "function", "custom", "extra_content"];
            let [id, index, kind, function, custom, extra] = self.only(&call, names);
            self.called(id.as_ref());
            self.needed_text(id.as_ref());
            if let Some(index) = &index {
                self.count(index);
            }
            // Google's compatible API keeps the signature of the thinking here.
            self.requires_if(extra.is_some_and(|extra| !extra.is_nothing()), Requirement::Signatures);
            let (said, name, arguments) = match kind.as_ref().map(Value::string) {
                Some(Some(kind)) if kind == "custom" => {
                    self.requires(Requirement::CustomTools);
                    self.requires_if(function.is_some(), Requirement::Native);
                    let [name, input] = custom.map(|said| self.only(&said, ["name", "input"])).unwrap_or_default();
                    self.perhaps(Kind::String, input.as_ref());
                    (custom, name, input)
                }
                kind => {
                    let is_function = kind.is_none_or(|kind| kind.as_deref() == Some("function"));
                    self.requires_if(!is_function || custom.is_some(), Requirement::Native);
                    let said = function.map(|said| self.only(&said, ["name", "arguments"]));
                    let [name, arguments] = said.unwrap_or_default();
                    self.arguments(arguments.as_ref());
                    (function, name, arguments)
                }
            };
            self.requires_if(said.is_none(), Requirement::Native);
            self.tool_name(name.as_ref());
            let parts = [name, arguments].into_iter().flatten();
            self.out.prompt.characters += parts.map(|part| part.characters()).sum::<u64>();
        }
    }
}
