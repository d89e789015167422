//! [`PolicySection`], a block of the policy file that another crate interprets.

use serde_json::{Map, Value};

use super::{load::Loader, problem::Problem};
use crate::yaml::{FilePosition, YamlNode, YamlValue, is_null};

/// A block of the policy file that another crate interprets, as JSON. Numbers with decimals are texts, so that they stay
/// exact.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicySection {
    /// The name of the block.
    name: &'static str,
    /// Its position in the file.
    mark: FilePosition,
    /// Its content.
    value: Value,
}

impl PolicySection {
    /// Returns the content of the block.
    pub const fn value(&self) -> &Value {
        &self.value
    }

    /// Creates a problem at the position of the block.
    pub fn problem(&self, message: &str) -> Problem {
        let FilePosition { line, column } = self.mark;
        Problem { line, column, message: format!("`{}`: {message}", self.name) }
    }
}

impl Loader<'_> {
    /// Converts a block to JSON. Reports repeated keys and keys that are not texts.
    pub(super) fn parse_section(&mut self, node: &YamlNode<'_>, name: &'static str) -> PolicySection {
        PolicySection { name, mark: node.mark, value: self.convert(node) }
    }

    /// Converts a YAML value to JSON. Plain booleans and integers keep their type; other scalars become strings.
    fn convert(&mut self, node: &YamlNode<'_>) -> Value {
        match &node.value {
            YamlValue::Scalar { text, plain: true } if is_null(text) => Value::Null,
            YamlValue::Scalar { text, plain: true } => match (text.parse::<bool>(), text.parse::<u64>()) {
                (Ok(boolean), _) => Value::Bool(boolean),
                (_, Ok(number)) => Value::from(number),
                _ => Value::from(text.as_ref()),
            },
            YamlValue::Scalar { text, plain: false } => Value::from(text.as_ref()),
            YamlValue::List(items) => items.iter().map(|item| self.convert(item)).collect(),
            YamlValue::Map(members) => {
                let mut object = Map::new();
                for (key, value) in members {
                    let YamlValue::Scalar { text, .. } = &key.value else {
                        self.problems.report(key.mark, "a key must be a text");
                        continue;
                    };
                    let value = self.convert(value);
                    if object.insert(text.clone().into_owned(), value).is_some() {
                        self.problems.report(key.mark, format!("`{text}` is repeated"));
                    }
                }
                Value::Object(object)
            }
        }
    }
}
