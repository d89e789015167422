//! The known fields of each API's requests, and what they require of an API that a request is converted to. Inspection
//! and conversion share these tables.
//!
//! A field that is in no table is [`Requirement::Native`]. A field whose value is `null` requires nothing.

use contracts::{Requirement, WireApi};

/// What support for a field requires of an API that a request is converted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldRule {
    /// Nothing: every API supports it, or it does not change the response.
    Supported,
    /// It depends on the value.
    ByValue,
    /// This requirement, whatever the value.
    Requires(Requirement),
}

/// The name of a field and what it requires.
pub(crate) type Field = (&'static str, FieldRule);

/// The table of known fields of one kind of object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields(&'static [Field]);

impl Fields {
    /// Returns the position of a field in the table, and its entry.
    pub(crate) fn find(self, name: &str) -> Option<(usize, Field)> {
        self.0.iter().copied().enumerate().find(|(_, (known, _))| *known == name)
    }
}

/// The kinds of objects in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    /// The body.
    Body,
    /// A message, a message item of Responses, or a content of Gemini.
    Message,
    /// A content block, or a content part.
    Part,
    /// A tool definition.
    Tool,
    /// Gemini's `generationConfig`.
    Generation,
    /// An item of Responses other than a message: a call, a result or reasoning.
    Item,
}

/// Returns the known fields of a kind of object in the requests of an API.
pub(crate) fn fields(api: WireApi, kind: ObjectKind) -> Fields {
    Fields(crate::api::of(api).fields(kind))
}

/// Converts a field name of Google's to camel case: `mime_type` to `mimeType`.
pub(crate) fn camel_case(name: &str) -> String {
    let mut after_underscore = false;
    let mut camel = String::with_capacity(name.len());
    for letter in name.trim_start_matches('_').chars() {
        if letter == '_' {
            after_underscore = true;
        } else if std::mem::take(&mut after_underscore) {
            camel.push(letter.to_ascii_uppercase());
        } else {
            camel.push(letter);
        }
    }
    camel
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use contracts::WireApi;

    use super::{ObjectKind, fields};

    #[test]
    fn every_table_names_a_field_once_and_a_body_has_at_most_64() {
        let places = [
            ObjectKind::Body,
            ObjectKind::Message,
            ObjectKind::Part,
            ObjectKind::Tool,
            ObjectKind::Generation,
            ObjectKind::Item,
        ];
        for (api, place) in WireApi::ALL.into_iter().flat_map(|api| places.map(|place| (api, place))) {
            let names: Vec<_> = fields(api, place).0.iter().map(|(name, _)| *name).collect();
            assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{api} {place:?}");
            assert!(names.len() <= 64, "{api} {place:?}");
        }
    }
}
