//! Estimates the tokens of a prompt without a tokenizer.
//!
//! The estimate consists of characters per token and fixed surcharges, in integers, one set for each family of
//! tokenizers.
//!
//! **Anthropic** is calibrated on 33 recorded coding sessions (2,029 calls). The difference of the recorded input
//! between consecutive calls was compared with the characters added in between (responses, tool calls and results;
//! hidden thinking and system reminders are not recorded, so the surcharge for a message includes them). The least
//! absolute error over 1,969 steps is at 2.9 characters per token and 65 tokens per message, with a weighted error of
//! 13 % per step and a sum 3 % too low. Agent prompts consist of code, paths and JSON; English prose alone has about
//! 3.5 characters per token.
//!
//! **`OpenAI`** and **Google** publish about 4 characters per token of English prose. Anthropic's own figure for prose
//! is 3.5, and 2.9 were measured in agent sessions, so agent prompts have 1.2 times the tokens of prose: 3.3 characters
//! per token for both. **Others** use 3.0, between 2.9 and 3.3, to avoid exceeding small windows.
//!
//! Images count as the most expensive image of each family after its own down-scaling, since their size is not read
//! (Anthropic about 1,600 tokens, `OpenAI` 1,105 in high detail, Google four tiles of 258).

use contracts::{Estimates, Tokenizer};
use serde::{Deserialize, Serialize};

/// The size of a prompt, from which the number of its tokens is estimated. Characters are Unicode scalar values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PromptShape {
    /// Number of tokens of the part of the prompt that an earlier call counted, converted to tokens of Anthropic's
    /// tokenizer with [`to_recorded_tokens`].
    pub recorded_tokens: u64,
    /// Number of characters in the rest of the prompt: system prompt, messages, tool calls and results.
    pub characters: u64,
    /// Number of messages in the rest of the prompt. A surcharge is added for each.
    pub messages: u64,
    /// Number of images in the rest of the prompt.
    pub images: u64,
    /// Number of tool definitions in the rest of the prompt.
    pub tools: u64,
    /// Number of characters in these tool definitions: names, descriptions and schemas.
    pub tool_characters: u64,
}

/// The constants by which the tokens of a prompt are estimated for one family of tokenizers. Surcharges are in tokens.
/// See the module documentation for their sources.
struct TokenizerConstants {
    /// Number of characters in ten tokens.
    characters_per_ten_tokens: u64,
    /// Surcharge for each message.
    per_message: u64,
    /// Surcharge for each image.
    per_image: u64,
    /// Surcharge for each tool.
    per_tool: u64,
    /// Surcharge for a prompt with at least one tool, in addition to that for each tool.
    any_tools: u64,
}

/// Returns the constants of the estimate for a family of tokenizers.
const fn tokenizer_constants(tokenizer: Tokenizer) -> TokenizerConstants {
    match tokenizer {
        // 346 tokens are documented by Anthropic for the hidden tool-use prompt.
        Tokenizer::Anthropic => TokenizerConstants {
            characters_per_ten_tokens: 29,
            per_message: 65,
            per_image: 1_600,
            per_tool: 12,
            any_tools: 346,
        },
        Tokenizer::OpenAi => TokenizerConstants {
            characters_per_ten_tokens: 33,
            per_message: 4,
            per_image: 1_105,
            per_tool: 10,
            any_tools: 0,
        },
        Tokenizer::Google => TokenizerConstants {
            characters_per_ten_tokens: 33,
            per_message: 4,
            per_image: 1_032,
            per_tool: 10,
            any_tools: 0,
        },
        Tokenizer::Generic => TokenizerConstants {
            characters_per_ten_tokens: 30,
            per_message: 8,
            per_image: 1_600,
            per_tool: 12,
            any_tools: 0,
        },
    }
}

/// Estimates the number of tokens of a prompt for one family of tokenizers; at least 1. A longer prompt never has a
/// lower estimate.
pub fn estimate_tokens(tokenizer: Tokenizer, shape: &PromptShape) -> u64 {
    let constants = tokenizer_constants(tokenizer);
    let ratio = constants.characters_per_ten_tokens;
    // Recorded tokens are converted to characters by Anthropic's ratio.
    let recorded_tokens = match tokenizer {
        Tokenizer::Anthropic => shape.recorded_tokens,
        _ => multiply_divide_ceil(
            shape.recorded_tokens,
            tokenizer_constants(Tokenizer::Anthropic).characters_per_ten_tokens,
            ratio,
        ),
    };
    let characters = shape.characters.saturating_add(shape.tool_characters);
    recorded_tokens
        .saturating_add(multiply_divide_ceil(characters, 10, ratio))
        .saturating_add(shape.messages.saturating_mul(constants.per_message))
        .saturating_add(shape.images.saturating_mul(constants.per_image))
        .saturating_add(shape.tools.saturating_mul(constants.per_tool))
        .saturating_add(if shape.tools == 0 { 0 } else { constants.any_tools })
        .max(1)
}

