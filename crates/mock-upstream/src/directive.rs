//! Directives in the user's last message, which determine the response.
//!
//! - `TOOLCALL:Name:{json}` calls the tool of that name, once for every occurrence. The response to the results is the
//!   text `tool said N bytes`.
//! - `THINK` adds thinking, signed with `sig:` and the model (Gemini: that in base64, as its signatures are bytes).
//! - `LONG:n` responds with n text deltas.
//! - `ROUTE:name:percent` responds with JSON that names a skill and a confidence, if the message asks which skill fits: it
//!   contains `"available_skills"`.
//!
//! The response to any other message is a short text. The response to a request for JSON is JSON, whatever the message
//! contains.

use serde_json::Value;

/// The directives in a user message, which select the response.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Directives {
    /// Whether the response starts with a thinking block.
    pub thinking: bool,
    /// The name and the arguments of each tool to call.
    pub calls: Vec<(String, Value)>,
    /// The number of text deltas to respond with; `None` without a `LONG` directive.
    pub text_deltas: Option<usize>,
    /// The skill and the confidence in percent of the response; `None` without a `ROUTE` directive.
    pub skill: Option<(String, u32)>,
}

/// The highest number of text deltas; a larger one in a directive is reduced to it. A stream of that length has about 8
/// MB.
const MAX_TEXT_DELTAS: usize = 100_000;

impl Directives {
    /// Parses all directives in a message; malformed ones are ignored. Words in the arguments of a call are not
    /// directives.
    pub fn parse(text: &str) -> Self {
        let mut directives = Self::default();
        let mut unparsed = text;
        let mut other_text = String::new();
        while let Some((before, after)) = unparsed.split_once("TOOLCALL:") {
            other_text.push_str(before);
            unparsed = after;
            if let Some((call, after_call)) = parse_call(after) {
                directives.calls.push(call);
                unparsed = after_call;
            }
        }
        other_text.push_str(unparsed);
        for word in other_text.split(|separator: char| !separator.is_ascii_alphanumeric() && separator != ':') {
            if let Some((skill, percent)) = word.strip_prefix("ROUTE:").and_then(|route| route.split_once(':')) {
                directives.skill = percent.parse().ok().map(|percent| (skill.to_owned(), percent));
            } else if word == "THINK" {
                directives.thinking = true;
            } else if let Some(number) = word.strip_prefix("LONG:").and_then(|number| number.parse().ok()) {
                directives.text_deltas = Some(MAX_TEXT_DELTAS.min(number));
            }
        }
        directives
    }
}

/// Parses a tool name, a colon and a JSON value. Returns the name, the value and the rest of the text; `None` if the
/// text is malformed.
fn parse_call(text: &str) -> Option<((String, Value), &str)> {
    let (name, json) = text.split_once(':')?;
    let mut values = serde_json::Deserializer::from_str(json).into_iter::<Value>();
    let input = values.next()?.ok()?;
    Some(((name.to_owned(), input), json.get(values.byte_offset()..).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A call ends with its JSON value, and words within the value are no directives.
    #[test]
    fn a_call_ends_with_its_json() {
        let directives =
            Directives::parse("please TOOLCALL:Bash:{\"command\":\"echo THINK\"} and THINK. TOOLCALL:Read:{}");
        let calls = [("Bash".to_owned(), json!({"command": "echo THINK"})), ("Read".to_owned(), json!({}))];
        assert_eq!(directives, Directives { thinking: true, calls: calls.to_vec(), text_deltas: None, skill: None });
        assert!(!Directives::parse("TOOLCALL:Bash:{\"command\":\"THINK\"}").thinking);
    }

    /// A text without a complete directive has none.
    #[test]
    fn what_is_no_directive_asks_for_nothing() {
        for text in ["", "hi", "I THINKso", "LONG:", "LONG:x", "TOOLCALL:", "TOOLCALL:Bash", "TOOLCALL:Bash:{"] {
            assert_eq!(Directives::parse(text), Directives::default(), "{text}");
        }
    }

    #[test]
    fn a_long_answer_has_a_limit() {
        assert_eq!(Directives::parse("LONG:20").text_deltas, Some(20));
        assert_eq!(Directives::parse("(LONG:99999999)").text_deltas, Some(MAX_TEXT_DELTAS));
    }
}
