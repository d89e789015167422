//! The members of one item in the conversation of a Responses request.

use crate::json::Value;

/// The members of one item of a Responses request, collected before its type is known.
#[derive(Default)]
pub(crate) struct Item<'a> {
    /// The member `type`.
    pub(crate) kind: Option<Value<'a>>,
    /// The member `role` of a message.
    pub(crate) role: Option<Value<'a>>,
    /// The member `content` of a message or of reasoning.
    pub(crate) content: Option<Value<'a>>,
    /// The member `call_id` of a tool call or its result.
    pub(crate) call_id: Option<Value<'a>>,
    /// The member `output` of a tool result.
    pub(crate) output: Option<Value<'a>>,
    /// The member `tools` of an item that adds tools.
    pub(crate) tools: Option<Value<'a>>,
    /// The member `name` of a tool call.
    pub(crate) name: Option<Value<'a>>,
    /// The member `arguments` of a function call: JSON text.
    pub(crate) arguments: Option<Value<'a>>,
    /// The member `input` of a call of a custom tool: free text.
    pub(crate) input: Option<Value<'a>>,
    /// The member `summary` of reasoning.
    pub(crate) summary: Option<Value<'a>>,
    /// Whether the item has `encrypted_content`, which reasoning has.
    pub(crate) has_encrypted_content: bool,
    /// Whether the item has a member, other than those above, that message items do not have.
    pub(crate) is_unknown_to_messages: bool,
    /// Whether the item has a member, other than those above, that items other than messages do not have.
    pub(crate) is_unknown_to_other_items: bool,
}

impl Item<'_> {
    /// Returns whether the item has members of a tool call.
    pub(crate) const fn is_call(&self) -> bool {
        self.call_id.is_some() || self.name.is_some() || self.arguments.is_some() || self.input.is_some()
    }

    /// Returns whether the item has members of a tool result or of a list of tools.
    pub(crate) const fn is_result(&self) -> bool {
        self.output.is_some() || self.tools.is_some()
    }

    /// Returns whether the item has members of a reasoning item.
    pub(crate) const fn is_reasoning(&self) -> bool {
        self.summary.is_some() || self.has_encrypted_content
    }
}
