//! [`SkillRouter`], the skills of a workspace prepared for decisions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    agents_md::AgentsFiles,
    cases::RoutingCase,
    explicit::NameAt,
    index::SkillIndex,
    keyword::KeywordRows,
    phrases::{Occurrence, PhraseId, PhraseIndex, PhraseList},
    plugin_name::find_name,
    rank::LearnedIntent,
    score::ScoreIndex,
    settings::SkillSettings,
    tree::{DecisionTree, TaskTypes, TreeError},
    triggers::TriggerTable,
};

/// The files of a workspace that decisions read. They are recorded, so that a decision can be repeated after the files
/// have changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillSources {
    /// The skills.
    pub index: SkillIndex,
    /// The trigger table; empty if there is none.
    pub triggers: TriggerTable,
    /// The AGENTS.md files.
    pub agents: AgentsFiles,
    /// The labelled requests that the intent of the scores is learned from; empty if there are none.
    #[serde(default)]
    pub cases: Vec<RoutingCase>,
}

/// The skills of a workspace with their settings, prepared for decisions: all phrases of all skills are searched in one
/// pass.
#[derive(Debug)]
pub struct SkillRouter {
    /// The files.
    sources: SkillSources,
    /// The settings.
    settings: SkillSettings,
    /// The search for all phrases.
    phrases: PhraseIndex,
    /// The skill of each phrase that is a name.
    names: BTreeMap<PhraseId, String>,
    /// The keywords of all skills.
    keywords: KeywordRows,
    /// The words of each type of task.
    task_types: TaskTypes,
    /// The decision tree.
    tree: DecisionTree,
    /// The skills prepared for scores.
    scores: ScoreIndex,
    /// What the labelled requests teach about the intent of requests; `None` if there are too few.
    learned: Option<LearnedIntent>,
}

/// Error of the preparation of skills.
#[derive(Debug, thiserror::Error)]
pub enum SkillRouterError {
    /// The phrases are together longer than can be searched, some hundred megabytes.
    #[error("the names and keywords of the skills are too long to be searched; remove skills from the index")]
    TooManyPhrases,
    /// A row of the decision tree is faulty.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

impl SkillRouter {
    /// Prepares the skills of a workspace for decisions, which includes training on the labelled requests: some
    /// milliseconds for 100 requests, a few seconds for 3,000.
    ///
    /// # Errors
    /// [`SkillRouterError`] if a row of the decision tree is faulty or the keywords are too long.
    pub fn new(sources: SkillSources, settings: SkillSettings) -> Result<Self, SkillRouterError> {
        let mut phrases = PhraseList::default();
        let mut names = BTreeMap::new();
        let skills = sources.index.skills().iter().map(|skill| &skill.name);
        for name in skills.chain(sources.triggers.rows.iter().map(|row| &row.skill)) {
            if let Some(phrase) = phrases.add(name) {
                names.entry(phrase).or_insert_with(|| name.clone());
            }
        }
        let keywords = KeywordRows::new(&sources.index, &sources.triggers, &settings, &mut phrases);
        let phrases = phrases.build().map_err(|_| SkillRouterError::TooManyPhrases)?;
        let task_types = TaskTypes::new(&settings.task_types);
        let tree = DecisionTree::new(&settings.tree, &task_types)?;
        let scores = ScoreIndex::new(&sources.index);
        let learned = settings.layers.score.then(|| LearnedIntent::train(&sources.index, &sources.cases)).flatten();
        Ok(Self { sources, settings, phrases, names, keywords, task_types, tree, scores, learned })
    }

    /// Returns the files.
    pub const fn sources(&self) -> &SkillSources {
        &self.sources
    }

    /// Returns the settings.
    pub const fn settings(&self) -> &SkillSettings {
        &self.settings
    }

    /// Returns the search for all phrases.
    pub(crate) const fn phrases(&self) -> &PhraseIndex {
        &self.phrases
    }

    /// Returns the keywords of all skills.
    pub(crate) const fn keywords(&self) -> &KeywordRows {
        &self.keywords
    }

    /// Returns the words of each type of task.
    pub(crate) const fn task_types(&self) -> &TaskTypes {
        &self.task_types
    }

    /// Returns the decision tree.
    pub(crate) const fn tree(&self) -> &DecisionTree {
        &self.tree
    }

    /// Returns the skills prepared for scores.
    pub(crate) const fn scores(&self) -> &ScoreIndex {
        &self.scores
    }

    /// Returns what the labelled requests teach; `None` if there are too few or the scores are switched off.
    pub const fn learned(&self) -> Option<&LearnedIntent> {
        self.learned.as_ref()
    }

    /// Returns the names of skills among the phrases that occur in a request.
    pub(crate) fn names_at(&self, found: &[Occurrence]) -> Vec<NameAt<'_>> {
        let name_at = |found: &Occurrence| Some(NameAt { span: found.span, skill: self.names.get(&found.phrase)? });
        found.iter().filter_map(name_at).collect()
    }

    /// Returns the skill with a name or an alias, which are compared exactly, or else the only skill whose name differs by the
    /// name of its plugin, which one of both lacks: `tools:review` for `review`. `None` if neither the index nor the trigger table
    /// has it, or several skills have it.
    pub fn resolve(&self, name: &str) -> Option<&str> {
        let name = self.settings.aliases.get(name).map_or(name, String::as_str);
        let skills = self.sources.index.skills().iter().map(|skill| skill.name.as_str());
        let rows = || self.sources.triggers.rows.iter().map(|row| row.skill.as_str());
        let exact = self.sources.index.get(name).map(|skill| skill.name.as_str());
        let exact = exact.or_else(|| rows().find(|known| *known == name));
        exact.or_else(|| find_name(name, skills.chain(rows())))
    }

    /// Returns all names of skills and aliases. A name can be repeated.
    pub(crate) fn all_names(&self) -> impl Iterator<Item = &str> {
        let skills = self.sources.index.skills().iter().map(|skill| skill.name.as_str());
        let rows = self.sources.triggers.rows.iter().map(|row| row.skill.as_str());
        skills.chain(rows).chain(self.settings.aliases.keys().map(String::as_str))
    }
}
