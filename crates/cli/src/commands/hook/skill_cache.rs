//! The skills of a workspace as the last hook read them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use skill_files::SkillReader;

use super::quick_file::{keep_newest, replace_quickly};

/// The folder in the home folder with one file for each workspace.
const FOLDER: &str = "cache/skills";

/// The maximum number of workspaces whose skills are kept. Beyond it, the file that was not written for longest is deleted.
const MAX_WORKSPACES: usize = 64;

/// The maximum length of a file in bytes. 2,000 skills have about 1 MB.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The files of skills that the last hook in a workspace read, so that only changed files are opened.
pub(super) struct SkillCache {
    /// The file in the home folder.
    path: PathBuf,
    /// The reader with the remembered files; empty if the file is missing or damaged.
    pub(super) reader: SkillReader,
}

impl SkillCache {
    /// Opens the cache of a workspace in the home folder `home` of turnwise.
    pub(super) fn open(home: &Path, workspace: &Path) -> Self {
        let hash = blake3::hash(workspace.as_os_str().as_encoded_bytes()).to_hex();
        let path = home.join(FOLDER).join(&hash[..16]);
        let is_usable = fs::metadata(&path).is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MAX_BYTES);
        let bytes = if is_usable { fs::read(&path).unwrap_or_default() } else { Vec::new() };
        // A cache of another version or a damaged one is written again.
        let reader = SkillReader::decode(&bytes).unwrap_or_default();
        Self { path, reader }
    }

    /// Writes the cache if the last reading opened a file, so that it differs from the stored one.
    ///
    /// # Errors
    /// A message if the file cannot be written. The next hook then reads the skills again.
    pub(super) fn save(&self) -> Result<(), String> {
        if self.reader.opened() == 0 {
            return Ok(());
        }
        let shown = self.path.display();
        let bytes = self.reader.encode().map_err(|error| format!("the skills cannot be kept: {error}"))?;
        let is_new = !self.path.exists();
        replace_quickly(&self.path, &bytes).map_err(|error| format!("cannot write `{shown}`: {error}"))?;
        if is_new && let Some(folder) = self.path.parent() {
            keep_newest(folder, MAX_WORKSPACES)
                .map_err(|error| format!("cannot list `{}`: {error}", folder.display()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use skill_files::SkillRoot;

    use super::*;

    /// Reads the skills of a workspace through its cache and returns the number of opened files.
    fn read(home: &Path, workspace: &Path) -> usize {
        let mut cache = SkillCache::open(home, workspace);
        let root = SkillRoot::from_setting("skills", workspace, None).unwrap();
        let set = cache.reader.read(&[root], SystemTime::now() + std::time::Duration::from_mins(1));
        assert_eq!(set.index.skills().len(), 1);
        cache.save().unwrap();
        cache.reader.opened()
    }

    #[test]
    fn unchanged_files_are_not_opened_again_and_a_damaged_cache_is_replaced() {
        let (home, workspace) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (home, workspace) = (home.path(), workspace.path());
        fs::create_dir_all(workspace.join("skills/deploy")).unwrap();
        fs::write(workspace.join("skills/deploy/SKILL.md"), "---\nname: deploy\ndescription: d\n---\n").unwrap();
        assert_eq!((read(home, workspace), read(home, workspace)), (1, 0));
        let path = SkillCache::open(home, workspace).path;
        let mut bytes = fs::read(&path).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        fs::write(&path, bytes).unwrap();
        assert_eq!((read(home, workspace), read(home, workspace)), (1, 0));
    }

    #[test]
    fn the_number_of_workspaces_is_limited() {
        let (home, workspace) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir_all(workspace.path().join("skills/deploy")).unwrap();
        let manifest = "---\nname: deploy\ndescription: d\n---\n";
        fs::write(workspace.path().join("skills/deploy/SKILL.md"), manifest).unwrap();
        for number in 0..MAX_WORKSPACES + 3 {
            let mut cache = SkillCache::open(home.path(), &workspace.path().join(number.to_string()));
            cache.reader.read(&[SkillRoot::from_setting("skills", workspace.path(), None).unwrap()], SystemTime::now());
            cache.save().unwrap();
        }
        assert_eq!(fs::read_dir(home.path().join(FOLDER)).unwrap().count(), MAX_WORKSPACES);
    }
}
