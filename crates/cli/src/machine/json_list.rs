//! Edits elements of a JSON array as text, so that all other bytes stay unchanged.

use std::ops::Range;

use serde_json::{Value, value::RawValue};

use super::{
    json_member::{cut, range_in, replace_range},
    json_style::Style,
};

/// Returns the byte range of each element of the JSON array in `text`.
///
/// # Errors
/// The parser's message if `text` is not one JSON array.
fn element_ranges(text: &str) -> Result<Vec<Range<usize>>, String> {
    let elements: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    Ok(elements.into_iter().map(|element| range_in(text, element.get())).collect())
}

/// Adds a last element to the JSON array in `text` and returns the new text.
///
/// # Errors
/// The parser's message if `text` is not one JSON array.
pub(crate) fn push_element(text: &str, value: &Value, style: &Style) -> Result<String, String> {
    let is_empty = element_ranges(text)?.is_empty();
    Ok(style.append(text, &style.format(value), is_empty))
}

/// Replaces the text of each element of the JSON array in `text` by the result of `edit` and returns the new text. `None`
/// removes an element. Returns `None` if all elements were removed.
///
/// # Errors
/// The parser's message if `text` is not one JSON array, and the errors of `edit`.
pub(crate) fn edit_elements(
    text: &str,
    edit: impl Fn(&str) -> Result<Option<String>, String>,
) -> Result<Option<String>, String> {
    let ranges = element_ranges(text)?;
    let mut remaining = ranges.len();
    let mut edited = text.to_owned();
    // From the end, so that the ranges of the others stay valid.
    for range in ranges.iter().rev() {
        edited = if let Some(element) = edit(&text[range.clone()])? {
            replace_range(&edited, range, &element)
        } else {
            remaining -= 1;
            cut(&edited, range)
        };
    }
    Ok((0 < remaining || ranges.is_empty()).then_some(edited))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_added_element_is_removed_to_equal_bytes() {
        for text in ["[]", "[1]", "[ 1, {\"a\": [2]} ]", "[\n    1,\n    2\n  ]", "[\n]"] {
            let with = push_element(text, &json!({ "own": true }), &Style::of(text)).unwrap();
            let values: Vec<Value> = serde_json::from_str(&with).unwrap();
            assert_eq!(values.last(), Some(&json!({ "own": true })), "{with}");
            let edited = edit_elements(&with, |element| Ok((!element.contains("own")).then(|| element.to_owned())));
            let expected = (values.len() != 1).then(|| text.to_owned());
            assert_eq!(edited.unwrap(), expected, "{with}");
        }
    }

    #[test]
    fn elements_anywhere_are_removed_and_replaced() {
        let edit = |element: &str| Ok((element != "2").then(|| format!("{element}0")));
        assert_eq!(edit_elements("[2, 1,2 , 3,2]", edit).unwrap().as_deref(), Some("[10 , 30]"));
        assert_eq!(edit_elements("[2,2]", edit).unwrap(), None);
        assert_eq!(edit_elements("[]", edit).unwrap().as_deref(), Some("[]"));
        assert!(edit_elements("{}", edit).is_err() && edit_elements("[1,]", edit).is_err());
    }
}
