//! [`MultiSkillContext`], the data that combined skills pass to each other (000 §4.3).

use contracts::SkillOutcome;
use serde::{Deserialize, Serialize};

/// The longest text that is passed between skills, in characters. Longer ones are the content of a file.
const MAX_TEXT_CHARS: usize = 2_000;
/// The longest text that is passed between skills, in lines.
const MAX_TEXT_LINES: usize = 20;

/// The skills of a request in their order, with the results that each passes to the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MultiSkillContext {
    /// The request of the user.
    pub original_request: String,
    /// The skills in their order.
    pub skill_sequence: Vec<SkillStep>,
}

/// A skill of a sequence.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillStep {
    /// The skill.
    pub skill: String,
    /// The role of the skill in the sequence, in words.
    pub role: String,
    /// The progress.
    pub status: StepStatus,
    /// The paths of files that the skill wrote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub output_artifacts: Vec<String>,
    /// Its results in a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub key_findings: Vec<String>,
    /// The paths of files that the skill reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub input_artifacts: Vec<String>,
    /// The skills that must be complete before, by name or in a sentence that has the name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<String>,
}

/// The progress of a skill of a sequence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepStatus {
    /// The skill has not started.
    #[default]
    Pending,
    /// The skill is being used.
    InProgress,
    /// The skill has its result.
    Complete,
    /// The skill ended without a result.
    Failed,
}

/// Error of a text that contains the content of a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} of {skill} contains the content of a file; pass its path and a finding instead (CP-01)")]
pub struct InlineContent {
    /// The skill.
    pub skill: String,
    /// The name of the list.
    pub field: &'static str,
}

impl MultiSkillContext {
    /// Creates the sequence of the skills that an outcome loads: each depends on the one before it. `role` returns the role
    /// of a skill. `None` if fewer than two skills are loaded.
    pub fn new(request: &str, outcome: &SkillOutcome, role: impl Fn(&str) -> String) -> Option<Self> {
        let skills = outcome.loaded();
        let before = std::iter::once(None).chain(skills.iter().map(Some));
        let steps = skills.iter().zip(before).map(|(skill, before)| SkillStep {
            skill: skill.clone(),
            role: role(skill),
            dependencies: before.into_iter().cloned().collect(),
            ..SkillStep::default()
        });
        (1 < skills.len()).then(|| Self { original_request: request.to_owned(), skill_sequence: steps.collect() })
    }

    /// Returns the skills that can start: those that are pending and whose dependencies are complete.
    pub fn ready(&self) -> impl Iterator<Item = &SkillStep> {
        self.skill_sequence.iter().filter(|step| {
            step.status == StepStatus::Pending
                && self
                    .skill_sequence
                    .iter()
                    .all(|other| !step.depends_on(other) || other.status == StepStatus::Complete)
        })
    }

    /// Checks that only paths and findings are passed on, not the content of files (000 AR-005).
    ///
    /// # Errors
    /// [`InlineContent`] for the first text with a code fence, more than 2,000 characters or more than 20 lines.
    pub fn check(&self) -> Result<(), InlineContent> {
        for step in &self.skill_sequence {
            let lists = [
                ("output_artifacts", &step.output_artifacts),
                ("key_findings", &step.key_findings),
                ("input_artifacts", &step.input_artifacts),
                ("dependencies", &step.dependencies),
            ];
            if let Some((field, _)) = lists.into_iter().find(|(_, texts)| texts.iter().any(|text| is_content(text))) {
                return Err(InlineContent { skill: step.skill.clone(), field });
            }
        }
        Ok(())
    }
}

impl SkillStep {
    /// Returns whether a dependency of this step names the skill of another.
    fn depends_on(&self, other: &Self) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        let name = other.skill.trim_start_matches('/');
        let names = |text: &str| text.split(|c| !is_word(c)).any(|word| word == name);
        other.skill != self.skill && self.dependencies.iter().any(|text| names(text))
    }
}

/// Returns whether a text is the content of a file.
fn is_content(text: &str) -> bool {
    text.contains("```") || MAX_TEXT_CHARS < text.chars().count() || MAX_TEXT_LINES < text.lines().count()
}

#[cfg(test)]
mod tests {
    use contracts::SkillOutcome;

    use super::{InlineContent, MultiSkillContext, StepStatus};

    /// Returns the context of 000 §4.3.
    fn printed() -> serde_json::Value {
        serde_json::json!({
            "original_request": "Research the options and create a requirements specification",
            "skill_sequence": [
                {
                    "skill": "/problem-solving",
                    "role": "primary-research",
                    "status": "complete",
                    "output_artifacts": ["work/research/options-analysis.md"],
                    "key_findings": [
                        "Three viable architecture options identified",
                        "Option B has lowest risk profile",
                    ],
                },
                {
                    "skill": "/nasa-se",
                    "role": "requirements-from-research",
                    "status": "in-progress",
                    "input_artifacts": ["work/research/options-analysis.md"],
                    "dependencies": ["/problem-solving output must be complete before /nasa-se begins"],
                },
            ],
        })
    }

    /// SK-66: the printed context is read and written without loss; an unknown status is an error.
    #[test]
    fn the_printed_context_round_trips() {
        let context: MultiSkillContext = serde_json::from_value(printed()).unwrap();
        assert_eq!(serde_json::to_value(&context).unwrap(), printed());
        let mut unknown = printed();
        unknown["skill_sequence"][0]["status"] = "done".into();
        assert!(serde_json::from_value::<MultiSkillContext>(unknown).unwrap_err().to_string().contains("`done`"));
    }

    /// SK-67: the content of a file is refused; paths and findings are accepted.
    #[test]
    fn the_content_of_a_file_is_refused() {
        let context: MultiSkillContext = serde_json::from_value(printed()).unwrap();
        assert_eq!(context.check(), Ok(()));
        for content in ["```rust\nfn main() {}\n```".to_owned(), "x".repeat(2_001), "line\n".repeat(21)] {
            let mut context = context.clone();
            context.skill_sequence[0].key_findings.push(content);
            let error = InlineContent { skill: "/problem-solving".to_owned(), field: "key_findings" };
            assert_eq!(context.check(), Err(error));
        }
        let mut at_limit = context;
        at_limit.skill_sequence[0].key_findings.push("x".repeat(2_000));
        assert_eq!(at_limit.check(), Ok(()));
    }

    /// SK-68: a skill starts when those that it depends on are complete.
    #[test]
    fn a_skill_waits_for_its_dependencies() {
        let skills = vec!["problem-solving".to_owned(), "nasa-se".to_owned()];
        let outcome = SkillOutcome::Load { skills, coordinated: false };
        let mut context = MultiSkillContext::new("research, then design", &outcome, str::to_owned).unwrap();
        let ready = |context: &MultiSkillContext| context.ready().map(|step| step.skill.clone()).collect::<Vec<_>>();
        assert_eq!(ready(&context), ["problem-solving"]);
        context.skill_sequence[0].status = StepStatus::InProgress;
        assert_eq!(ready(&context), Vec::<String>::new());
        context.skill_sequence[0].status = StepStatus::Complete;
        assert_eq!(ready(&context), ["nasa-se"]);
        let mut sentence: MultiSkillContext = serde_json::from_value(printed()).unwrap();
        sentence.skill_sequence[1].status = StepStatus::Pending;
        assert_eq!(ready(&sentence), ["/nasa-se"]);
        sentence.skill_sequence[0].status = StepStatus::Failed;
        assert_eq!(ready(&sentence), Vec::<String>::new());
        assert_eq!(MultiSkillContext::new("x", &SkillOutcome::load("a"), str::to_owned), None);
    }
}
