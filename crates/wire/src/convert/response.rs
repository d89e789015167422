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

/// Converts the body of a response that is not streamed from the provider's API `from` to the client's API `to`.
///
/// The result contains `client_model` as the name of the model, and the id and creation time of the response. A missing
/// id is derived from the body; a missing time is replaced by `created_unix`, in seconds since 1970.
///
/// # Errors
/// [`ConvertError::Malformed`] if the body does not follow its API, [`ConvertError::ProviderFailed`] if it is an error
/// of the provider, and [`ConvertError::EndedEarly`] if its end is missing, such as the finish reason of a Gemini
/// response.
pub fn convert_response(
    from: WireApi,
    to: WireApi,
    client_model: &str,
    created_unix: u64,
    body: &[u8],
) -> Result<Vec<u8>, ConvertError> {
    let value: Value =
        serde_json::from_slice(body).map_err(|_| ConvertError::malformed("the answer", "is not JSON"))?;
    let mut blocks = BlockSequencer::default();
    api::implementation(from).read_response(&value, &mut blocks)?;
    let mut thinking = ThinkingFilter::for_client(to);
    let events = std::iter::from_fn(|| blocks.next_event()).filter_map(|event| thinking.filter(event));
    let response =
        Response::collect(events).ok_or(ConvertError::EndedEarly)?.map_err(|_| ConvertError::ProviderFailed)?;
    let head = ResponseHead {
        id: response.start.id.clone().unwrap_or_else(|| ids::derived_call_id(&String::from_utf8_lossy(body), 0)),
        model: client_model.to_owned(),
        created: response.start.created.unwrap_or(created_unix),
    };
    let written = api::implementation(to).write_response(response, &head)?;
    Ok(bytes_of(&written))
}
