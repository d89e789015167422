//! What each wire API's fields mean for carrying a request over to another API: the tables that reading and converting
//! share.
//!
//! A field that is in no table is [`Requirement::Native`]: only its own API can be trusted with it. One without an
//! entry of its own under "by value" is judged by its name alone; `null` never requires anything.

use contracts::{Requirement, WireApi};

/// What a field means for an API that does not have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// It can be said in every API, or says nothing about the answer.
    Plain,
    /// What it requires depends on its value; whoever reads it knows.
    ByValue,
    /// It requires this, whatever its value.
    Requires(Requirement),
}

/// A field by its name.
pub(crate) type Field = (&'static str, Meaning);

/// The fields of one kind of object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields(&'static [Field]);

impl Fields {
    /// The place of a field in the table, its name and its meaning.
    pub(crate) fn find(self, name: &str) -> Option<(usize, Field)> {
        self.0.iter().copied().enumerate().find(|(_, (known, _))| *known == name)
    }
}

/// The objects that a request is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The body itself.
    Body,
    /// A message, or an item of Responses that is one, or a content of Gemini.
    Message,
    /// A piece of a message's content.
    Part,
    /// The definition of a tool.
    Tool,
    /// What the body says about generating: `generationConfig`.
    Generation,
    /// An item of Responses that is no message: calls, results, reasoning.
    Item,
}

/// The table for a place in the requests of an API.
pub(crate) fn fields(api: WireApi, place: Place) -> Fields {
    Fields(crate::api::of(api).fields(place))
}

/// The first of the two names that Google's servers know a field by: `mimeType` for `mime_type`.
pub(crate) fn in_camel_case(name: &str) -> String {
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

    use super::{Place, fields};

    #[test]
    fn every_table_names_a_field_once_and_a_body_has_at_most_64() {
        let places = [Place::Body, Place::Message, Place::Part, Place::Tool, Place::Generation, Place::Item];
        for (api, place) in WireApi::ALL.into_iter().flat_map(|api| places.map(|place| (api, place))) {
            let names: Vec<_> = fields(api, place).0.iter().map(|(name, _)| *name).collect();
            assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{api} {place:?}");
            assert!(names.len() <= 64, "{api} {place:?}");
        }
    }
}
