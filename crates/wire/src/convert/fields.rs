//! Parses JSON objects whose fields must all be handled, so that a conversion loses no field unnoticed.

use contracts::Requirement;
use serde_json::{Map, Number, Value};

use super::{ConvertError, gate::FeatureGate};
use crate::fields::{self, FieldRule, ObjectKind, camel_case};

/// A field that no other API has: its name, a function that returns whether a value is the default, and the requirement
/// of any other value.
pub(crate) type DefaultCheck = (&'static str, fn(&Value) -> bool, Requirement);

/// Parses a JSON object by taking out one field after the other, so that no field is overlooked:
/// [`ObjectReader::finish`] fails if any field was not taken.
///
/// A field with the value `null` counts as missing, as it does in all APIs.
#[derive(Debug)]
pub(crate) struct ObjectReader {
    /// The fields that were not taken yet.
    map: Map<String, Value>,
    /// The name of the object in error messages, such as `a message`.
    subject: &'static str,
}

impl ObjectReader {
    /// Creates a reader for a JSON object; `subject` is its name in errors.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the value is not an object.
    pub(crate) fn new(value: Value, subject: &'static str) -> Result<Self, ConvertError> {
        match value {
            Value::Object(map) => Ok(Self { map, subject }),
            _ => Err(ConvertError::malformed(subject, "is not an object")),
        }
    }

    /// Creates a reader for an object of Google's APIs. Its fields may be in camel case or snake case; they are taken
    /// by their camel-case name.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the value is not an object.
    pub(crate) fn new_google(value: Value, subject: &'static str) -> Result<Self, ConvertError> {
        let mut fields = Self::new(value, subject)?;
        if fields.map.keys().any(|name| name.contains('_')) {
            fields.map = fields.map.into_iter().map(|(name, value)| (camel_case(&name), value)).collect();
        }
        Ok(fields)
    }

    /// Takes a field of any type; `None` if it is missing.
    pub(crate) fn take(&mut self, name: &str) -> Option<Value> {
        self.map.remove(name).filter(|value| !value.is_null())
    }

    /// Takes a field of any type; `None` if it is missing or `is_default` returns true for it.
    pub(crate) fn take_unless(&mut self, name: &str, is_default: impl FnOnce(&Value) -> bool) -> Option<Value> {
        self.take(name).filter(|value| !is_default(value))
    }

    /// Takes fields that no other API supports and that may only have their default values.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] with the requirement of the first field that has another value.
    pub(crate) fn reject_unless_default(&mut self, settings: &[DefaultCheck]) -> Result<(), ConvertError> {
        for (name, is_default, requirement) in settings {
            if self.take_unless(name, is_default).is_some() {
                return Err(ConvertError::Requires(*requirement));
            }
        }
        Ok(())
    }

    /// Takes a string; `None` if it is missing.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the field has another type.
    pub(crate) fn take_string(&mut self, name: &str) -> Result<Option<String>, ConvertError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.malformed("has a field that should be text and is not")),
        }
    }

    /// Takes a string.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the field is missing or has another type.
    pub(crate) fn take_required_string(&mut self, name: &str) -> Result<String, ConvertError> {
        self.take_string(name)?.ok_or_else(|| self.malformed("lacks a field that has to be there"))
    }

    /// Takes a boolean; `None` if it is missing.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the field has another type.
    pub(crate) fn take_bool(&mut self, name: &str) -> Result<Option<bool>, ConvertError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(_) => Err(self.malformed("has a field that should be true or false and is not")),
        }
    }

    /// Takes a number; `None` if it is missing.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the field has another type.
    pub(crate) fn take_number(&mut self, name: &str) -> Result<Option<Number>, ConvertError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Number(number)) => Ok(Some(number)),
            Some(_) => Err(self.malformed("has a field that should be a number and is not")),
        }
    }

    /// Takes a non-negative integer; `None` if it is missing.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the field has another type or value.
    pub(crate) fn take_count(&mut self, name: &str) -> Result<Option<u64>, ConvertError> {
        self.take_number(name)?
            .map(|number| number.as_u64().ok_or_else(|| self.malformed("has a count that is not a whole number")))
            .transpose()
    }

    /// Takes a list; empty if it is missing.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the field has another type.
    pub(crate) fn take_list(&mut self, name: &str) -> Result<Vec<Value>, ConvertError> {
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(values)) => Ok(values),
            Some(_) => Err(self.malformed("has a field that should be a list and is not")),
        }
    }

    /// Takes an object and returns a reader for it; `None` if it is missing. `subject` is its name in errors.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the field has another type.
    pub(crate) fn take_object(&mut self, name: &str, subject: &'static str) -> Result<Option<Self>, ConvertError> {
        self.take(name).map(|value| Self::new(value, subject)).transpose()
    }

    /// Checks that all fields were taken.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] with [`Requirement::Native`] if a field is left, because no other API has it.
    pub(crate) fn finish(self) -> Result<(), ConvertError> {
        if self.is_empty() { Ok(()) } else { Err(ConvertError::Requires(Requirement::Native)) }
    }

    /// Handles the fields that were not taken, according to the client API's table of known fields for this kind of
    /// object: each is ignored, or dropped as the feature that it requires.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] if a field is unknown, or if its feature may not be dropped.
    pub(crate) fn finish_known(self, kind: ObjectKind, gate: &mut FeatureGate<'_>) -> Result<(), ConvertError> {
        let known_fields = fields::fields(gate.from(), kind);
        let ignorable = crate::api::implementation(gate.from()).ignorable_fields(kind);
        for (name, _) in self.map.iter().filter(|(_, value)| !value.is_null()) {
            if ignorable.iter().any(|(ignorable_name, _)| ignorable_name == name) {
                continue;
            }
            match known_fields.find(name) {
                Some((_, (_, FieldRule::Requires(requirement)))) => gate.drop_feature(requirement)?,
                _ => return Err(ConvertError::Requires(Requirement::Native)),
            }
        }
        Ok(())
    }

    /// Returns whether all fields were taken; fields with the value `null` count as taken.
    pub(crate) fn is_empty(&self) -> bool {
        self.map.values().all(Value::is_null)
    }

    /// Returns [`ConvertError::Malformed`] about this object. `problem` is a predicate such as `is not an object`.
    pub(crate) const fn malformed(&self, problem: &'static str) -> ConvertError {
        ConvertError::malformed(self.subject, problem)
    }
}

