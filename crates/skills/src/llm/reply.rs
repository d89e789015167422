//! [`LlmReply`], the validated reply of a model (000 §1.1 layer 3).

use contracts::Score;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use crate::{fraction::parse_fraction, request::LlmAnswer};

/// The name with which a model replies that no single skill fits.
const AMBIGUOUS: &str = "ambiguous";
/// The longest accepted reply, in bytes.
const MAX_REPLY_BYTES: usize = 16 * 1024;

/// The reply of a model to a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmReply {
    /// The skill; `None` if the model replied that the request is ambiguous.
    pub skill: Option<String>,
    /// Further skills for a combination.
    pub secondary: Vec<String>,
    /// The confidence of the model.
    pub confidence: Score,
    /// The reasoning of the model.
    pub reasoning: String,
}

/// Error of a reply that does not have the required form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LlmReplyError {
    /// The reply is longer than 16 kB.
    #[error("reply too long")]
    TooLong,
    /// The reply is not one JSON object with the required keys.
    #[error("reply not valid: {0}")]
    Invalid(String),
    /// A required text is empty.
    #[error("reply not valid: `{0}` is empty")]
    Empty(&'static str),
    /// The confidence is not a decimal number from 0 to 1.
    #[error("reply not valid: confidence {0} is not a number from 0 to 1")]
    Confidence(String),
}

/// The form of a reply. Unknown keys are ignored.
#[derive(Deserialize)]
struct RawReply {
    /// The skill (`selected_skill` in 002, `skill` in 000).
    #[serde(alias = "skill")]
    selected_skill: String,
    /// Further skills.
    #[serde(default)]
    secondary_skills: Vec<String>,
    /// The confidence.
    confidence: Number,
    /// The reasoning.
    reasoning: String,
}

/// Validates the reply of a model: one JSON object, also within a code fence.
///
/// # Errors
/// [`LlmReplyError`] if the reply is too long, is no such object, or has a missing or invalid value.
pub fn parse_reply(reply: &str) -> Result<LlmReply, LlmReplyError> {
    if MAX_REPLY_BYTES < reply.len() {
        return Err(LlmReplyError::TooLong);
    }
    let raw: RawReply =
        serde_json::from_str(without_fence(reply)).map_err(|error| LlmReplyError::Invalid(error.to_string()))?;
    let skill = raw.selected_skill.trim().trim_start_matches('/').to_owned();
    if skill.is_empty() {
        return Err(LlmReplyError::Empty("selected_skill"));
    }
    if raw.reasoning.trim().is_empty() {
        return Err(LlmReplyError::Empty("reasoning"));
    }
    let number = raw.confidence.to_string();
    let confidence = parse_fraction(&number).ok_or(LlmReplyError::Confidence(number))?;
    let secondary = raw.secondary_skills.iter().map(|name| name.trim().trim_start_matches('/').to_owned()).collect();
    let skill = (!skill.eq_ignore_ascii_case(AMBIGUOUS)).then_some(skill);
    Ok(LlmReply { skill, secondary, confidence, reasoning: raw.reasoning.trim().to_owned() })
}

impl LlmReply {
    /// Returns the reply in the form that a decision reads.
    pub fn as_answer(&self) -> LlmAnswer<'_> {
        let (confidence, reasoning) = (self.confidence, self.reasoning.as_str());
        match &self.skill {
            Some(name) => LlmAnswer::Skill { name, secondary: &self.secondary, confidence, reasoning },
            None => LlmAnswer::Ambiguous { confidence, reasoning },
        }
    }
}

/// Returns the text within a code fence, or the whole text.
fn without_fence(text: &str) -> &str {
    let text = text.trim();
    let Some(inner) = text.strip_prefix("```").and_then(|text| text.strip_suffix("```")) else { return text };
    inner.strip_prefix("json").unwrap_or(inner).trim()
}

#[cfg(test)]
mod tests {
    use contracts::Score;

    use super::{LlmReplyError, parse_reply};
    use crate::request::LlmAnswer;

    /// SK-17: a reply has skill, confidence and reasoning; both notations of the specifications are accepted.
    #[test]
    fn a_complete_reply_is_accepted() {
        let reply = parse_reply(
            "```json\n{\"selected_skill\": \"/nasa-se\", \"secondary_skills\": [\"adversary\"], \"confidence\": 0.7, \
             \"reasoning\": \"requirements\", \"other\": 1}\n```",
        );
        let reply = reply.unwrap();
        assert_eq!((reply.skill.as_deref(), reply.secondary.len()), (Some("nasa-se"), 1));
        assert_eq!(reply.confidence, Score::ratio(7, 10));
        let short = parse_reply(r#"{"skill": "Ambiguous", "confidence": 1, "reasoning": "both"}"#).unwrap();
        assert!(matches!(short.as_answer(), LlmAnswer::Ambiguous { confidence: Score::ONE, .. }));
    }

    /// SK-17: a reply without reasoning, and every other incomplete reply, is rejected with its cause.
    #[test]
    fn an_incomplete_reply_is_rejected() {
        let error = |reply: &str| parse_reply(reply).unwrap_err();
        assert!(error(r#"{"skill": "a", "confidence": 0.9}"#).to_string().contains("reasoning"));
        assert_eq!(error(r#"{"skill": "a", "confidence": 0.9, "reasoning": " "}"#), LlmReplyError::Empty("reasoning"));
        assert_eq!(
            error(r#"{"skill": "/", "confidence": 0.9, "reasoning": "x"}"#),
            LlmReplyError::Empty("selected_skill")
        );
        for confidence in ["1.1", "-0.1", "1.0000001", "2"] {
            let reply = format!("{{\"skill\": \"a\", \"confidence\": {confidence}, \"reasoning\": \"x\"}}");
            assert!(matches!(error(&reply), LlmReplyError::Confidence(_)), "{confidence}");
        }
        for reply in ["", "the skill is a", r#"["a"]"#, r#"{"skill": "a", "confidence": "high", "reasoning": "x"}"#] {
            assert!(matches!(error(reply), LlmReplyError::Invalid(_)), "{reply}");
        }
        assert_eq!(error(&" ".repeat(20_000)), LlmReplyError::TooLong);
    }
}
