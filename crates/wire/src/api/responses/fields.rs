//! The fields of a Responses request that the parser knows, with the rule for each: supported by all APIs, decided by
//! its value, or requiring a feature.

use contracts::Requirement;

use crate::fields::{
    Field,
    FieldRule::{ByValue, Requires, Supported},
    ObjectKind,
};

/// Returns the known fields of a kind of object in a Responses request, each with the rule by which it is classified.
pub(crate) const fn fields(kind: ObjectKind) -> &'static [Field] {
    match kind {
        ObjectKind::Body => BODY,
        ObjectKind::Message => MESSAGE,
        ObjectKind::Part => PART,
        ObjectKind::Tool => TOOL,
        ObjectKind::Item => ITEM,
        ObjectKind::Generation => &[],
    }
}

/// Returns the fields of a Responses request that a conversion may ignore because they change no response, each with
/// the reason.
pub(crate) const fn ignorable(kind: ObjectKind) -> &'static [(&'static str, &'static str)] {
    match kind {
        ObjectKind::Body => &[
            ("client_metadata", "the client's ids of its own turns"),
            ("user", "a user's id for the provider's abuse checks"),
            ("stream", "the converter decides whether to stream"),
            ("stream_options", "how the stream is padded against eavesdroppers"),
            ("model", "the converter sets the model"),
        ],
        ObjectKind::Message => {
            &[("id", "the provider's or the client's id of the item"), ("status", "an item in a request is complete")]
        }
        ObjectKind::Item => &[
            ("id", "the provider's or the client's id of the item; calls have a call_id besides"),
            ("status", "an item in a request is complete"),
        ],
        ObjectKind::Part => {
            &[("detail", "the resolution at which an image is processed; other APIs choose it, or use the full one")]
        }
        _ => &[],
    }
}

/// The known members of the body of a Responses request, each with its rule.
const BODY: &[Field] = &[
    ("model", Supported),                                             // the requested model
    ("input", Supported),                                             // the conversation, a string or items
    ("instructions", Supported),                                      // the system prompt
    ("stream", Supported),                                            // whether the response is streamed
    ("stream_options", ByValue),        // only the padding of the stream; the rest is native
    ("max_output_tokens", Supported),   // the limit of output tokens
    ("temperature", Supported),         // sampling that all APIs have
    ("top_p", Supported),               // sampling that all APIs have
    ("tools", Supported),               // definitions of tools
    ("tool_choice", Supported),         // which tool must be, may be or may not be called
    ("parallel_tool_calls", Supported), // whether several tools may be called at once
    ("reasoning", ByValue),             // `effort` is supported, the rest controls thinking
    ("text", ByValue),                  // `format` is supported, `verbosity` is sampling
    ("include", ByValue),               // encrypted reasoning is supported, the rest requires
    ("user", Supported),                // for the provider's own accounts
    ("safety_identifier", Supported),   // for the provider's own accounts
    ("client_metadata", Supported),     // the client's ids
    ("prompt_cache_key", Supported),    // the key of the prompt cache
    ("prompt_cache_retention", Requires(Requirement::CacheControl)), // how long the provider keeps the prompt
    ("service_tier", ByValue),          // supported when `auto` or `default`, otherwise native
    ("store", ByValue),                 // a stored response when true
    ("metadata", ByValue),              // labels of a stored response unless empty
    ("background", ByValue),            // a stored response when true
    ("previous_response_id", Requires(Requirement::StoredAnswers)), // the stored response to continue
    ("conversation", Requires(Requirement::StoredAnswers)), // a conversation stored by the provider
    ("prompt", Requires(Requirement::StoredAnswers)), // a prompt stored by the provider
    ("truncation", ByValue),            // the provider shortens the history when `auto`
    ("context_management", Requires(Requirement::ContextManagement)), // edits of the history by the provider
    ("max_tool_calls", Requires(Requirement::ServerTools)), // the limit of calls of the provider's own tools
    ("top_logprobs", ByValue),          // probabilities when above 0
];

/// The known members of a message item in a Responses request, each with its rule.
const MESSAGE: &[Field] = &[
    ("type", Supported),    // `message`
    ("role", ByValue),      // a late system message requires; unknown roles: native
    ("content", Supported), // a string or parts
    ("id", Supported),      // of the item
    ("status", Supported),  // of an item that came from the provider
];

/// The known members of a content part of any type in a Responses request, each with its rule.
const PART: &[Field] = &[
    ("type", ByValue),                                  // unknown ones are native
    ("text", Supported),                                // of a text
    ("annotations", ByValue),                           // native unless empty
    ("logprobs", ByValue),                              // native unless empty
    ("image_url", ByValue),                             // in the request, or remote
    ("detail", Supported),                              // the resolution of an image
    ("file_id", ByValue),                               // of an image: remote; of a file: its type requires documents
    ("file_data", Supported),                           // of a file: its type requires documents
    ("file_url", Supported),                            // of a file: its type requires documents
    ("filename", Supported),                            // of a file: its type requires documents
    ("input_audio", Requires(Requirement::AudioVideo)), // audio
];

/// The known members of a tool definition in a Responses request, each with its rule.
const TOOL: &[Field] = &[
    ("type", ByValue),          // functions are supported, custom tools and others require
    ("name", Supported),        // of the tool
    ("description", Supported), // of the tool
    ("parameters", Supported),  // the schema of its arguments
    ("strict", Supported),      // whether arguments must follow the schema
    ("format", Supported),      // of a custom tool; its type requires custom tools
    ("defer_loading", ByValue), // loaded by the provider's tool search if true
];

/// The known members of an item other than a message (a tool call, a result or reasoning) in a Responses request.
const ITEM: &[Field] = &[
    ("type", ByValue),                // calls and results are supported, the rest requires
    ("id", Supported),                // of the item
    ("status", Supported),            // of an item that came from the provider
    ("call_id", Supported),           // of a call and its result
    ("name", Supported),              // of a tool
    ("arguments", Supported),         // of a call
    ("input", Supported),             // of a custom tool's call; its type requires custom tools
    ("output", ByValue),              // of a result: images and files in it require
    ("summary", Supported),           // of reasoning; its type requires signatures
    ("content", Supported),           // of reasoning; its type requires signatures
    ("encrypted_content", Supported), // of reasoning; its type requires signatures
];
