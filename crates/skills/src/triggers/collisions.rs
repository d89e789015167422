//! Collisions of keywords between skills (C-22 in docs/spec).

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use serde::{Deserialize, Serialize};

use crate::{index::SkillIndex, text::normalized_phrase, triggers::TriggerTable};

/// The number of collisions that a report counts, so that its time and memory do not grow with the square of the skills.
pub const MAX_COLLISIONS: usize = 10_000;

/// The kind of a collision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CollisionKind {
    /// Two skills have the same keyword after normalization.
    Exact,
    /// The keyword of one skill is a part of a longer keyword of another. Where the longer one occurs, the shorter one does
    /// not count.
    Contained,
}

/// A collision of the keywords of two skills.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Collision {
    /// The kind.
    pub kind: CollisionKind,
    /// The keyword that both skills have, or the shorter one.
    pub keyword: String,
    /// The skill with that keyword; the first in the order of the names if both have it.
    pub skill: String,
    /// The keyword of the other skill.
    pub other_keyword: String,
    /// The other skill.
    pub other_skill: String,
    /// Whether one of the skills has the keyword of the other as a negative keyword, so that only the other is selected.
    pub is_separated: bool,
}

/// Returns the collisions between the keywords of different skills, sorted. The keywords of the trigger table and of the
/// skills are united.
pub fn collisions(index: &SkillIndex, table: &TriggerTable) -> Vec<Collision> {
    collisions_up_to(index, table, usize::MAX)
}

/// Returns the first `limit` collisions that are found, sorted: those of equal keywords before those of contained ones. Their
/// number can grow with the square of the number of skills, the time and memory of this function only with `limit` and the
/// length of the keywords.
pub fn collisions_up_to(index: &SkillIndex, table: &TriggerTable, limit: usize) -> Vec<Collision> {
    let keywords = Keywords::new(index, table);
    let mut found: Vec<Collision> = keywords.equal().take(limit).collect();
    let rest = limit - found.len();
    if 0 < rest {
        let pairs = keywords.contained_phrases();
        found.extend(pairs.iter().flat_map(|(phrase, longer)| keywords.contained(phrase, longer)).take(rest));
    }
    found.sort();
    found
}

/// The keywords of all skills by their normalized form.
#[derive(Default)]
struct Keywords<'a> {
    /// The skills of each phrase, with the keyword as it is written.
    positive: BTreeMap<String, BTreeMap<&'a str, &'a str>>,
    /// The skills that each phrase rules out.
    negative: BTreeMap<String, Vec<&'a str>>,
}

impl<'a> Keywords<'a> {
    /// Unites the keywords of the trigger table and of the skills.
    fn new(index: &'a SkillIndex, table: &'a TriggerTable) -> Self {
        let mut all = Self::default();
        for row in &table.rows {
            row.keywords.iter().for_each(|keyword| all.add(&row.skill, keyword));
            row.negatives.iter().for_each(|negative| all.add_negative(&row.skill, &negative.keyword));
        }
        for skill in index.skills() {
            skill.keywords.iter().for_each(|keyword| all.add(&skill.name, keyword));
            skill.negative_keywords.iter().for_each(|keyword| all.add_negative(&skill.name, keyword));
        }
        all
    }

    /// Adds a keyword of a skill.
    fn add(&mut self, skill: &'a str, keyword: &'a str) {
        let phrase = normalized_phrase(keyword);
        if !phrase.is_empty() {
            self.positive.entry(phrase).or_default().entry(skill).or_insert(keyword);
        }
    }

    /// Adds a negative keyword of a skill.
    fn add_negative(&mut self, skill: &'a str, keyword: &str) {
        self.negative.entry(normalized_phrase(keyword)).or_default().push(skill);
    }

    /// Returns the collisions of equal keywords.
    fn equal(&self) -> impl Iterator<Item = Collision> {
        self.positive.iter().flat_map(move |(phrase, owners)| {
            owners.iter().enumerate().flat_map(move |(number, owner)| {
                let others = owners.iter().skip(number + 1);
                others.map(move |other| self.collision(CollisionKind::Exact, phrase, owner, phrase, other))
            })
        })
    }

    /// Returns the collisions of a phrase with a longer one that contains it.
    fn contained(&self, phrase: &str, longer: &str) -> impl Iterator<Item = Collision> {
        let owners = self.positive.get(phrase).into_iter().flatten();
        owners.flat_map(move |owner| {
            let others = self.positive.get(longer).into_iter().flatten().filter(move |(other, _)| **other != *owner.0);
            others.map(move |other| self.collision(CollisionKind::Contained, phrase, owner, longer, other))
        })
    }

    /// Returns the pairs of phrases of which the first is a part of the second, each once. All phrases are searched at once,
    /// so the time grows with the length of the phrases and the number of pairs. Empty if the phrases are too long for that,
    /// which needs more than two gigabytes.
    fn contained_phrases(&self) -> BTreeSet<(&str, &str)> {
        let phrases: Vec<&str> = self.positive.keys().map(String::as_str).collect();
        let Ok(search) = AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(&phrases) else {
            return BTreeSet::new();
        };
        let parts_of = |longer: &'_ str| {
            let found: BTreeSet<usize> =
                search.find_overlapping_iter(longer).map(|part| part.pattern().as_usize()).collect();
            found.into_iter().filter_map(|number| phrases.get(number).copied()).collect::<Vec<_>>()
        };
        let pairs = phrases.iter().flat_map(|longer| parts_of(longer).into_iter().map(|part| (part, *longer)));
        pairs.filter(|(part, longer)| part.len() < longer.len()).collect()
    }

    /// Creates a collision of two skills, each with its keyword.
    fn collision(
        &self,
        kind: CollisionKind,
        phrase: &str,
        (skill, keyword): (&&str, &&str),
        other_phrase: &str,
        (other_skill, other_keyword): (&&str, &&str),
    ) -> Collision {
        let rules_out =
            |phrase: &str, skill: &str| self.negative.get(phrase).is_some_and(|skills| skills.contains(&skill));
        Collision {
            kind,
            keyword: (*keyword).to_owned(),
            skill: (*skill).to_owned(),
            other_keyword: (*other_keyword).to_owned(),
            other_skill: (*other_skill).to_owned(),
            is_separated: rules_out(phrase, other_skill) || rules_out(other_phrase, skill),
        }
    }
}
