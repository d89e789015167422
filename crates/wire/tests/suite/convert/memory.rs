//! The memory that the conversion of a hostile response takes. `cargo nextest` runs each test in a process of its own.

use contracts::WireApi;
use wire::{ConvertError, convert_response};

/// Size of the text in the response. The gateway reads responses of at most 64 MiB; a shorter one makes the test faster.
const TEXT_BYTES: usize = 20 * 1024 * 1024;

/// Returns the greatest resident memory of this process so far, in bytes.
fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

/// Attack: a whole answer with one long text, or long arguments of one call, for a client of another API.
/// Holds: it is refused, and the conversion takes at most one and a half times its size besides the answer itself.
#[test]
#[cfg(target_os = "linux")]
fn an_answer_of_one_long_text_is_refused_without_copies_of_it() {
    let text = "a".repeat(TEXT_BYTES);
    let answers = [
        (WireApi::AnthropicMessages, r#"{"id":"m","content":[{"type":"text","text":"@"}],"stop_reason":"end_turn"}"#),
        (
            WireApi::AnthropicMessages,
            r#"{"id":"m","content":[{"type":"tool_use","id":"t","name":"n","input":{"a":"@"}}]}"#,
        ),
        (WireApi::Gemini, r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"n","args":{"a":"@"}}}]}}]}"#),
        (WireApi::OpenAiChat, r#"{"id":"c","choices":[{"message":{"content":"@"},"finish_reason":"stop"}]}"#),
        (
            WireApi::OpenAiChat,
            r#"{"id":"c","choices":[{"message":{"tool_calls":[{"id":"t","function":{"name":"n","arguments":"{\"a\":\"@\"}"}}]},"finish_reason":"stop"}]}"#,
        ),
        (
            WireApi::OpenAiResponses,
            r#"{"id":"r","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"@"}]}]}"#,
        ),
    ];
    for (api, answer) in answers {
        let body = answer.replace('@', &text).into_bytes();
        let to = if api == WireApi::Gemini { WireApi::OpenAiChat } else { WireApi::Gemini };
        let before = peak_memory();
        let refused = convert_response(api, to, "m", 0, &body);
        let taken = peak_memory() - before;
        let Err(ConvertError::Malformed { problem, .. }) = refused else { panic!("{api:?}: {refused:.80?}") };
        assert_eq!(problem, "is too large to be converted", "{api:?}");
        assert!(taken < TEXT_BYTES * 3 / 2, "{api:?}: {taken} bytes for {answer}");
    }
}
