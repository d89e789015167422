//! The known request fields of Gemini's `generateContent`. Google's servers accept them in camel case and in snake
//! case.

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
        Place::Generation => GENERATION,
        Place::Item => &[],
    }
}

/// Returns the fields that a conversion may ignore because they change no response, each with the reason.
pub(crate) const fn ignorable(place: Place) -> &'static [(&'static str, &'static str)] {
    match place {
        Place::Body => &[("model", "the converter sets the model")],
        _ => &[],
    }
}

const BODY: &[Field] = &[
    ("model", Plain),               // repeats the path
    ("contents", Plain),            // the conversation
    ("systemInstruction", Plain),   // the system prompt
    ("system_instruction", Plain),  // the system prompt
    ("tools", Plain),               // definitions of tools
    ("toolConfig", ByValue),        // which function must be, may be or may not be called; the rest is native
    ("tool_config", ByValue),       // the same
    ("generationConfig", ByValue),  // see the table of its fields
    ("generation_config", ByValue), // the same
];

const GENERATION: &[Field] = &[
    ("temperature", Plain),                                      // sampling that all APIs have
    ("topP", Plain),                                             // sampling that all APIs have
    ("top_p", Plain),                                            // sampling that all APIs have
    ("maxOutputTokens", Plain),                                  // the most tokens the model may write
    ("max_output_tokens", Plain),                                // the same
    ("stopSequences", Plain),                                    // texts that end the answer
    ("stop_sequences", Plain),                                   // the same
    ("responseMimeType", Plain),                                 // JSON, for an answer that follows a schema
    ("response_mime_type", Plain),                               // the same
    ("responseSchema", Plain),                                   // the schema, in Google's words
    ("response_schema", Plain),                                  // the same
    ("responseJsonSchema", Plain),                               // the schema, in JSON Schema's words
    ("response_json_schema", Plain),                             // the same
    ("_responseJsonSchema", Plain),                              // its first name
    ("topK", Requires(Requirement::Sampling)),                   // sampling
    ("top_k", Requires(Requirement::Sampling)),                  // sampling
    ("seed", Requires(Requirement::Sampling)),                   // sampling
    ("presencePenalty", ByValue),                                // sampling unless 0
    ("presence_penalty", ByValue),                               // sampling unless 0
    ("frequencyPenalty", ByValue),                               // sampling unless 0
    ("frequency_penalty", ByValue),                              // sampling unless 0
    ("candidateCount", ByValue),                                 // several answers when above 1
    ("candidate_count", ByValue),                                // the same
    ("responseLogprobs", ByValue),                               // probabilities when true
    ("response_logprobs", ByValue),                              // the same
    ("logprobs", ByValue),                                       // probabilities when above 0
    ("thinkingConfig", Requires(Requirement::ThinkingControl)),  // budgets and levels of thinking
    ("thinking_config", Requires(Requirement::ThinkingControl)), // the same
    ("responseModalities", ByValue),                             // text is plain, sound requires, the rest is native
    ("response_modalities", ByValue),                            // the same
    ("speechConfig", Requires(Requirement::AudioVideo)),         // the voice of the answer
    ("speech_config", Requires(Requirement::AudioVideo)),        // the same
];

const MESSAGE: &[Field] = &[
    ("role", ByValue), // unknown ones are native
    ("parts", Plain),  // what it is made of
];

const PART: &[Field] = &[
    ("text", Plain),                                               // of a text
    ("inlineData", ByValue),                                       // an image is plain, the rest requires
    ("inline_data", ByValue),                                      // the same
    ("fileData", ByValue),                                         // by what the file is
    ("file_data", ByValue),                                        // the same
    ("functionCall", ByValue),                                     // id, name and args are plain, the rest is native
    ("function_call", ByValue),                                    // the same
    ("functionResponse", ByValue),                                 // id, name and response are plain
    ("function_response", ByValue),                                // the same
    ("thought", ByValue),                                          // thinking when true
    ("thoughtSignature", Requires(Requirement::Signatures)),       // signs a thought or a call
    ("thought_signature", Requires(Requirement::Signatures)),      // the same
    ("executableCode", Requires(Requirement::ServerTools)),        // code that Google ran
    ("executable_code", Requires(Requirement::ServerTools)),       // the same
    ("codeExecutionResult", Requires(Requirement::ServerTools)),   // what it gave
    ("code_execution_result", Requires(Requirement::ServerTools)), // the same
    ("videoMetadata", Requires(Requirement::AudioVideo)),          // which part of a film
    ("video_metadata", Requires(Requirement::AudioVideo)),         // the same
];

const TOOL: &[Field] = &[
    ("functionDeclarations", Plain), // tools that are functions; any other kind is the provider's own
    ("function_declarations", Plain), // the same
];
