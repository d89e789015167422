//! The tables of the fields that each API's requests may have, with the requirement of each field. Inspection and
//! conversion share these tables.
//!
//! A field that is in no table is [`Requirement::Native`]. A field whose value is `null` requires nothing.

use contracts::{Requirement, WireApi};

/// The feature that a field of a request requires of the API to which the request is converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldRule {
    /// No requirement: every API supports the field, or it does not change the response.
    Supported,
    /// The requirement depends on the value; the code that reads the field decides.
    ByValue,
    /// This requirement for every value except `null`.
    Requires(Requirement),
}

/// The name of a field and the rule for its requirement.
pub(crate) type Field = (&'static str, FieldRule);

/// The table of the known fields of one kind of object in the requests of one API.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FieldTable(&'static [Field]);

impl FieldTable {
    /// Returns the position of a field in the table, and its entry; `None` if the field is unknown.
    pub(crate) fn find(self, name: &str) -> Option<(usize, Field)> {
        self.0.iter().copied().enumerate().find(|(_, (known, _))| *known == name)
    }
}

/// A kind of JSON object in a request. Each kind has a table of known fields in each API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    /// The request body.
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

/// Returns the table of known fields for a kind of object in the requests of an API.
pub(crate) fn fields(api: WireApi, kind: ObjectKind) -> FieldTable {
    FieldTable(crate::api::implementation(api).fields(kind))
}

/// Converts a field name from snake case to camel case: `mime_type` to `mimeType`. Leading underscores are removed; a
/// name in camel case is returned unchanged. Google's APIs accept both spellings.
pub(crate) fn camel_case(name: &str) -> String {
    let mut is_after_underscore = false;
    let mut camel = String::with_capacity(name.len());
    for letter in name.trim_start_matches('_').chars() {
        if letter == '_' {
            is_after_underscore = true;
        } else if std::mem::take(&mut is_after_underscore) {
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

    /// No table has a field twice. The bodies' tables have at most 64 fields, because inspection records the present
    /// ones in a 64-bit set.
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
