//! BM25 over the descriptions of skills, the plain method of retrieval.

use std::collections::BTreeMap;

use skills::SkillIndex;

use crate::numbers::to_f64;

/// The saturation of the frequency of a word.
const K1: f64 = 1.2;

/// The influence of the length of a description.
const B: f64 = 0.75;

/// The words of the descriptions with the skills that they occur in.
pub(super) struct Bm25 {
    /// The skills with each word, by index, with the part of the score that does not depend on the request.
    postings: BTreeMap<String, Vec<(usize, f64)>>,
    /// The number of skills.
    skills: usize,
}

impl Bm25 {
    /// Indexes the names and descriptions of skills.
    pub(super) fn index(skills: &SkillIndex) -> Self {
        let text = |skill: &skills::Skill| words(&format!("{} {}", skill.name, skill.description));
        let texts: Vec<Vec<String>> = skills.skills().iter().map(text).collect();
        let average = to_f64(texts.iter().map(Vec::len).sum()) / to_f64(texts.len().max(1));
        let mut postings: BTreeMap<String, Vec<(usize, f64)>> = BTreeMap::new();
        for (index, text) in texts.iter().enumerate() {
            let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
            for word in text {
                *counts.entry(word).or_default() += 1;
            }
            let length = K1 * (1.0 - B + B * to_f64(text.len()) / average);
            for (word, count) in counts {
                let count = to_f64(count);
                postings.entry(word.clone()).or_default().push((index, count * (K1 + 1.0) / (count + length)));
            }
        }
        let texts = texts.len();
        let idf = |texts_with: usize| (1.0 + (to_f64(texts - texts_with) + 0.5) / (to_f64(texts_with) + 0.5)).ln();
        for skills in postings.values_mut() {
            let idf = idf(skills.len());
            for (_, score) in skills {
                *score *= idf;
            }
        }
        Self { postings, skills: texts }
    }

    /// Returns the score of each skill for a text.
    pub(super) fn scores(&self, text: &str) -> Vec<f64> {
        let mut scores = vec![0.0; self.skills];
        for word in words(text) {
            for (skill, score) in self.postings.get(&word).into_iter().flatten() {
                scores[*skill] += score;
            }
        }
        scores
    }
}

/// Splits a text into words of letters and digits in lower case.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use skills::Skill;

    #[test]
    fn rare_words_and_short_descriptions_score_more() {
        let skill = |name: &str, description: &str| Skill {
            name: name.to_owned(),
            description: description.to_owned(),
            ..Skill::default()
        };
        let index = SkillIndex::new(vec![
            skill("a", "flights and hotels"),
            skill("b", "hotels and many other places to stay overnight"),
            skill("c", "music"),
        ]);
        let scores = Bm25::index(&index).scores("Hotels and flights!");
        assert!(scores[1] < scores[0] && scores[2] == 0.0, "{scores:?}");
        assert_eq!(Bm25::index(&index).scores("unknown"), [0.0; 3]);
    }
}
