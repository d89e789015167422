//! The fields of a Messages request that the parser knows, with the rule for each: supported by all APIs, decided by
//! its value, or requiring a feature.

use contracts::Requirement;

use crate::fields::{
    Field,
    FieldRule::{ByValue, Requires, Supported},
    ObjectKind,
};

/// Returns the known fields of a kind of object in a Messages request, each with the rule by which it is classified.
pub(crate) const fn fields(kind: ObjectKind) -> &'static [Field] {
    match kind {
        ObjectKind::Body => BODY,
        ObjectKind::Message => MESSAGE,
        ObjectKind::Part => PART,
        ObjectKind::Tool => TOOL,
        ObjectKind::Generation | ObjectKind::Item => &[],
    }
}

/// Returns the fields of a Messages request that a conversion may ignore because they change no response, each with the
/// reason.
pub(crate) const fn ignorable(kind: ObjectKind) -> &'static [(&'static str, &'static str)] {
    match kind {
        ObjectKind::Body => &[
            ("metadata", "a user's id for Anthropic's abuse checks; it contains the id of the device"),
            ("stream", "the converter decides whether to stream"),
            ("model", "the converter sets the model"),
        ],
        ObjectKind::Tool => &[("eager_input_streaming", "how finely the arguments are cut in the stream")],
        _ => &[],
    }
}

/// The known members of the body of a Messages request, each with its rule.
const BODY: &[Field] = &[
    ("model", Supported),                                             // the requested model
    ("messages", Supported),                                          // the conversation
    ("system", Supported),                                            // the system prompt, a string or text blocks
    ("tools", Supported),                                             // definitions of tools
    ("tool_choice", Supported),                                       // which tool must be, may be or may not be called
    ("max_tokens", Supported),                                        // the limit of output tokens
    ("stream", Supported),                                            // whether the response is streamed
    ("temperature", Supported),                                       // sampling that all APIs have
    ("top_p", Supported),                                             // sampling that all APIs have
    ("stop_sequences", Supported),                                    // stop sequences
    ("metadata", Supported),                                          // `user_id`: for the provider's own accounts
    ("output_config", ByValue),   // `effort` and `format` are supported, the rest is native
    ("output_format", Supported), // an earlier place of `output_config.format`
    ("service_tier", ByValue),    // supported when it is `auto`, otherwise native
    ("thinking", ByValue),        // requires thinking control unless `disabled`
    ("top_k", Requires(Requirement::Sampling)), // sampling that OpenAI's APIs do not have
    ("cache_control", Requires(Requirement::CacheControl)), // marks the end of the prompt for the cache
    ("context_management", Requires(Requirement::ContextManagement)), // edits of the history by the provider
    ("mcp_servers", Requires(Requirement::ServerTools)), // tools that the provider calls
    ("container", Requires(Requirement::ServerTools)), // where the provider runs code
];

/// The known members of a message in a Messages request, each with its rule.
const MESSAGE: &[Field] = &[
    ("role", ByValue),      // a late system message requires; unknown roles: native
    ("content", Supported), // a string or blocks
];

/// The known members of a content block of any type in a Messages request, each with its rule.
const PART: &[Field] = &[
    ("type", ByValue),                                      // unknown ones are native
    ("text", Supported),                                    // of a text
    ("source", ByValue),                                    // of an image: in the request, or remote
    ("id", Supported),                                      // of a tool call
    ("name", Supported),                                    // of a tool call
    ("input", Supported),                                   // of a tool call
    ("caller", ByValue),                                    // of a tool call: native unless `direct`
    ("tool_use_id", Supported),                             // of a tool result
    ("content", ByValue),                                   // of a tool result: images and documents in it require
    ("is_error", Supported),                                // of a tool result
    ("thinking", Supported),                                // the text of thinking; its type requires signatures
    ("signature", Supported),                               // of thinking; its type requires signatures
    ("data", Supported),                                    // of redacted thinking; its type requires signatures
    ("title", Supported),                                   // of a document; its type requires documents
    ("context", Supported),                                 // of a document; its type requires documents
    ("citations", ByValue),                                 // of a text or a document: native unless empty
    ("cache_control", Requires(Requirement::CacheControl)), // a mark for the prompt cache
];

/// The known members of a tool definition in a Messages request, each with its rule.
const TOOL: &[Field] = &[
    ("type", ByValue),                                      // provider's own tools unless `custom`
    ("name", Supported),                                    // of the tool
    ("description", Supported),                             // of the tool
    ("input_schema", Supported),                            // of its arguments
    ("strict", Supported),                                  // whether arguments must follow the schema
    ("eager_input_streaming", Supported),                   // the granularity of streamed arguments; changes no content
    ("defer_loading", ByValue),                             // loaded by the provider's tool search if true
    ("allowed_callers", ByValue),                           // the provider's own code may call it, unless `direct`
    ("cache_control", Requires(Requirement::CacheControl)), // a mark for the prompt cache
];
