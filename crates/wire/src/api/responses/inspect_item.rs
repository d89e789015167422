//! The members of an item of Responses.

use crate::json::Value;

/// The members of one item of a Responses request, collected before its type is known.
#[derive(Default)]
pub(crate) struct Item<'a> {
    /// The member `type`.
    pub(crate) kind: Option<Value<'a>>,
    pub(crate) role: Option<Value<'a>>,
    pub(crate) content: Option<Value<'a>>,
    pub(crate) call_id: Option<Value<'a>>,
    pub(crate) output: Option<Value<'a>>,
    pub(crate) tools: Option<Value<'a>>,
    pub(crate) name: Option<Value<'a>>,
    pub(crate) arguments: Option<Value<'a>>,
    pub(crate) input: Option<Value<'a>>,
    pub(crate) summary: Option<Value<'a>>,
    /// Whether it has `encrypted_content`.
    pub(crate) has_encrypted_content: bool,
    /// Whether it has a member that message items do not have.
    pub(crate) unknown_to_message: bool,
    /// Whether it has a member that items other than messages do not have.
    pub(crate) unknown_to_others: bool,
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
