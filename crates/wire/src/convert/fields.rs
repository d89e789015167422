//! Parses a JSON object of which every field has to be handled.

use contracts::Requirement;
use serde_json::{Map, Number, Value};

use super::{ConvertError, gate::FeatureGate};
use crate::fields::{self, FieldRule, ObjectKind, camel_case};

/// A field that no other API has: its name, a test for its default value, and the requirement of any other value.
pub(crate) type DefaultCheck = (&'static str, fn(&Value) -> bool, Requirement);

/// A JSON object that is parsed by taking its fields out. [`ObjectReader::finish`] rejects fields that were not taken.
///
/// `null` counts as absent, as it does in all APIs.
#[derive(Debug)]
pub(crate) struct ObjectReader {
    map: Map<String, Value>,
    subject: &'static str,
}

impl ObjectReader {
    pub(crate) fn new(value: Value, subject: &'static str) -> Result<Self, ConvertError> {
        match value {
            Value::Object(map) => Ok(Self { map, subject }),
            _ => Err(ConvertError::malformed(subject, "is not an object")),
        }
    }

    /// Parses an object of Google's, whose fields may be in camel case or snake case; they are taken by their
    /// camel-case name.
    pub(crate) fn new_google(value: Value, subject: &'static str) -> Result<Self, ConvertError> {
        let mut fields = Self::new(value, subject)?;
        if fields.map.keys().any(|name| name.contains('_')) {
            fields.map = fields.map.into_iter().map(|(name, value)| (camel_case(&name), value)).collect();
        }
        Ok(fields)
    }

    pub(crate) fn take(&mut self, name: &str) -> Option<Value> {
        self.map.remove(name).filter(|value| !value.is_null())
    }

    /// Takes a field, unless it has its default value.
    pub(crate) fn take_unless(&mut self, name: &str, is_default: impl FnOnce(&Value) -> bool) -> Option<Value> {
        self.take(name).filter(|value| !is_default(value))
    }

    /// Removes fields that no other API supports.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] if one does not have its default value.
    pub(crate) fn reject_unless_default(&mut self, settings: &[DefaultCheck]) -> Result<(), ConvertError> {
        for (name, is_default, requirement) in settings {
            if self.take_unless(name, is_default).is_some() {
                return Err(ConvertError::Requires(*requirement));
            }
        }
        Ok(())
    }

    pub(crate) fn take_string(&mut self, name: &str) -> Result<Option<String>, ConvertError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.malformed("has a field that should be text and is not")),
        }
    }

    pub(crate) fn take_required_string(&mut self, name: &str) -> Result<String, ConvertError> {
        self.take_string(name)?.ok_or_else(|| self.malformed("lacks a field that has to be there"))
    }

    pub(crate) fn take_bool(&mut self, name: &str) -> Result<Option<bool>, ConvertError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(_) => Err(self.malformed("has a field that should be true or false and is not")),
        }
    }

    pub(crate) fn take_number(&mut self, name: &str) -> Result<Option<Number>, ConvertError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Number(number)) => Ok(Some(number)),
            Some(_) => Err(self.malformed("has a field that should be a number and is not")),
        }
    }

    pub(crate) fn take_count(&mut self, name: &str) -> Result<Option<u64>, ConvertError> {
        self.take_number(name)?
            .map(|number| number.as_u64().ok_or_else(|| self.malformed("has a count that is not a whole number")))
            .transpose()
    }

    pub(crate) fn take_list(&mut self, name: &str) -> Result<Vec<Value>, ConvertError> {
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(values)) => Ok(values),
            Some(_) => Err(self.malformed("has a field that should be a list and is not")),
        }
    }

    pub(crate) fn take_object(&mut self, name: &str, subject: &'static str) -> Result<Option<Self>, ConvertError> {
        self.take(name).map(|value| Self::new(value, subject)).transpose()
    }

    /// Checks that no field is left.
    pub(crate) fn finish(self) -> Result<(), ConvertError> {
        if self.is_empty() { Ok(()) } else { Err(ConvertError::Requires(Requirement::Native)) }
    }

    /// Handles the remaining fields by the table of known fields: each is ignored, dropped or an error.
    pub(crate) fn finish_known(self, kind: ObjectKind, gate: &mut FeatureGate<'_>) -> Result<(), ConvertError> {
        let known = fields::fields(gate.from(), kind);
        let ignorable = crate::api::of(gate.from()).ignorable_fields(kind);
        for (name, _) in self.map.iter().filter(|(_, value)| !value.is_null()) {
            if ignorable.iter().any(|(ignored, _)| ignored == name) {
                continue;
            }
            match known.find(name) {
                Some((_, (_, FieldRule::Requires(requirement)))) => gate.drop_feature(requirement)?,
                _ => return Err(ConvertError::Requires(Requirement::Native)),
            }
        }
        Ok(())
    }

    /// Whether no field is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.map.values().all(Value::is_null)
    }

    pub(crate) const fn malformed(&self, problem: &'static str) -> ConvertError {
        ConvertError::malformed(self.subject, problem)
    }
}

/// Whether a value is `null`, `false`, zero, or empty.
pub(crate) fn is_falsy(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
    }
}

/// Converts a list of JSON strings.
pub(crate) fn into_strings(values: Vec<Value>, subject: &'static str) -> Result<Vec<String>, ConvertError> {
    let text = |value| match value {
        Value::String(text) => Ok(text),
        _ => Err(ConvertError::malformed(subject, "is not a text")),
    };
    values.into_iter().map(text).collect()
}

/// Rejects numbers that parsing has rounded: integers beyond 64 bits, of which the last digits are lost.
pub(crate) fn reject_inexact_numbers(value: &Value) -> Result<(), ConvertError> {
    /// 2^53, from which on not every integer is a double.
    const FIRST_INEXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) if number.is_f64() && number.as_f64().is_some_and(|it| it.abs() >= FIRST_INEXACT) => {
            Err(ConvertError::Requires(Requirement::ExactBytes))
        }
        Value::Array(values) => values.iter().try_for_each(reject_inexact_numbers),
        Value::Object(map) => map.values().try_for_each(reject_inexact_numbers),
        _ => Ok(()),
    }
}
