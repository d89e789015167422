//! The fields of a chat completions request that the parser knows, including those of compatible servers, with the rule
//! for each: supported by all APIs, decided by its value, or requiring a feature.

use contracts::Requirement;

use crate::fields::{
    Field,
    FieldRule::{ByValue, Requires, Supported},
    ObjectKind,
};

/// Returns the known fields of a kind of object in a chat completions request, each with the rule by which it is
/// classified.
pub(crate) const fn fields(kind: ObjectKind) -> &'static [Field] {
    match kind {
        ObjectKind::Body => BODY,
        ObjectKind::Message => MESSAGE,
        ObjectKind::Part => PART,
        ObjectKind::Tool => TOOL,
        ObjectKind::Generation | ObjectKind::Item => &[],
    }
}

/// Returns the fields of a chat completions request that a conversion may ignore because they change no response, each
/// with the reason.
pub(crate) const fn ignorable(kind: ObjectKind) -> &'static [(&'static str, &'static str)] {
    match kind {
        ObjectKind::Body => &[
            ("user", "a user's id for the provider's abuse checks"),
            ("stream", "the converter decides whether to stream"),
            ("stream_options", "how usage and padding are streamed; usage is always requested"),
            ("model", "the converter sets the model"),
        ],
        ObjectKind::Message => &[("name", "of a tool result, which the id of its call identifies as well")],
        _ => &[],
    }
}

/// The known members of the body of a chat completions request, each with its rule.
const BODY: &[Field] = &[
    ("model", Supported),                                            // the requested model
    ("messages", Supported),                                         // the conversation
    ("stream", Supported),                                           // whether the response is streamed
    ("stream_options", ByValue), // usage at the end of the stream; the rest is native
    ("max_tokens", Supported),   // the limit of output tokens
    ("max_completion_tokens", Supported), // its newer name
    ("temperature", Supported),  // sampling that all APIs have
    ("top_p", Supported),        // sampling that all APIs have
    ("stop", Supported),         // stop sequences
    ("tools", Supported),        // definitions of tools
    ("tool_choice", Supported),  // which tool must be, may be or may not be called
    ("parallel_tool_calls", Supported), // whether several tools may be called at once
    ("response_format", Supported), // the schema of the response
    ("reasoning_effort", Supported), // the reasoning effort
    ("user", Supported),         // for the provider's own accounts
    ("safety_identifier", Supported), // for the provider's own accounts
    ("prompt_cache_key", Supported), // the key of the prompt cache
    ("prompt_cache_retention", Requires(Requirement::CacheControl)), // how long the provider keeps the prompt
    ("service_tier", ByValue),   // supported when `auto` or `default`, otherwise native
    ("store", ByValue),          // a stored response when true
    ("metadata", ByValue),       // labels of a stored response unless empty
    ("modalities", ByValue),     // audio unless it is text alone
    ("audio", Requires(Requirement::AudioVideo)), // the voice of the response
    ("n", ByValue),              // several responses when above 1
    ("logprobs", ByValue),       // probabilities when true
    ("top_logprobs", ByValue),   // probabilities when above 0
    ("seed", Requires(Requirement::Sampling)), // sampling
    ("logit_bias", ByValue),     // sampling unless empty
    ("frequency_penalty", ByValue), // sampling unless 0
    ("presence_penalty", ByValue), // sampling unless 0
    ("repetition_penalty", Requires(Requirement::Sampling)), // sampling of vLLM and OpenRouter
    ("top_k", Requires(Requirement::Sampling)), // sampling of vLLM and OpenRouter
    ("top_a", Requires(Requirement::Sampling)), // sampling of OpenRouter
    ("min_p", Requires(Requirement::Sampling)), // sampling of vLLM and OpenRouter
    ("verbosity", ByValue),      // sampling unless `medium`: the length of responses
    ("reasoning", Requires(Requirement::ThinkingControl)), // OpenRouter's control of thinking
    ("thinking", Requires(Requirement::ThinkingControl)), // other servers' control of thinking
    ("enable_thinking", Requires(Requirement::ThinkingControl)), // other servers' control of thinking
    ("web_search_options", Requires(Requirement::ServerTools)), // the provider's own search
];

/// The known members of a message in a chat completions request, each with its rule.
const MESSAGE: &[Field] = &[
    ("role", ByValue),                            // a late system message requires; unknown roles: native
    ("content", Supported),                       // a string or parts
    ("name", ByValue),                            // supported on a tool result, otherwise native
    ("tool_calls", Supported),                    // calls of the model
    ("tool_call_id", Supported),                  // of a tool's result
    ("refusal", ByValue),                         // native unless empty
    ("annotations", ByValue),                     // native unless empty
    ("function_call", ByValue),                   // calls in the deprecated form: native unless empty
    ("audio", Requires(Requirement::AudioVideo)), // earlier audio of the model
    ("reasoning_content", Requires(Requirement::EarlierThinking)), // thinking of DeepSeek and others
    ("reasoning", Requires(Requirement::EarlierThinking)), // thinking of OpenRouter
    ("reasoning_details", Requires(Requirement::EarlierThinking)), // thinking of OpenRouter, signed
    ("cache_control", Requires(Requirement::CacheControl)), // OpenRouter's and LiteLLM's mark for the prompt cache
];

/// The known members of a content part of any type in a chat completions request, each with its rule.
const PART: &[Field] = &[
    ("type", ByValue),                                      // unknown ones are native
    ("text", Supported),                                    // of a text
    ("image_url", ByValue),                                 // in the request, or remote
    ("input_audio", Requires(Requirement::AudioVideo)),     // audio
    ("video_url", Requires(Requirement::AudioVideo)),       // video
    ("file", Requires(Requirement::Documents)),             // a file in the request or stored by the provider
    ("cache_control", Requires(Requirement::CacheControl)), // OpenRouter's and LiteLLM's mark for the prompt cache
];

/// The known members of a tool definition in a chat completions request, each with its rule.
const TOOL: &[Field] = &[
    ("type", ByValue),     // functions are supported, custom tools and others require
    ("function", ByValue), // name, description, parameters, strict; others are native
    ("custom", Supported), // its type requires custom tools
    ("cache_control", Requires(Requirement::CacheControl)), // OpenRouter's and LiteLLM's mark for the prompt cache
];
