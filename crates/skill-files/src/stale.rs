//! Skills whose file has not changed for long (003 No-Skill Conditions).

use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime},
};

use skills::Exclusion;

use crate::reader::SkillSet;

/// The length of a day.
const DAY: Duration = Duration::from_hours(24);

impl SkillSet {
    /// Returns the skills whose `SKILL.md` was last modified more than `days` days before `now`, by name and with the whole
    /// days. A file without a valid time, or with one in the future, is not stale.
    pub fn stale_skills(&self, days: u32, now: SystemTime) -> BTreeMap<String, Exclusion> {
        let stale = |(name, modified): (&String, &SystemTime)| {
            let age = now.duration_since(*modified).ok()?;
            let age = u32::try_from(age.as_secs() / DAY.as_secs()).unwrap_or(u32::MAX);
            (days < age).then(|| (name.clone(), Exclusion::Stale { days: age }))
        };
        self.modified.iter().filter_map(stale).collect()
    }
}
