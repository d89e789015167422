//! Parses and merges the usage objects of responses.

use contracts::{Usage, WireApi};

/// Converts a provider's usage object, given as JSON text, to disjoint token counts; `None` if the text is not an
/// object or has no counts.
pub fn usage(api: WireApi, object: &str) -> Option<Usage> {
    crate::api::implementation(api).usage(object)
}

/// Merges two usage objects of one response, given as JSON text, and returns the JSON text of the result. Fields of
/// `later` replace those of `earlier`, unless they are `null`: Anthropic sends the input counts first and the output
/// counts later. Returns `later` unchanged if one of the two is not an object.
pub(crate) fn merge_usage_objects(earlier: &str, later: &str) -> String {
    let parse = |object: &str| serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(object);
    let (Ok(mut object), Ok(later)) = (parse(earlier), parse(later)) else { return later.to_owned() };
    object.extend(later.into_iter().filter(|(_, value)| !value.is_null()));
    serde_json::Value::from(object).to_string()
}

#[cfg(test)]
mod tests {
    use super::merge_usage_objects;

    #[test]
    fn fields_of_the_later_usage_object_take_precedence() {
        let earlier = r#"{"input_tokens":3,"output_tokens":1}"#;
        let later = r#"{"output_tokens":9,"input_tokens":null}"#;
        assert_eq!(merge_usage_objects(earlier, later), r#"{"input_tokens":3,"output_tokens":9}"#);
    }
}
