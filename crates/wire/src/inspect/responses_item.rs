//! What an item of Responses is made of.

use crate::json::Value;

/// What one item is made of.
#[derive(Default)]
pub(super) struct Item<'a> {
    pub(super) kind: Option<Value<'a>>,
    pub(super) role: Option<Value<'a>>,
    pub(super) content: Option<Value<'a>>,
    pub(super) call: Option<Value<'a>>,
    pub(super) output: Option<Value<'a>>,
    pub(super) tools: Option<Value<'a>>,
    pub(super) name: Option<Value<'a>>,
    pub(super) arguments: Option<Value<'a>>,
    pub(super) input: Option<Value<'a>>,
    pub(super) summary: Option<Value<'a>>,
    pub(super) encrypted: bool,
    pub(super) unknown_to_message: bool,
    pub(super) unknown_to_others: bool,
}

impl Item<'_> {
    /// Whether it has members of a call.
    pub(super) const fn is_call(&self) -> bool {
        self.call.is_some() || self.name.is_some() || self.arguments.is_some() || self.input.is_some()
    }

    /// Whether it has members of a result, or of what brings tools.
    pub(super) const fn is_result(&self) -> bool {
        self.output.is_some() || self.tools.is_some()
    }

    /// Whether it has members of reasoning.
    pub(super) const fn is_reasoning(&self) -> bool {
        self.summary.is_some() || self.encrypted
    }
}
