//! Converts a response that is not streamed.

use contracts::WireApi;
use serde_json::Value;

use super::{
    ConvertError,
    blocks::BlockSequencer,
    canonical::response::{Response, ResponseHead},
    ids,
    object::bytes_of,
    stream::ThinkingFilter,
};
use crate::api;

/// The maximum number of JSON values in a response that is not streamed. As a tree each takes up to some hundred bytes of
/// memory, so a response of 64 MiB that consists of empty lists would take gigabytes. A model's answer has some thousand.
const MAX_VALUES: usize = 500_000;

/// Converts the body of a response that is not streamed from the provider's API `from` to the client's API `to`.
///
/// The result contains `client_model` as the name of the model, and the id and creation time of the response. A missing
/// id is derived from the body; a missing time is replaced by `created_unix`, in seconds since 1970.
///
/// # Errors
/// [`ConvertError::Malformed`] if the body does not follow its API or has more than 500,000 JSON values, [`ConvertError::ProviderFailed`] if it is an error
/// of the provider, and [`ConvertError::EndedEarly`] if its end is missing, such as the finish reason of a Gemini
/// response.
pub fn convert_response(
    from: WireApi,
    to: WireApi,
    client_model: &str,
    created_unix: u64,
    body: &[u8],
) -> Result<Vec<u8>, ConvertError> {
    if MAX_VALUES < count_values(body) {
        return Err(ConvertError::malformed("the answer", "has more than 500,000 JSON values"));
    }
    let value: Value =
        serde_json::from_slice(body).map_err(|_| ConvertError::malformed("the answer", "is not JSON"))?;
    let mut blocks = BlockSequencer::default();
    api::implementation(from).read_response(&value, &mut blocks)?;
    blocks.check_size()?;
    let mut thinking = ThinkingFilter::for_client(to);
    let events = std::iter::from_fn(|| blocks.next_event()).filter_map(|event| thinking.filter(event));
    let response =
        Response::from_events(events).ok_or(ConvertError::EndedEarly)?.map_err(|_| ConvertError::ProviderFailed)?;
    let head = ResponseHead {
        id: response.start.id.clone().unwrap_or_else(|| ids::derived_call_id(&String::from_utf8_lossy(body), 0)),
        model: client_model.to_owned(),
        created: response.start.created.unwrap_or(created_unix),
    };
    let body_value = api::implementation(to).write_response(response, &head)?;
    Ok(bytes_of(&body_value))
}

/// Returns an upper bound of the number of values in a JSON text, keys included: one more than the number of commas,
/// colons and opening brackets outside of strings.
fn count_values(json: &[u8]) -> usize {
    let (mut count, mut in_string, mut is_escaped) = (1, false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_string,
            b'"' => in_string = !in_string,
            b',' | b':' | b'[' | b'{' if !in_string => count += 1,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_strings() {
        assert_eq!(count_values(br#"{"a":[1,2],"b\",":{}}"#), 1 + 2 + 1 + 1 + 2 + 1);
        assert_eq!(count_values(br#""a,b:[{\",,""#), 1);
        assert_eq!(count_values(b"[[],[],[]]"), 7);
    }

    /// Attack: a whole answer of empty lists for a client of another API.
    /// Holds: it is refused before it is parsed.
    #[test]
    fn an_answer_of_too_many_values_is_refused_before_its_tree_is_built() {
        let empty_lists = vec!["[]"; MAX_VALUES].join(",");
        let body = format!(r#"{{"id":"msg_1","content":[{empty_lists}]}}"#);
        let refused = convert_response(WireApi::AnthropicMessages, WireApi::OpenAiChat, "m", 0, body.as_bytes());
        let Err(ConvertError::Malformed { problem, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(problem, "has more than 500,000 JSON values");
    }
}
