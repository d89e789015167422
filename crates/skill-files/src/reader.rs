//! [`SkillReader`], which reads the skills below folders.

use std::{collections::BTreeMap, sync::Arc, time::SystemTime};

use skills::{
    Finding, FindingCode, MAX_MANIFEST_BYTES, Manifest, ManifestPlace, Skill, SkillIndex, file_too_large, lint_names,
    parse_manifest,
};

use crate::{
    cache::{self, CacheError, CachedFile, CachedFiles, FilePath},
    discover::{FoundFile, discover},
    roots::SkillRoot,
    text_file::read_limited,
};

/// The skills below folders, with their problems.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SkillSet {
    /// The skills, of which each name occurs once.
    pub index: SkillIndex,
    /// The skills that another of the same name replaces in the index, sorted by name.
    pub shadowed: Vec<Skill>,
    /// The problems of files and folders, sorted by path and line.
    pub findings: Vec<Finding>,
    /// The time when the file of each skill of the index was last modified, by the name of the skill.
    pub modified: BTreeMap<String, SystemTime>,
}

/// Reads the skills below folders and remembers them, so that the next reading opens only files that have changed.
#[derive(Debug, Default)]
pub struct SkillReader {
    /// The files, as they were last read.
    files: CachedFiles,
    /// The result of the last reading with the problems of folders at that time; `None` before the first one.
    last: Option<(Vec<Finding>, Arc<SkillSet>)>,
    /// The number of files that the last reading opened.
    opened: usize,
}

impl SkillReader {
    /// Creates a reader that remembers no files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a reader from the result of [`SkillReader::encode`].
    ///
    /// # Errors
    /// [`CacheError`] if the bytes are damaged or of another version.
    pub fn decode(bytes: &[u8]) -> Result<Self, CacheError> {
        Ok(Self { files: cache::decode(bytes)?, last: None, opened: 0 })
    }

    /// Encodes the remembered files, so that another process can continue with them.
    ///
    /// # Errors
    /// [`CacheError`] if they have more than 256 MiB.
    pub fn encode(&self) -> Result<Vec<u8>, CacheError> {
        cache::encode(&self.files)
    }

    /// Returns the number of files that the last reading opened: 0 if nothing had changed.
    pub fn opened(&self) -> usize {
        self.opened
    }

    /// Reads the skills below `roots`. `now` is the present time, with which files that may still be written are
    /// recognised. The result is shared with the last reading if nothing has changed.
    pub fn read(&mut self, roots: &[SkillRoot], now: SystemTime) -> Arc<SkillSet> {
        let discovery = discover(roots);
        let mut files = CachedFiles::new();
        let mut previous = std::mem::take(&mut self.files);
        self.opened = 0;
        let mut is_equal = true;
        for found in &discovery.files {
            let path = FilePath(found.path.clone());
            let known = previous.remove(&path);
            let file = match known {
                Some(known) if known.settled && known.stamp == found.stamp && is_at_place(&known, found) => known,
                known => {
                    self.opened += 1;
                    is_equal = false;
                    read_file(found, known.and_then(|known| known.skill), now)
                }
            };
            files.insert(path, file);
        }
        is_equal &= previous.is_empty();
        self.files = files;
        match &self.last {
            Some((findings, last)) if is_equal && *findings == discovery.findings => Arc::clone(last),
            _ => {
                let set = Arc::new(build_set(&self.files, discovery.findings.clone()));
                self.last = Some((discovery.findings, Arc::clone(&set)));
                set
            }
        }
    }
}

/// Returns whether a remembered skill was read with the same recorded path and scope. They differ if the roots have
/// changed, as when the workspace is another.
fn is_at_place(known: &CachedFile, found: &FoundFile<'_>) -> bool {
    let prefix = |skill: &Skill| skill.name.split_once(':').map(|(plugin, _)| plugin.to_owned());
    match &known.skill {
        Some(skill) => {
            skill.path == found.shown && skill.scope == found.scope && prefix(skill).as_deref() == found.plugin
        }
        None => known.findings.iter().all(|finding| finding.path == found.shown),
    }
}

/// Reads a file. If it is invalid and `last_valid` is known, this remains in use.
fn read_file(found: &FoundFile<'_>, last_valid: Option<Skill>, now: SystemTime) -> CachedFile {
    let place = ManifestPlace { path: &found.shown, folder: &found.folder, scope: found.scope, plugin: found.plugin };
    let limit = MAX_MANIFEST_BYTES as u64;
    let manifest = if limit < found.length {
        Manifest::invalid(file_too_large(&found.shown, found.length))
    } else {
        match read_limited(&found.path, limit) {
            Ok(Some(bytes)) => parse_manifest(&bytes, &place),
            Ok(None) => Manifest::invalid(file_too_large(&found.shown, limit + 1)),
            Err(error) => {
                let message = format!("the file cannot be read: {error}");
                Manifest::invalid(Finding::of_file(&found.shown, FindingCode::Unreadable, message))
            }
        }
    };
    let Manifest { mut skill, mut findings } = manifest;
    if skill.is_none()
        && let Some(valid) = last_valid
    {
        let message = format!("the last valid version of the skill `{}` remains in use", valid.name);
        findings.push(Finding::of_file(&found.shown, FindingCode::LastValidVersion, message));
        skill = Some(Skill { path: found.shown.clone(), scope: found.scope, ..valid });
    }
    CachedFile { stamp: found.stamp, settled: found.stamp.is_settled(now), skill, findings }
}

/// Builds the result of a reading from all files and the problems of folders.
fn build_set(files: &CachedFiles, mut findings: Vec<Finding>) -> SkillSet {
    findings.extend(files.values().flat_map(|file| file.findings.iter().cloned()));
    let found: Vec<Skill> = files.values().filter_map(|file| file.skill.clone()).collect();
    let (index, shadowed) = SkillIndex::split(found);
    findings.extend(lint_names(&index, &shadowed));
    findings.sort();
    let modified = files.values().filter_map(|file| {
        let (skill, modified) = (file.skill.as_ref()?, file.stamp.modified()?);
        let is_indexed = index.get(&skill.name).is_some_and(|indexed| indexed.path == skill.path);
        is_indexed.then(|| (skill.name.clone(), modified))
    });
    let modified = modified.collect();
    SkillSet { index, shadowed, findings, modified }
}
