//! [`KeywordRows`], the keywords of all skills with the numbers of their phrases.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    index::SkillIndex,
    keyword::compound::CompiledCompound,
    phrases::{PhraseId, PhraseList},
    settings::{CONTENT, COORDINATOR, SkillSettings},
    skill::Skill,
    triggers::{TriggerRow, TriggerTable},
};

/// The priority of a skill without a row in the trigger table, which is below every row.
pub(crate) const UNRANKED: u32 = 1_000_000;

/// A keyword of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Keyword {
    /// The keyword as its author wrote it.
    pub(crate) text: String,
    /// Whether a negative keyword has an effect only beside a single keyword; `false` for other keywords.
    pub(crate) standalone: bool,
}

/// The keywords of one skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeywordRow {
    /// The name of the skill.
    pub(crate) skill: String,
    /// The priority; 1 is the highest.
    pub(crate) priority: u32,
    /// The role of the skill in a combination.
    pub(crate) role: String,
    /// The keywords, without duplicates.
    pub(crate) keywords: Vec<Keyword>,
    /// The negative keywords.
    pub(crate) negatives: Vec<Keyword>,
    /// The compound trigger; `None` if there is none.
    pub(crate) compound: Option<CompiledCompound>,
}

impl KeywordRow {
    /// Returns whether the skill plans and coordinates others.
    pub(crate) fn is_coordinator(&self) -> bool {
        self.role == COORDINATOR
    }
}

/// The places that declare the keywords of one skill.
#[derive(Debug, Clone, Copy, Default)]
struct KeywordSource<'a> {
    /// The row of the trigger table; `None` if it has none.
    row: Option<&'a TriggerRow>,
    /// The skill; `None` if only the table names it.
    skill: Option<&'a Skill>,
}

/// The use of a phrase as a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeywordUse {
    /// The index of the row.
    pub(crate) row: usize,
    /// The index of the keyword in the list of the row.
    pub(crate) keyword: usize,
    /// Whether it is a negative keyword.
    pub(crate) is_negative: bool,
}

/// The keywords of all skills, sorted by the names of the skills, so that the order of a table has no effect.
#[derive(Debug, Default)]
pub(crate) struct KeywordRows {
    /// The rows.
    pub(crate) rows: Vec<KeywordRow>,
    /// The uses of each phrase, by the number of the phrase.
    uses: Vec<Vec<KeywordUse>>,
    /// The rows whose compound triggers have each phrase.
    compounds: BTreeMap<PhraseId, Vec<usize>>,
}

impl KeywordRows {
    /// Unites the keywords of the trigger table and of the skills, and adds them to `phrases`. Skills that only their
    /// name loads have no row.
    pub(crate) fn new(
        index: &SkillIndex,
        table: &TriggerTable,
        settings: &SkillSettings,
        phrases: &mut PhraseList,
    ) -> Self {
        let mut sources: BTreeMap<&str, KeywordSource<'_>> = BTreeMap::new();
        for row in &table.rows {
            sources.entry(&row.skill).or_default().row = Some(row);
        }
        for skill in index.skills() {
            sources.entry(&skill.name).or_default().skill = Some(skill);
        }
        let mut rows = Self::default();
        for (name, source) in sources {
            if source.skill.is_some_and(|skill| skill.explicit_only) {
                continue;
            }
            let own_role = source.skill.and_then(|skill| skill.role.as_ref()).or_else(|| settings.roles.get(name));
            let role = own_role.map_or(CONTENT, String::as_str);
            rows.push_row(name, role, source, phrases);
        }
        rows
    }

    /// Adds the row of a skill.
    fn push_row(&mut self, name: &str, role: &str, source: KeywordSource<'_>, phrases: &mut PhraseList) {
        let number = self.rows.len();
        let KeywordSource { row, skill } = source;
        let keywords = row.iter().flat_map(|row| &row.keywords);
        let keywords = keywords.chain(skill.iter().flat_map(|skill| &skill.keywords));
        let keywords = self.add_list(number, false, keywords.map(|text| (text.as_str(), false)), phrases);
        let negatives = row.iter().flat_map(|row| &row.negatives);
        let negatives = negatives.map(|negative| (negative.keyword.as_str(), negative.standalone));
        let own = skill.iter().flat_map(|skill| &skill.negative_keywords).map(|text| (text.as_str(), false));
        let negatives = self.add_list(number, true, negatives.chain(own), phrases);
        let compound = row.and_then(|row| row.compound.as_ref());
        let compound = compound.map(|compound| CompiledCompound::new(compound, phrases));
        let mut terms = BTreeSet::new();
        if let Some(compound) = &compound {
            compound.collect_phrases(&mut terms);
        }
        for phrase in terms {
            self.compounds.entry(phrase).or_default().push(number);
        }
        let priority = row.map_or(UNRANKED, |row| row.priority);
        let (skill, role) = (name.to_owned(), role.to_owned());
        self.rows.push(KeywordRow { skill, priority, role, keywords, negatives, compound });
    }

    /// Adds the keywords of a list of the row `row`, each phrase once. Words that cannot be searched are left out.
    fn add_list<'a>(
        &mut self,
        row: usize,
        is_negative: bool,
        texts: impl Iterator<Item = (&'a str, bool)>,
        phrases: &mut PhraseList,
    ) -> Vec<Keyword> {
        let mut keywords = Vec::new();
        for (text, standalone) in texts {
            let Some(phrase) = phrases.add(text) else { continue };
            if self.uses.len() <= phrase {
                self.uses.resize(phrase + 1, Vec::new());
            }
            let is_known = |known: &KeywordUse| known.row == row && known.is_negative == is_negative;
            if !self.uses[phrase].iter().any(is_known) {
                self.uses[phrase].push(KeywordUse { row, keyword: keywords.len(), is_negative });
                keywords.push(Keyword { text: text.to_owned(), standalone });
            }
        }
        keywords
    }

    /// Returns the rows whose compound triggers have one of these phrases, in the order of their skills.
    pub(crate) fn with_compound_of(&self, phrases: &BTreeSet<PhraseId>) -> impl Iterator<Item = &KeywordRow> {
        let rows: BTreeSet<usize> =
            phrases.iter().filter_map(|phrase| self.compounds.get(phrase)).flatten().copied().collect();
        rows.into_iter().filter_map(|row| self.rows.get(row))
    }

    /// Returns the uses of a phrase as a keyword.
    pub(crate) fn uses(&self, phrase: PhraseId) -> &[KeywordUse] {
        self.uses.get(phrase).map_or(&[], Vec::as_slice)
    }
}
