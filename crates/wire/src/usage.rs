//! Usage objects of responses.

use contracts::{Usage, WireApi};

/// Converts a usage object, as JSON, to disjoint counts; `None` if it is none or has no counts.
pub fn usage(api: WireApi, object: &str) -> Option<Usage> {
    crate::api::of(api).usage(object)
}

/// Merges two usage objects of Anthropic's in one response, as JSON: the fields of the later one take precedence, unless
/// they are `null`. Returns `later` if one of the two is not an object.
pub(crate) fn merged(earlier: &str, later: &str) -> String {
    let parse = |object: &str| serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(object);
    let (Ok(mut object), Ok(later)) = (parse(earlier), parse(later)) else { return later.to_owned() };
    object.extend(later.into_iter().filter(|(_, value)| !value.is_null()));
    serde_json::Value::from(object).to_string()
}

#[cfg(test)]
mod tests {
    use super::merged;

    #[test]
    fn fields_of_the_later_usage_object_take_precedence() {
        let earlier = r#"{"input_tokens":3,"output_tokens":1}"#;
        let later = r#"{"output_tokens":9,"input_tokens":null}"#;
        assert_eq!(merged(earlier, later), r#"{"input_tokens":3,"output_tokens":9}"#);
    }
}
