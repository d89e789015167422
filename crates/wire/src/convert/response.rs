//! A whole answer, said in another API.

use contracts::WireApi;
use serde_json::Value;

use super::{
    ConvertError,
    blocks::Blocks,
    canonical::response::{Answer, Head},
    ids,
    object::bytes_of,
    stream::Thinking,
};
use crate::api;

/// Says a whole answer, which was not streamed, in the client's API.
///
/// The client knows the model as `client_model`; the answer keeps the id and the time that its provider gave it. Where it
/// gave none the time is `created_unix`, in seconds.
///
/// # Errors
/// [`ConvertError::Malformed`] when the body is not an answer of its API, and [`ConvertError::ProviderFailed`] when it
/// is an error.
pub fn convert_answer(
    from: WireApi,
    to: WireApi,
    client_model: &str,
    created_unix: u64,
    body: &[u8],
) -> Result<Vec<u8>, ConvertError> {
    let value: Value =
        serde_json::from_slice(body).map_err(|_| ConvertError::malformed("the answer", "is not JSON"))?;
    let mut blocks = Blocks::default();
    api::of(from).read_response(&value, &mut blocks)?;
    let mut thinking = Thinking::for_client(to);
    let events = std::iter::from_fn(|| blocks.next()).filter_map(|event| thinking.show(event));
    let answer = Answer::of(events).ok_or(ConvertError::EndedEarly)?.map_err(|_| ConvertError::ProviderFailed)?;
    let head = Head {
        id: answer.start.id.clone().unwrap_or_else(|| ids::derived(&String::from_utf8_lossy(body), 0)),
        model: client_model.to_owned(),
        created: answer.start.created.unwrap_or(created_unix),
    };
    let written = api::of(to).write_response(answer, &head)?;
    Ok(bytes_of(&written))
}