/// Converts a token count that a provider reported to tokens of Anthropic's tokenizer, the unit of
/// [`PromptShape::recorded_tokens`]. For the same family, [`estimate_tokens`] converts it back to the reported count.
pub fn to_recorded_tokens(tokenizer: Tokenizer, tokens: u64) -> u64 {
    let ratio = |tokenizer| tokenizer_constants(tokenizer).characters_per_ten_tokens;
    let wide = u128::from(tokens) * u128::from(ratio(tokenizer)) / u128::from(ratio(Tokenizer::Anthropic));
    u64::try_from(wide).unwrap_or(u64::MAX)
}

/// Estimates the number of tokens of a text alone, without the surcharge for a message; at least 1.
pub fn estimate_text_tokens(tokenizer: Tokenizer, text: &str) -> u64 {
    estimate_tokens(tokenizer, &PromptShape { characters: count_characters(text), ..PromptShape::default() })
}

/// Estimates the number of tokens of a prompt for every family of tokenizers.
pub fn estimate_for_each_tokenizer(shape: &PromptShape) -> Estimates {
    Estimates::each(|tokenizer| estimate_tokens(tokenizer, shape))
}

/// Returns the number of Unicode scalar values in a text, the unit of [`PromptShape::characters`].
pub fn count_characters(text: &str) -> u64 {
    text.chars().count() as u64
}

/// Returns `number * numerator / denominator`, rounded up, or the maximum if the result exceeds 64 bits.
fn multiply_divide_ceil(number: u64, numerator: u64, denominator: u64) -> u64 {
    let wide = (u128::from(number) * u128::from(numerator)).div_ceil(u128::from(denominator));
    u64::try_from(wide).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use contracts::Tokenizer;
    use proptest::prelude::*;

    use super::{PromptShape, estimate_for_each_tokenizer, estimate_text_tokens, estimate_tokens, to_recorded_tokens};

    /// The estimates of one prompt differ by family, and even an empty text has one token.
    #[test]
    fn estimates_differ_by_family_and_are_at_least_one() {
        let shape = PromptShape {
            characters: 29_000,
            messages: 10,
            images: 1,
            tools: 2,
            tool_characters: 2_900,
            ..PromptShape::default()
        };
        let all = estimate_for_each_tokenizer(&shape);
        let each: Vec<u64> = Tokenizer::ALL.into_iter().map(|tokenizer| all.for_tokenizer(tokenizer)).collect();
        assert_eq!(each, [13_620, 10_832, 10_759, 12_338]);
        assert_eq!(estimate_text_tokens(Tokenizer::Anthropic, ""), 1);
        assert_eq!(estimate_text_tokens(Tokenizer::Anthropic, "hello"), 2);
    }

    /// Recorded tokens are unchanged for Anthropic's tokenizer and converted for others.
    #[test]
    fn recorded_tokens_are_converted_only_for_other_families() {
        let shape = PromptShape { recorded_tokens: 33_000, ..PromptShape::default() };
        assert_eq!(estimate_tokens(Tokenizer::Anthropic, &shape), 33_000);
        assert_eq!(estimate_tokens(Tokenizer::OpenAi, &shape), 29_000);
    }

    /// Recorded tokens that were converted from a family are estimated for that family as the original number.
    #[test]
    fn converted_token_counts_are_restored_for_their_own_family() {
        for tokenizer in Tokenizer::ALL {
            for recorded in [1, 10, 999, 10_900, 1_234_567] {
                let shape =
                    PromptShape { recorded_tokens: to_recorded_tokens(tokenizer, recorded), ..PromptShape::default() };
                assert_eq!(estimate_tokens(tokenizer, &shape), recorded, "{tokenizer:?}");
            }
        }
    }

    /// Generates sizes of prompts, also with the maximum of 64 bits.
    fn shape() -> impl Strategy<Value = PromptShape> {
        prop::array::uniform6(prop_oneof![0_u64..5_000_000, Just(u64::MAX)]).prop_map(
            |[recorded_tokens, characters, messages, images, tools, tool_characters]| PromptShape {
                recorded_tokens,
                characters,
                messages,
                images,
                tools,
                tool_characters,
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn a_longer_prompt_never_has_a_lower_estimate(shape in shape(), more in shape()) {
            let longer = PromptShape {
                recorded_tokens: shape.recorded_tokens.saturating_add(more.recorded_tokens),
                characters: shape.characters.saturating_add(more.characters),
                messages: shape.messages.saturating_add(more.messages),
                images: shape.images.saturating_add(more.images),
                tools: shape.tools.saturating_add(more.tools),
                tool_characters: shape.tool_characters.saturating_add(more.tool_characters),
            };
            for tokenizer in Tokenizer::ALL {
                prop_assert!(estimate_tokens(tokenizer, &shape) <= estimate_tokens(tokenizer, &longer));
            }
        }
    }
}