/// Returns whether a JSON value is `null`, `false`, zero or empty, which many APIs treat as a default.
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

/// Converts a list of JSON strings to strings; `subject` names an element in errors.
///
/// # Errors
/// [`ConvertError::Malformed`] if an element is not a string.
pub(crate) fn into_strings(values: Vec<Value>, subject: &'static str) -> Result<Vec<String>, ConvertError> {
    let text = |value| match value {
        Value::String(text) => Ok(text),
        _ => Err(ConvertError::malformed(subject, "is not a text")),
    };
    values.into_iter().map(text).collect()
}

/// Checks that a value contains no number that parsing may have rounded: a number of 2^53 or more that is not an
/// integer of at most 64 bits.
///
/// # Errors
/// [`ConvertError::Requires`] with [`Requirement::ExactBytes`] if it does.
pub(crate) fn reject_inexact_numbers(value: &Value) -> Result<(), ConvertError> {
    /// 2^53: from here on, not every integer can be represented as a double.
    const FIRST_INEXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number)
            if number.is_f64() && number.as_f64().is_some_and(|double| double.abs() >= FIRST_INEXACT) =>
        {
            Err(ConvertError::Requires(Requirement::ExactBytes))
        }
        Value::Array(values) => values.iter().try_for_each(reject_inexact_numbers),
        Value::Object(map) => map.values().try_for_each(reject_inexact_numbers),
        _ => Ok(()),
    }
}
