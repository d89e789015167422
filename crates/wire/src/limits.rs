//! The limits in which the APIs differ, and the requirements of requests that exceed them. Inspection and conversion
//! share them.

use contracts::Requirement;

/// The maximum length in bytes of a tool name that more than one API accepts.
const MAX_NAME_BYTES: usize = 128;
/// The maximum length in bytes of a tool name that every API accepts.
const MAX_COMMON_NAME_BYTES: usize = 64;

/// Returns the requirements of the stop sequences of a request: `StopSequences` if there are any, `FiveStopSequences`
/// and `SixStopSequences` for five and six or more, which some APIs reject, and `BlankStopSequences` if one is only
/// white space.
pub(crate) fn required_by_stop_sequences<T: AsRef<str>>(stops: &[T]) -> impl Iterator<Item = Requirement> {
    let has_blank = stops.iter().any(|stop| is_blank(stop.as_ref()));
    let count = stops.len();
    [
        (0 < count, Requirement::StopSequences),
        (4 < count, Requirement::FiveStopSequences),
        (5 < count, Requirement::SixStopSequences),
        (has_blank, Requirement::BlankStopSequences),
    ]
    .into_iter()
    .filter(|(holds, _)| *holds)
    .map(|(_, requirement)| requirement)
}

/// Returns the requirement of a temperature and a `top_p`: Anthropic accepts no temperature above 1, and not both
/// settings below 1. `None` if every API accepts the values.
pub(crate) fn required_by_temperature(temperature: Option<f64>, top_p: Option<f64>) -> Option<Requirement> {
    match (temperature, top_p) {
        (Some(temperature), _) if temperature > 1.0 => Some(Requirement::HighTemperature),
        // 1 is the default of both.
        (Some(temperature), Some(top_p)) if temperature < 1.0 && top_p < 1.0 => Some(Requirement::TemperatureAndTopP),
        _ => None,
    }
}

/// Returns the requirement of a reasoning effort level such as `high`, in any case, in addition to
/// [`Requirement::Effort`]. `None` for levels that all APIs have, `Native` for unknown ones.
pub(crate) fn required_by_effort(level: &str) -> Option<Requirement> {
    match level.to_ascii_lowercase().as_str() {
        "none" => Some(Requirement::NoThinking),
        "minimal" => Some(Requirement::MinimalEffort),
        "low" | "medium" | "high" => None,
        "xhigh" => Some(Requirement::ExtraHighEffort),
        "max" => Some(Requirement::MaxEffort),
        _ => Some(Requirement::Native),
    }
}

/// Returns the requirements of a tool name. Names over 64 bytes, and names with dots or colons, are not accepted by
/// every API. Empty names, names over 128 bytes and names with other characters are [`Requirement::Native`].
pub(crate) fn required_by_tool_name(name: &str) -> impl Iterator<Item = Requirement> + use<> {
    let is_common = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let is_dot_or_colon = |byte: u8| byte == b'.' || byte == b':';
    let is_native = name.is_empty()
        || MAX_NAME_BYTES < name.len()
        || !name.bytes().all(|byte| is_common(byte) || is_dot_or_colon(byte));
    [
        (MAX_COMMON_NAME_BYTES < name.len(), Requirement::LongToolNames),
        (name.bytes().any(is_dot_or_colon), Requirement::DottedToolNames),
        (is_native, Requirement::Native),
    ]
    .into_iter()
    .filter(|(holds, _)| *holds)
    .map(|(_, requirement)| requirement)
}

/// Returns the requirement of an inline image with this media type; `None` for types that every API accepts.
pub(crate) fn required_by_image(media_type: &str) -> Option<Requirement> {
    match media_type {
        "image/jpeg" | "image/png" | "image/webp" => None,
        "image/gif" => Some(Requirement::GifImages),
        _ => Some(Requirement::OtherImages),
    }
}

/// Returns whether a text is only white space, which Anthropic rejects.
pub(crate) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
