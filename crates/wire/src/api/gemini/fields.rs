//! The fields of a `generateContent` request that the parser knows, with the rule for each: supported by all APIs,
//! decided by its value, or requiring a feature. Google's servers accept names in camel case and in snake case.

use contracts::Requirement;

use crate::fields::{
    Field,
    FieldRule::{ByValue, Requires, Supported},
    ObjectKind,
};

/// Returns the known fields of a kind of object in a `generateContent` request, each with the rule by which it is
/// classified.
pub(crate) const fn fields(kind: ObjectKind) -> &'static [Field] {
    match kind {
        ObjectKind::Body => BODY,
        ObjectKind::Message => MESSAGE,
        ObjectKind::Part => PART,
        ObjectKind::Tool => TOOL,
        ObjectKind::Generation => GENERATION,
        ObjectKind::Item => &[],
    }
}

/// Returns the fields of a `generateContent` request that a conversion may ignore because they change no response, each
/// with the reason.
pub(crate) const fn ignorable(kind: ObjectKind) -> &'static [(&'static str, &'static str)] {
    match kind {
        ObjectKind::Body => &[("model", "the converter sets the model")],
        _ => &[],
    }
}

/// The known members of the body of a Gemini request, each with its rule.
const BODY: &[Field] = &[
    ("model", Supported),              // repeats the path
    ("contents", Supported),           // the conversation
    ("systemInstruction", Supported),  // the system prompt
    ("system_instruction", Supported), // the system prompt
    ("tools", Supported),              // definitions of tools
    ("toolConfig", ByValue),           // which function must be, may be or may not be called; the rest is native
    ("tool_config", ByValue),          // the same
    ("generationConfig", ByValue),     // see the table of its fields
    ("generation_config", ByValue),    // the same
];

/// The known members of `generationConfig` in a Gemini request, each with its rule.
const GENERATION: &[Field] = &[
    ("temperature", Supported),                                  // sampling that all APIs have
    ("topP", Supported),                                         // sampling that all APIs have
    ("top_p", Supported),                                        // sampling that all APIs have
    ("maxOutputTokens", Supported),                              // the limit of output tokens
    ("max_output_tokens", Supported),                            // the same
    ("stopSequences", Supported),                                // stop sequences
    ("stop_sequences", Supported),                               // the same
    ("responseMimeType", Supported),                             // JSON, for a response that follows a schema
    ("response_mime_type", Supported),                           // the same
    ("responseSchema", Supported),                               // the schema, in Google's dialect
    ("response_schema", Supported),                              // the same
    ("responseJsonSchema", Supported),                           // the schema, in JSON Schema
    ("response_json_schema", Supported),                         // the same
    ("_responseJsonSchema", Supported),                          // its former name
    ("topK", Requires(Requirement::Sampling)),                   // sampling
    ("top_k", Requires(Requirement::Sampling)),                  // sampling
    ("seed", Requires(Requirement::Sampling)),                   // sampling
    ("presencePenalty", ByValue),                                // sampling unless 0
    ("presence_penalty", ByValue),                               // sampling unless 0
    ("frequencyPenalty", ByValue),                               // sampling unless 0
    ("frequency_penalty", ByValue),                              // sampling unless 0
    ("candidateCount", ByValue),                                 // several responses when above 1
    ("candidate_count", ByValue),                                // the same
    ("responseLogprobs", ByValue),                               // probabilities when true
    ("response_logprobs", ByValue),                              // the same
    ("logprobs", ByValue),                                       // probabilities when above 0
    ("thinkingConfig", Requires(Requirement::ThinkingControl)),  // budgets and levels of thinking
    ("thinking_config", Requires(Requirement::ThinkingControl)), // the same
    ("responseModalities", ByValue),                             // audio requires; other than text is native
    ("response_modalities", ByValue),                            // the same
    ("speechConfig", Requires(Requirement::AudioVideo)),         // the voice of the response
    ("speech_config", Requires(Requirement::AudioVideo)),        // the same
];

/// The known members of a content in a Gemini request, each with its rule.
const MESSAGE: &[Field] = &[
    ("role", ByValue),    // unknown ones are native
    ("parts", Supported), // the parts of the message
];

/// The known members of a part of any kind in a Gemini request, each with its rule.
const PART: &[Field] = &[
    ("text", Supported),                                           // of a text
    ("inlineData", ByValue),                                       // an image is supported, the rest requires
    ("inline_data", ByValue),                                      // the same
    ("fileData", ByValue),                                         // depends on the type of the file
    ("file_data", ByValue),                                        // the same
    ("functionCall", ByValue),      // id, name and args are supported, the rest is native
    ("function_call", ByValue),     // the same
    ("functionResponse", ByValue),  // id, name and response are supported
    ("function_response", ByValue), // the same
    ("thought", ByValue),           // thinking when true
    ("thoughtSignature", Requires(Requirement::EarlierThinking)), // signs a thought or a call
    ("thought_signature", Requires(Requirement::EarlierThinking)), // the same
    ("executableCode", Requires(Requirement::ServerTools)), // code that Google ran
    ("executable_code", Requires(Requirement::ServerTools)), // the same
    ("codeExecutionResult", Requires(Requirement::ServerTools)), // its result
    ("code_execution_result", Requires(Requirement::ServerTools)), // the same
    ("videoMetadata", Requires(Requirement::AudioVideo)), // a section of a video
    ("video_metadata", Requires(Requirement::AudioVideo)), // the same
];

/// The known members of a tool in a Gemini request, each with its rule.
const TOOL: &[Field] = &[
    ("functionDeclarations", Supported), // tools that are functions; any other kind is the provider's own
    ("function_declarations", Supported), // the same
];
