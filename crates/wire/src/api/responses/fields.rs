//! The known request fields of `OpenAI`'s Responses.

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
        Place::Item => ITEM,
        Place::Generation => &[],
    }
}

/// Returns the fields that a conversion may ignore because they change no response, each with the reason.
pub(crate) const fn ignorable(place: Place) -> &'static [(&'static str, &'static str)] {
    match place {
        Place::Body => &[
            ("client_metadata", "the client's ids of its own turns"),
            ("user", "a user's id for the provider's abuse checks"),
            ("stream", "the converter decides whether to stream"),
            ("stream_options", "how the stream is padded against eavesdroppers"),
            ("model", "the converter sets the model"),
        ],
        Place::Message => {
            &[("id", "the provider's or the client's id of the item"), ("status", "an item in a request is complete")]
        }
        Place::Item => &[
            ("id", "the provider's or the client's id of the item; calls have a call_id besides"),
            ("status", "an item in a request is complete"),
        ],
        Place::Part => {
            &[("detail", "the resolution at which an image is processed; other APIs choose it, or use the full one")]
        }
        _ => &[],
    }
}

const BODY: &[Field] = &[
    ("model", Plain),                                                 // who is asked
    ("input", Plain),                                                 // the conversation, a string or items
    ("instructions", Plain),                                          // the system prompt
    ("stream", Plain),                                                // whether the answer comes in pieces
    ("stream_options", ByValue),    // only how the stream is padded; the rest is native
    ("max_output_tokens", Plain),   // the most tokens the model may write
    ("temperature", Plain),         // sampling that all APIs have
    ("top_p", Plain),               // sampling that all APIs have
    ("tools", Plain),               // definitions of tools
    ("tool_choice", Plain),         // which tool must be, may be or may not be called
    ("parallel_tool_calls", Plain), // whether several tools may be called at once
    ("reasoning", ByValue),         // `effort` is plain, the rest controls thinking
    ("text", ByValue),              // `format` is plain, `verbosity` is sampling
    ("include", ByValue),           // encrypted reasoning is plain, the rest requires
    ("user", Plain),                // for the provider's own accounts
    ("safety_identifier", Plain),   // for the provider's own accounts
    ("client_metadata", Plain),     // the client's ids
    ("prompt_cache_key", Plain),    // where the provider keeps the prompt
    ("prompt_cache_retention", Requires(Requirement::CacheControl)), // how long the provider keeps the prompt
    ("service_tier", ByValue),      // plain when `auto` or `default`, otherwise native
    ("store", ByValue),             // a stored answer when true
    ("metadata", ByValue),          // labels of a stored answer unless empty
    ("background", ByValue),        // a stored answer when true
    ("previous_response_id", Requires(Requirement::StoredAnswers)), // what a stored answer left off
    ("conversation", Requires(Requirement::StoredAnswers)), // a conversation the provider keeps
    ("prompt", Requires(Requirement::StoredAnswers)), // a prompt the provider keeps
    ("truncation", ByValue),        // the provider shortens the history when `auto`
    ("context_management", Requires(Requirement::ContextManagement)), // edits the provider makes to the history
    ("max_tool_calls", Requires(Requirement::ServerTools)), // how often the provider runs its own tools
    ("top_logprobs", ByValue),      // probabilities when above 0
];

const MESSAGE: &[Field] = &[
    ("type", Plain),    // `message`
    ("role", ByValue),  // a late system message; unknown ones are native
    ("content", Plain), // a string or parts
    ("id", Plain),      // of the item
    ("status", Plain),  // of an item that came from the provider
];

const PART: &[Field] = &[
    ("type", ByValue),                                  // unknown ones are native
    ("text", Plain),                                    // of a text
    ("annotations", ByValue),                           // native unless empty
    ("logprobs", ByValue),                              // native unless empty
    ("image_url", ByValue),                             // in the request, or remote
    ("detail", Plain),                                  // how closely an image is looked at
    ("file_id", ByValue),                               // of an image: remote; of a file: its type requires documents
    ("file_data", Plain),                               // of a file: its type requires documents
    ("file_url", Plain),                                // of a file: its type requires documents
    ("filename", Plain),                                // of a file: its type requires documents
    ("input_audio", Requires(Requirement::AudioVideo)), // sound
];

const TOOL: &[Field] = &[
    ("type", ByValue),          // functions are plain, custom tools and others require
    ("name", Plain),            // of the tool
    ("description", Plain),     // of the tool
    ("parameters", Plain),      // the schema of its arguments
    ("strict", Plain),          // whether arguments must follow the schema
    ("format", Plain),          // of a custom tool; its type requires custom tools
    ("defer_loading", ByValue), // left to the provider's tool search when true
];

const ITEM: &[Field] = &[
    ("type", ByValue),            // calls and results are plain, the rest requires
    ("id", Plain),                // of the item
    ("status", Plain),            // of an item that came from the provider
    ("call_id", Plain),           // of a call and its result
    ("name", Plain),              // of a tool
    ("arguments", Plain),         // of a call
    ("input", Plain),             // of a custom tool's call; its type requires custom tools
    ("output", ByValue),          // of a result: images and files in it require
    ("summary", Plain),           // of reasoning; its type requires signatures
    ("content", Plain),           // of reasoning; its type requires signatures
    ("encrypted_content", Plain), // of reasoning; its type requires signatures
];
