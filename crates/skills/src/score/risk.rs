//! Risk reduction: tasks in which a mistake is costly, and the skills that cover them (003 Components).

use std::collections::BTreeMap;

use super::{components::MAX_RISK, profile::ProfiledSkill, terms::term};

/// A class of tasks in which a mistake is costly.
#[derive(Debug, Clone, Copy)]
enum RiskClass {
    /// Work on a database or its schema.
    Database,
    /// A migration of data or of an interface.
    Migration,
    /// Authentication, authorisation and secrets.
    Auth,
    /// A release or a deployment.
    Release,
    /// Payments and billing.
    Payment,
    /// The deletion of data.
    Deletion,
}

/// The words of each class. A text belongs to a class if it has one of them in any of its forms.
const WORDS: &[(RiskClass, &[&str])] = &[
    (RiskClass::Database, &["database", "schema", "sql", "postgres", "postgresql", "mysql", "sqlite", "rls"]),
    (RiskClass::Migration, &["migrate", "backfill"]),
    (RiskClass::Auth, &["auth", "login", "oauth", "password", "credential", "secret", "permission", "jwt"]),
    (RiskClass::Release, &["release", "deploy", "deployment", "rollout", "rollback", "publish"]),
    (RiskClass::Payment, &["payment", "billing", "invoice", "checkout", "refund"]),
    (RiskClass::Deletion, &["delete", "drop", "purge", "truncate", "wipe", "erase"]),
];

/// The risk classes of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RiskClasses(u8);

impl RiskClasses {
    /// Returns the classes that a text with these terms belongs to.
    pub(super) fn of<'a>(terms: impl IntoIterator<Item = &'a String>, words: &RiskWords) -> Self {
        Self(terms.into_iter().filter_map(|term| words.0.get(term)).fold(0, |classes, class| classes | class))
    }

    /// Returns whether there is no class.
    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the points of a skill for a request of these classes; `None` if the request has no risk.
    pub(super) fn points_of(self, skill: ProfiledSkill<'_>, words: &RiskWords) -> Option<u8> {
        if self.is_empty() {
            return None;
        }
        Some(if self.0 & skill.risk(words).0 == 0 { 0 } else { MAX_RISK })
    }
}

/// The terms of all risk words, with the bits of their classes.
#[derive(Debug, Clone)]
pub(super) struct RiskWords(BTreeMap<String, u8>);

impl RiskWords {
    /// Creates the terms of all classes.
    pub(super) fn new() -> Self {
        let mut terms = BTreeMap::new();
        for (class, words) in WORDS {
            for term in words.iter().filter_map(|word| term(word)) {
                *terms.entry(term).or_default() |= 1 << (*class as u8);
            }
        }
        Self(terms)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{profile::SkillProfile, terms::terms},
        *,
    };
    use crate::skill::Skill;

    /// Returns the risk classes of a text.
    fn classes(text: &str) -> RiskClasses {
        RiskClasses::of(&terms(text), &RiskWords::new())
    }

    /// SC-13: a skill that covers the risk of the request has 15 points, another one 0, and without risk nothing applies.
    #[test]
    fn a_skill_that_covers_the_risk_of_the_request_has_all_points() {
        let points = |request: &str, description: &str| {
            let skill = Skill { description: description.to_owned(), ..Skill::default() };
            let skill = ProfiledSkill { skill: &skill, profile: &SkillProfile::default() };
            classes(request).points_of(skill, &RiskWords::new())
        };
        let database = "Schema changes, migrations and row level security for Supabase databases";
        let request = "run the migration of the orders table";
        assert_eq!((points(request, database), points(request, "Writes unit tests")), (Some(15), Some(0)));
        assert_eq!(points("add a chart to the board", database), None);
    }

    #[test]
    fn every_class_has_words_that_are_terms() {
        let requests = ["a database", "migrate it", "login fails", "release 1.2", "a refund", "delete all users"];
        let bits: Vec<_> = requests.iter().map(|request| classes(request).0).collect();
        assert_eq!(bits, [1, 2, 4, 8, 16, 32]);
    }
}
