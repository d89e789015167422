//! The known request fields of Anthropic's Messages.

use contracts::Requirement;

use crate::fields::{
    Field,
    Meaning::{ByValue, Plain, Requires},
    Place,
};

pub(crate) const fn fields(place: Place) -> &'static [Field] {
    match place {
        Place::Body => BODY,
        Place::Message => MESSAGE,
        Place::Part => PART,
        Place::Tool => TOOL,
        Place::Generation | Place::Item => &[],
    }
}

/// Returns the fields that a conversion may ignore because they change no response, each with the reason.
pub(crate) const fn ignorable(place: Place) -> &'static [(&'static str, &'static str)] {
    match place {
        Place::Body => &[
            ("metadata", "a user's id for Anthropic's abuse checks; it contains the id of the device"),
            ("stream", "the converter decides whether to stream"),
            ("model", "the converter sets the model"),
        ],
        Place::Tool => &[("eager_input_streaming", "how finely the arguments are cut in the stream")],
        _ => &[],
    }
}

const BODY: &[Field] = &[
    ("model", Plain),                                                 // who is asked
    ("messages", Plain),                                              // the conversation
    ("system", Plain),                                                // the system prompt, a string or text blocks
    ("tools", Plain),                                                 // definitions of tools
    ("tool_choice", Plain),                                           // which tool must be, may be or may not be called
    ("max_tokens", Plain),                                            // the most tokens the model may write
    ("stream", Plain),                                                // whether the answer comes in pieces
    ("temperature", Plain),                                           // sampling that all APIs have
    ("top_p", Plain),                                                 // sampling that all APIs have
    ("stop_sequences", Plain),                                        // texts that end the answer
    ("metadata", Plain),                                              // `user_id`: for the provider's own accounts
    ("output_config", ByValue), // `effort` and `format` are plain, the rest is native
    ("output_format", Plain),   // an earlier place of `output_config.format`
    ("service_tier", ByValue),  // plain when it is `auto`, otherwise native
    ("thinking", ByValue),      // requires thinking control unless `disabled`
    ("top_k", Requires(Requirement::Sampling)), // sampling that OpenAI's APIs do not have
    ("cache_control", Requires(Requirement::CacheControl)), // a mark at the end of the prompt
    ("context_management", Requires(Requirement::ContextManagement)), // edits the provider makes to the history
    ("mcp_servers", Requires(Requirement::ServerTools)), // tools the provider calls by itself
    ("container", Requires(Requirement::ServerTools)), // where the provider runs code
];

const MESSAGE: &[Field] = &[
    ("role", ByValue),  // `system` is a system message in the middle; unknown ones are native
    ("content", Plain), // a string or blocks
];

const PART: &[Field] = &[
    ("type", ByValue),                                      // unknown ones are native
    ("text", Plain),                                        // of a text
    ("source", ByValue),                                    // of an image: in the request, or remote
    ("id", Plain),                                          // of a tool call
    ("name", Plain),                                        // of a tool call
    ("input", Plain),                                       // of a tool call
    ("caller", ByValue),                                    // of a tool call: native unless `direct`
    ("tool_use_id", Plain),                                 // of a tool result
    ("content", ByValue),                                   // of a tool result: images and documents in it require
    ("is_error", Plain),                                    // of a tool result
    ("thinking", Plain),                                    // the text of thinking; its type requires signatures
    ("signature", Plain),                                   // of thinking; its type requires signatures
    ("data", Plain),                                        // of redacted thinking; its type requires signatures
    ("title", Plain),                                       // of a document; its type requires documents
    ("context", Plain),                                     // of a document; its type requires documents
    ("citations", ByValue),                                 // of a text or a document: native unless empty
    ("cache_control", Requires(Requirement::CacheControl)), // a mark for the prompt cache
];

const TOOL: &[Field] = &[
    ("type", ByValue),                                      // provider's own tools unless `custom`
    ("name", Plain),                                        // of the tool
    ("description", Plain),                                 // of the tool
    ("input_schema", Plain),                                // of its arguments
    ("strict", Plain),                                      // whether arguments must follow the schema
    ("eager_input_streaming", Plain),                       // how finely arguments are streamed; changes no content
    ("defer_loading", ByValue),                             // left to the provider's tool search when true
    ("allowed_callers", ByValue),                           // the provider's own code may call it, unless `direct`
    ("cache_control", Requires(Requirement::CacheControl)), // a mark for the prompt cache
];
