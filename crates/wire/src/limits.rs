//! Limits in which the APIs differ, and the requirements of exceeding them. Inspection and conversion share them.

use contracts::Requirement;

/// The longest tool name that another API accepts, in bytes.
const LONGEST_NAME: usize = 128;
/// The longest tool name that every API accepts, in bytes.
const USUAL_NAME: usize = 64;

/// Returns what the stop sequences of a request require, by their number and content.
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

/// Returns what a temperature and a `top_p` require; not all APIs accept values above 1, or both.
pub(crate) fn required_by_temperature(temperature: Option<f64>, top_p: Option<f64>) -> Option<Requirement> {
    match (temperature, top_p) {
        (Some(temperature), _) if temperature > 1.0 => Some(Requirement::HighTemperature),
        // 1 is the default of both.
        (Some(temperature), Some(top_p)) if temperature < 1.0 && top_p < 1.0 => Some(Requirement::TemperatureAndTopP),
        _ => None,
    }
}

/// Returns what an effort level requires in addition to [`Requirement::Effort`]; `None` for levels that all APIs have.
pub(crate) fn required_by_effort(word: &str) -> Option<Requirement> {
    match word.to_ascii_lowercase().as_str() {
        "none" => Some(Requirement::NoThinking),
        "minimal" => Some(Requirement::MinimalEffort),
        "low" | "medium" | "high" => None,
        "xhigh" => Some(Requirement::ExtraHighEffort),
        "max" => Some(Requirement::MaxEffort),
        _ => Some(Requirement::Native),
    }
}

/// Returns what a tool name requires, by its length and characters.
pub(crate) fn required_by_tool_name(name: &str) -> impl Iterator<Item = Requirement> + use<> {
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let is_dotted = |byte: u8| byte == b'.' || byte == b':';
    let nobody_else_takes_it =
        name.is_empty() || LONGEST_NAME < name.len() || !name.bytes().all(|byte| is_usual(byte) || is_dotted(byte));
    [
        (USUAL_NAME < name.len(), Requirement::LongToolNames),
        (name.bytes().any(is_dotted), Requirement::DottedToolNames),
        (nobody_else_takes_it, Requirement::Native),
    ]
    .into_iter()
    .filter(|(holds, _)| *holds)
    .map(|(_, requirement)| requirement)
}

/// Returns the requirement of an inline image of this media type.
pub(crate) fn required_by_image(media_type: &str) -> Option<Requirement> {
    match media_type {
        "image/jpeg" | "image/png" | "image/webp" => None,
        "image/gif" => Some(Requirement::GifImages),
        _ => Some(Requirement::OtherImages),
    }
}

/// Whether a text is only white space, which Anthropic rejects.
pub(crate) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
