//! Directives in the user's last message, which determine the response.
//!
//! - `TOOLCALL:Name:{json}` calls the tool of that name, once for every occurrence; when the results are there, the
//!   response is the text `tool said N bytes`.
//! - `THINK` adds thinking, signed with `sig:` and the model (Gemini: that in base64, as its signatures are bytes).
//! - `LONG:n` responds with n text deltas.
//!
//! Any other message gets a short text. A request for JSON gets JSON, whatever the text.

use serde_json::Value;

/// The directives in a user message, which determine the response.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Directive {
    /// Start with thinking.
    pub think: bool,
    /// The tools to call, with their arguments.
    pub calls: Vec<(String, Value)>,
    /// The number of text deltas.
    pub long: Option<usize>,
}

/// The highest number of text deltas: some 8 MB as events.
const MOST_PIECES: usize = 100_000;

impl Directive {
    /// Parses the directives in a text; other text is ignored.
    pub fn read(text: &str) -> Self {
        let mut directive = Self::default();
        let mut rest = text;
        let mut around = String::new();
        while let Some((before, after)) = rest.split_once("TOOLCALL:") {
            around.push_str(before);
            rest = after;
            if let Some((call, behind)) = call(after) {
                directive.calls.push(call);
                rest = behind;
            }
        }
        around.push_str(rest);
        for word in around.split(|separator: char| !separator.is_ascii_alphanumeric() && separator != ':') {
            if word == "THINK" {
                directive.think = true;
            } else if let Some(number) = word.strip_prefix("LONG:").and_then(|number| number.parse().ok()) {
                directive.long = Some(MOST_PIECES.min(number));
            }
        }
        directive
    }
}

/// Parses a name, a colon and a JSON value; returns them and the rest of the text.
fn call(text: &str) -> Option<((String, Value), &str)> {
    let (name, json) = text.split_once(':')?;
    let mut values = serde_json::Deserializer::from_str(json).into_iter::<Value>();
    let input = values.next()?.ok()?;
    Some(((name.to_owned(), input), json.get(values.byte_offset()..).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_ends_with_its_json() {
        let directive =
            Directive::read("please TOOLCALL:Bash:{\"command\":\"echo THINK\"} and THINK. TOOLCALL:Read:{}");
        let calls = [("Bash".to_owned(), json!({"command": "echo THINK"})), ("Read".to_owned(), json!({}))];
        assert_eq!(directive, Directive { think: true, calls: calls.to_vec(), long: None });
        assert!(!Directive::read("TOOLCALL:Bash:{\"command\":\"THINK\"}").think);
    }

    #[test]
    fn what_is_no_directive_asks_for_nothing() {
        for text in ["", "hi", "I THINKso", "LONG:", "LONG:x", "TOOLCALL:", "TOOLCALL:Bash", "TOOLCALL:Bash:{"] {
            assert_eq!(Directive::read(text), Directive::default(), "{text}");
        }
    }

    #[test]
    fn a_long_answer_has_a_limit() {
        assert_eq!(Directive::read("LONG:20").long, Some(20));
        assert_eq!(Directive::read("(LONG:99999999)").long, Some(MOST_PIECES));
    }
}
