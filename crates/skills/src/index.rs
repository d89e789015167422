//! [`SkillIndex`], the skills of a workspace.

use std::sync::Arc;

use event_core::CodecError;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::skill::Skill;

/// The name of the encoding in errors, and the first bytes that are hashed into the address of an index. It changes with
/// the layout of [`Skill`].
const ENCODING: &str = "turnwise skill index 1";

/// The skills of a workspace, sorted by name, with at most one of each name. A clone shares them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillIndex {
    /// The skills.
    #[serde(serialize_with = "serialize_shared", deserialize_with = "deserialize_shared")]
    skills: Arc<Vec<Skill>>,
}

/// Serializes shared skills as a list.
fn serialize_shared<S: Serializer>(skills: &Arc<Vec<Skill>>, serializer: S) -> Result<S::Ok, S::Error> {
    skills.as_slice().serialize(serializer)
}

/// Deserializes the result of [`serialize_shared`].
fn deserialize_shared<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<Vec<Skill>>, D::Error> {
    Vec::deserialize(deserializer).map(Arc::new)
}

impl SkillIndex {
    /// Creates the index of `skills`. Of several with one name, the one with the smallest scope is kept (a skill of the
    /// project shadows one of the user), and among those the one with the smallest path.
    pub fn new(skills: Vec<Skill>) -> Self {
        Self::split(skills).0
    }

    /// Creates the index of `skills` as [`SkillIndex::new`] does, and returns the skills that it does not contain because
    /// another of the same name is preferred, sorted by name.
    pub fn split(mut skills: Vec<Skill>) -> (Self, Vec<Skill>) {
        skills.sort_by(|a, b| (&a.name, a.scope, &a.path).cmp(&(&b.name, b.scope, &b.path)));
        let mut index: Vec<Skill> = Vec::with_capacity(skills.len());
        let mut shadowed = Vec::new();
        for skill in skills {
            if index.last().is_some_and(|last| last.name == skill.name) {
                shadowed.push(skill);
            } else {
                index.push(skill);
            }
        }
        (Self { skills: Arc::new(index) }, shadowed)
    }

    /// Returns all skills in the order of their names.
    pub fn skills(&self) -> &[Skill] {
        &self.skills
    }

    /// Returns the skill with this name, which is compared exactly; `None` if there is none.
    pub fn get(&self, name: &str) -> Option<&Skill> {
        let position = self.skills.binary_search_by(|skill| skill.name.as_str().cmp(name)).ok()?;
        self.skills.get(position)
    }

    /// Returns the content address of the index: the BLAKE3 hash of all metadata of all skills. Indexes with equal
    /// addresses lead to equal decisions.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if the metadata have more than 256 MiB.
    pub fn address(&self) -> Result<[u8; 32], CodecError> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(ENCODING.as_bytes());
        hasher.update(&event_core::encode_state(ENCODING, &self.skills.as_slice())?);
        Ok(*hasher.finalize().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::SkillIndex;
    use crate::skill::{Skill, SkillScope};

    #[test]
    fn a_skill_of_the_project_shadows_one_of_the_user() {
        let skill = |scope, path: &str| Skill { name: "testing".into(), scope, path: path.into(), ..Skill::default() };
        let index = SkillIndex::new(vec![skill(SkillScope::User, "a"), skill(SkillScope::Project, "b")]);
        assert_eq!(index.get("testing").map(|skill| skill.path.as_str()), Some("b"));
        assert_eq!((index.skills().len(), index.get("other")), (1, None));
    }

    #[test]
    fn the_address_depends_on_the_content_and_not_on_the_order_of_discovery() {
        let skill = |name: &str, description: &str| Skill {
            name: name.into(),
            description: description.into(),
            ..Skill::default()
        };
        let address = |skills: &[Skill]| SkillIndex::new(skills.to_vec()).address().unwrap();
        let (a, b) = (skill("a", "first"), skill("b", "second"));
        assert_eq!(address(&[a.clone(), b.clone()]), address(&[b.clone(), a.clone()]));
        assert_ne!(address(&[a.clone(), b.clone()]), address(std::slice::from_ref(&a)));
        assert_ne!(address(&[a.clone(), b]), address(&[a, skill("b", "changed")]));
    }
}
