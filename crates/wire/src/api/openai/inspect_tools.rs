//! Inspects tool definitions and the tool choice in both `OpenAI` APIs.

use contracts::{Requirement, WireApi};

use crate::inspect::inspector::{Reading, kind_of, name_of};
use crate::{
    fields::{Place, fields},
    json::{Cursor, Kind, Value},
    request::RequestError,
};

impl<'a> Reading<'a> {
    /// Reads the list of tool definitions.
    pub(crate) fn openai_tools(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        self.each_tool(cursor, |reading, cursor, mut members| {
            let mut tool = Tool::default();
            let responses = reading.out.api == WireApi::OpenAiResponses;
            while let Some(name) = members.next(cursor)? {
                let value = cursor.value()?;
                match name.as_ref() {
                    _ if value.is_null() => {}
                    "type" => tool.kind = Some(value),
                    "function" if !responses => tool.function = Some(value),
                    "custom" if !responses => tool.custom = Some(value),
                    "name" if responses => tool.name = Some(value),
                    "description" if responses => tool.description = Some(value),
                    "strict" if responses => tool.strict = Some(value),
                    "parameters" if responses => tool.parameters = true,
                    "format" if responses => tool.format = Some(value),
                    "defer_loading" if responses => {
                        reading.requires_if(!value.is_nothing(), Requirement::ServerTools);
                    }
                    "cache_control" => reading.judge(Place::Tool, &name, &value),
                    "tools" => {
                        tool.unknown = true;
                        reading.grouped(&value);
                    }
                    _ => tool.unknown |= fields(reading.out.api, Place::Tool).find(&name).is_none(),
                }
            }
            match name_of(tool.kind.as_ref()).as_ref() {
                "function" => reading.function(&tool),
                "custom" => {
                    reading.requires(Requirement::CustomTools);
                    reading.custom(&tool);
                }
                // Functions in groups, which are called by two names.
                "namespace" => reading.requires(Requirement::Native),
                // Its other members are the provider's own business.
                _ => reading.requires(Requirement::ServerTools),
            }
            Ok(())
        })
    }

    /// Reads the tools of a namespace.
    fn grouped(&mut self, tools: &Value<'a>) {
        for tool in tools.elements() {
            self.requires_if(kind_of(&tool) == "custom", Requirement::CustomTools);
        }
    }

    fn function(&mut self, tool: &Tool<'a>) {
        let own = if self.out.api == WireApi::OpenAiResponses {
            self.requires_if(tool.format.is_some(), Requirement::Native);
            Some([tool.name, tool.description, None, tool.strict])
        } else {
            self.requires_if(tool.custom.is_some(), Requirement::Native);
            let names = ["name", "description", "parameters", "strict"];
            tool.function.map(|function| self.only(&function, names))
        };
        let [name, description, _, strict] = own.unwrap_or_default();
        self.requires_if(tool.unknown, Requirement::Native);
        self.tool_name(name.as_ref());
        self.perhaps(Kind::String, description.as_ref());
        if let Some(strict) = &strict {
            self.flag(strict);
        }
    }

    fn custom(&mut self, tool: &Tool<'a>) {
        let responses = self.out.api == WireApi::OpenAiResponses;
        let own = if responses {
            self.requires_if(tool.parameters || tool.strict.is_some(), Requirement::Native);
            Some([tool.name, tool.description, tool.format])
        } else {
            self.requires_if(tool.function.is_some(), Requirement::Native);
            tool.custom.map(|custom| self.only(&custom, ["name", "description", "format"]))
        };
        let [name, description, format] = own.unwrap_or_default();
        self.requires_if(tool.unknown, Requirement::Native);
        self.tool_name(name.as_ref());
        self.perhaps(Kind::String, description.as_ref());
        let Some(format) = format else { return };
        let is_grammar = if responses {
            let [kind, syntax, definition] = self.only(&format, ["type", "syntax", "definition"]);
            let (kind, has_more) = (name_of(kind.as_ref()), syntax.is_some() || definition.is_some());
            kind == "grammar" || (kind == "text" && !has_more)
        } else {
            let [kind, grammar] = self.only(&format, ["type", "grammar"]);
            let has_grammar = grammar.is_some();
            if let Some(grammar) = &grammar {
                self.only(grammar, ["syntax", "definition"]);
            }
            name_of(kind.as_ref()) == if has_grammar { "grammar" } else { "text" }
        };
        self.requires_if(!is_grammar, Requirement::Native);
    }

    /// Reads the tool choice: a keyword, or the name of a tool.
    pub(crate) fn openai_tool_choice(&mut self, choice: &Value<'a>) {
        if choice.is_null() {
            return;
        }
        if let Some(word) = choice.string() {
            return self.requires_if(!matches!(word.as_ref(), "auto" | "required" | "none"), Requirement::Native);
        }
        let kind = kind_of(choice);
        self.requires_if(!matches!(kind.as_ref(), "function" | "custom"), Requirement::Native);
        let name = if self.out.api == WireApi::OpenAiResponses {
            let [_, name] = self.only(choice, ["type", "name"]);
            name
        } else {
            let [_, named] = self.only(choice, ["type", kind.as_ref()]);
            named.and_then(|named| {
                let [name] = self.only(&named, ["name"]);
                name
            })
        };
        self.needed_text(name.as_ref());
    }
}

/// The members of one tool definition.
#[derive(Default)]
struct Tool<'a> {
    kind: Option<Value<'a>>,
    function: Option<Value<'a>>,
    custom: Option<Value<'a>>,
    name: Option<Value<'a>>,
    description: Option<Value<'a>>,
    strict: Option<Value<'a>>,
    parameters: bool,
    format: Option<Value<'a>>,
    unknown: bool,
}
