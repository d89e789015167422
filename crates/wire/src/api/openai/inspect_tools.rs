//! Inspects tool definitions and the tool choice in both `OpenAI` APIs.

use contracts::{Requirement, WireApi};

use crate::inspect::inspector::{Inspector, string_or_empty, type_of};
use crate::{
    fields::{ObjectKind, fields},
    json::{Cursor, Value, ValueKind},
    request_summary::RequestError,
};

impl<'a> Inspector<'a> {
    /// Inspects the list of tool definitions in `OpenAI`'s APIs: counts the tools and records the API features that
    /// they require. Types other than functions, custom tools and namespaces are tools of the provider. `cursor` is
    /// before the list.
    ///
    /// # Errors
    /// [`RequestError`] if the list is not valid JSON.
    pub(crate) fn inspect_openai_tools(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        self.each_tool(cursor, |inspector, cursor, mut members| {
            let mut tool = Tool::default();
            let is_responses = inspector.summary.api == WireApi::OpenAiResponses;
            while let Some(name) = members.next(cursor)? {
                let value = cursor.read_value()?;
                match name.as_ref() {
                    _ if value.is_null() => {}
                    "type" => tool.kind = Some(value),
                    "function" if !is_responses => tool.function = Some(value),
                    "custom" if !is_responses => tool.custom = Some(value),
                    "name" if is_responses => tool.name = Some(value),
                    "description" if is_responses => tool.description = Some(value),
                    "strict" if is_responses => tool.strict = Some(value),
                    "parameters" if is_responses => tool.has_parameters = true,
                    "format" if is_responses => tool.format = Some(value),
                    "defer_loading" if is_responses => {
                        inspector.require_if(!value.is_falsy(), Requirement::ServerTools);
                    }
                    "cache_control" => inspector.classify_field(ObjectKind::Tool, &name, &value),
                    "tools" => {
                        tool.has_unknown = true;
                        inspector.inspect_namespace_tools(&value);
                    }
                    _ => tool.has_unknown |= fields(inspector.summary.api, ObjectKind::Tool).find(&name).is_none(),
                }
            }
            match string_or_empty(tool.kind.as_ref()).as_ref() {
                "function" => inspector.inspect_function_tool(&tool),
                "custom" => {
                    inspector.require(Requirement::CustomTools);
                    inspector.inspect_custom_tool(&tool);
                }
                // Groups of functions, which are called by group and name.
                "namespace" => inspector.require(Requirement::Native),
                // The provider's own tools may have any other members.
                kind => inspector.add_server_tool(kind),
            }
            Ok(())
        })
    }

    /// Records the requirement of the custom tools in a namespace of the Responses API, which is a group of tools.
    fn inspect_namespace_tools(&mut self, tools: &Value<'a>) {
        for tool in tools.elements() {
            self.require_if(type_of(&tool) == "custom", Requirement::CustomTools);
        }
    }

    /// Records the API features that the definition of a function requires in `OpenAI`'s APIs. Unknown members, and
    /// values of unexpected types, make the request [`Native`](Requirement::Native) (not convertible to another API).
    fn inspect_function_tool(&mut self, tool: &Tool<'a>) {
        let members = if self.summary.api == WireApi::OpenAiResponses {
            self.require_if(tool.format.is_some(), Requirement::Native);
            Some([tool.name, tool.description, None, tool.strict])
        } else {
            self.require_if(tool.custom.is_some(), Requirement::Native);
            let names = ["name", "description", "parameters", "strict"];
            tool.function.map(|function| self.known_members(&function, names))
        };
        let [name, description, _, strict] = members.unwrap_or_default();
        self.require_if(tool.has_unknown, Requirement::Native);
        self.inspect_tool_name(name.as_ref());
        self.expect_optional(ValueKind::String, description.as_ref());
        if let Some(strict) = &strict {
            self.expect_bool(strict);
        }
    }

    /// Records the API features that the definition of a custom tool requires in `OpenAI`'s APIs. Its input format is
    /// any text or a grammar; other formats make the request [`Native`](Requirement::Native) (not convertible to
    /// another API).
    fn inspect_custom_tool(&mut self, tool: &Tool<'a>) {
        let is_responses = self.summary.api == WireApi::OpenAiResponses;
        let members = if is_responses {
            self.require_if(tool.has_parameters || tool.strict.is_some(), Requirement::Native);
            Some([tool.name, tool.description, tool.format])
        } else {
            self.require_if(tool.function.is_some(), Requirement::Native);
            tool.custom.map(|custom| self.known_members(&custom, ["name", "description", "format"]))
        };
        let [name, description, format] = members.unwrap_or_default();
        self.require_if(tool.has_unknown, Requirement::Native);
        self.inspect_tool_name(name.as_ref());
        self.expect_optional(ValueKind::String, description.as_ref());
        let Some(format) = format else { return };
        let is_known_format = if is_responses {
            let [kind, syntax, definition] = self.known_members(&format, ["type", "syntax", "definition"]);
            let (kind, has_more) = (string_or_empty(kind.as_ref()), syntax.is_some() || definition.is_some());
            kind == "grammar" || (kind == "text" && !has_more)
        } else {
            let [kind, grammar] = self.known_members(&format, ["type", "grammar"]);
            let has_grammar = grammar.is_some();
            if let Some(grammar) = &grammar {
                self.known_members(grammar, ["syntax", "definition"]);
            }
            string_or_empty(kind.as_ref()) == if has_grammar { "grammar" } else { "text" }
        };
        self.require_if(!is_known_format, Requirement::Native);
    }

    /// Inspects the `tool_choice` of `OpenAI`'s APIs: a keyword, or an object with the type and name of a tool. Other
    /// values make the request [`Native`](Requirement::Native) (not convertible to another API).
    pub(crate) fn inspect_openai_tool_choice(&mut self, choice: &Value<'a>) {
        if choice.is_null() {
            return;
        }
        if let Some(word) = choice.string() {
            return self.require_if(!matches!(word.as_ref(), "auto" | "required" | "none"), Requirement::Native);
        }
        let kind = type_of(choice);
        self.require_if(!matches!(kind.as_ref(), "function" | "custom"), Requirement::Native);
        let name = if self.summary.api == WireApi::OpenAiResponses {
            let [_, name] = self.known_members(choice, ["type", "name"]);
            name
        } else {
            let [_, tool_object] = self.known_members(choice, ["type", kind.as_ref()]);
            tool_object.and_then(|tool_object| {
                let [name] = self.known_members(&tool_object, ["name"]);
                name
            })
        };
        self.expect_string(name.as_ref());
    }
}

/// The members of one tool definition in `OpenAI`'s APIs, collected before its type is known.
#[derive(Default)]
struct Tool<'a> {
    /// The member `type`.
    kind: Option<Value<'a>>,
    /// The member `function`, which in chat completions contains the definition.
    function: Option<Value<'a>>,
    /// The member `custom`, which in chat completions contains the definition of a custom tool.
    custom: Option<Value<'a>>,
    /// The member `name`, in Responses.
    name: Option<Value<'a>>,
    /// The member `description`, in Responses.
    description: Option<Value<'a>>,
    /// The member `strict`, in Responses.
    strict: Option<Value<'a>>,
    /// Whether the definition has `parameters`, in Responses.
    has_parameters: bool,
    /// The member `format` in Responses: the input format of a custom tool.
    format: Option<Value<'a>>,
    /// Whether the definition has a member that functions and custom tools do not have.
    has_unknown: bool,
}
