//! What need not be carried: fields that change no answer, each with its reason.

use contracts::WireApi;

use crate::known_fields::Place;

/// Whether an answer is the same without a field of that name. Everything else is carried, dropped visibly or
/// refused.
pub(super) fn need_not_be_carried(api: WireApi, place: Place, name: &str) -> bool {
    let names: &[(&str, &str)] = match (api, place) {
        (WireApi::AnthropicMessages, Place::Body) => &[
            ("metadata", "a user's id for Anthropic's own abuse checks; it holds the id of the device"),
            ("stream", "whoever converts says whether to stream"),
            ("model", "whoever converts says which model"),
        ],
        (WireApi::AnthropicMessages, Place::Tool) => {
            &[("eager_input_streaming", "how finely the arguments are cut in the stream")]
        }
        (WireApi::OpenAiChat, Place::Body) => &[
            ("user", "a user's id for the provider's own abuse checks"),
            ("stream", "whoever converts says whether to stream"),
            ("stream_options", "how usage and padding are streamed; usage is always asked for"),
            ("model", "whoever converts says which model"),
        ],
        (WireApi::OpenAiChat, Place::Message) => &[("name", "of a tool's result, which the id of its call names too")],
        (WireApi::OpenAiResponses, Place::Body) => &[
            ("client_metadata", "the client's ids of its own turns"),
            ("user", "a user's id for the provider's own abuse checks"),
            ("stream", "whoever converts says whether to stream"),
            ("stream_options", "how the stream is padded against eavesdroppers"),
            ("model", "whoever converts says which model"),
        ],
        (WireApi::OpenAiResponses, Place::Message) => {
            &[("id", "what the provider or the client calls the item"), ("status", "an item that is sent is complete")]
        }
        (WireApi::OpenAiResponses, Place::Item) => &[
            ("id", "what the provider or the client calls the item; calls have a call_id beside it"),
            ("status", "an item that is sent is complete"),
        ],
        (WireApi::OpenAiResponses, Place::Part) => {
            &[("detail", "how closely an image is looked at; other APIs choose it, or look at all of it")]
        }
        (WireApi::Gemini, Place::Body) => &[("model", "whoever converts says which model")],
        _ => &[],
    };
    names.iter().any(|(known, _)| *known == name)
}
