//! Finds the `SKILL.md` files below folders.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use skills::{Finding, FindingCode, SkillScope};

use crate::{roots::SkillRoot, stamp::Stamp};

/// The names of the file with a skill. The second is accepted by some clients.
const FILE_NAMES: &[&str] = &["SKILL.md", "skill.md"];
/// The maximum number of folders between a root and the folder of a skill.
const MAX_DEPTH: usize = 4;
/// The maximum number of skills below all roots.
const MAX_SKILLS: usize = 10_000;
/// The maximum number of folders that are listed below all roots.
const MAX_FOLDERS: usize = 20_000;
/// The maximum number of entries that are read of one folder.
const MAX_ENTRIES: usize = 20_000;

/// A `SKILL.md` that was found.
#[derive(Debug)]
pub(crate) struct FoundFile<'r> {
    /// The file.
    pub(crate) path: PathBuf,
    /// Its recorded path: relative to the workspace, or with `~` for the user's home.
    pub(crate) shown: String,
    /// The name of its folder.
    pub(crate) folder: String,
    /// Where the folder is installed.
    pub(crate) scope: SkillScope,
    /// The plugin that contains it.
    pub(crate) plugin: Option<&'r str>,
    /// Its identity, length and times.
    pub(crate) stamp: Stamp,
    /// Its length in bytes.
    pub(crate) length: u64,
}

/// The files below all roots and the problems of folders.
#[derive(Debug, Default)]
pub(crate) struct Discovery<'r> {
    /// The files, each once, in the order of the roots and then of their paths.
    pub(crate) files: Vec<FoundFile<'r>>,
    /// The problems.
    pub(crate) findings: Vec<Finding>,
    /// Device and inode of each file, so that a second path to it is skipped.
    seen_files: BTreeSet<(u64, u64)>,
    /// Device and inode of each folder that was listed.
    seen_folders: BTreeSet<(u64, u64)>,
    /// The limits that were reached, each of which is reported once.
    reached: BTreeSet<FindingCode>,
}

/// Finds the files below `roots`. Roots that do not exist are skipped.
pub(crate) fn discover(roots: &[SkillRoot]) -> Discovery<'_> {
    let mut discovery = Discovery::default();
    for root in roots {
        let folder = root.dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let place = Place { root, dir: root.dir.clone(), shown: root.shown.clone(), folder };
        if discovery.add_file(&place) == Lookup::Missing {
            discovery.visit(&place, &mut Vec::new());
        }
    }
    discovery
}

/// A folder below a root.
struct Place<'r> {
    root: &'r SkillRoot,
    dir: PathBuf,
    shown: String,
    folder: String,
}

/// Whether a folder contains a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lookup {
    /// It does, and the file was added.
    Found,
    /// It does not.
    Missing,
    /// The file cannot be used, which was reported.
    Failed,
}

impl<'r> Discovery<'r> {
    /// Adds the skill of a folder, if there is one.
    fn add_file(&mut self, place: &Place<'r>) -> Lookup {
        for name in FILE_NAMES {
            let path = place.dir.join(name);
            let shown = format!("{}/{name}", place.shown);
            let metadata = match fs::metadata(&path) {
                Ok(metadata) => metadata,
                Err(error) if is_missing(&error) => continue,
                Err(error) => {
                    self.findings.push(access_finding(&shown, &error));
                    return Lookup::Failed;
                }
            };
            if !metadata.is_file() {
                let message = "the path does not lead to a regular file";
                self.findings.push(Finding::of_file(&shown, FindingCode::NotAFile, message));
                return Lookup::Failed;
            }
            let stamp = Stamp::from_metadata(&metadata);
            if self.seen_files.insert(stamp.identity()) {
                self.files.push(FoundFile {
                    path,
                    shown,
                    folder: place.folder.clone(),
                    scope: place.root.scope,
                    plugin: place.root.plugin.as_deref(),
                    stamp,
                    length: metadata.len(),
                });
            }
            return Lookup::Found;
        }
        Lookup::Missing
    }

    /// Lists a folder and adds the skills below it. `ancestors` are device and inode of the folders around it.
    fn visit(&mut self, place: &Place<'r>, ancestors: &mut Vec<(u64, u64)>) {
        let metadata = match fs::metadata(&place.dir) {
            Ok(metadata) if metadata.is_dir() => metadata,
            Ok(_) => return,
            Err(error) if is_missing(&error) => return,
            Err(error) => return self.findings.push(access_finding(&place.shown, &error)),
        };
        let identity = Stamp::from_metadata(&metadata).identity();
        if ancestors.contains(&identity) {
            let message = "the folder contains itself through a link: remove the link";
            return self.findings.push(Finding::of_file(&place.shown, FindingCode::FolderLoop, message));
        }
        if !self.seen_folders.insert(identity) {
            return;
        }
        if MAX_DEPTH < ancestors.len() {
            let message =
                format!("folders of skills are read {MAX_DEPTH} levels deep: this one and others are skipped");
            return self.report_limit(place, FindingCode::FolderTooDeep, &message);
        }
        if self.check_limit(MAX_FOLDERS < self.seen_folders.len(), place, MAX_FOLDERS, "folders") {
            return;
        }
        let names = match list_names(&place.dir) {
            Ok(names) => names,
            Err(error) => return self.findings.push(access_finding(&place.shown, &error)),
        };
        self.check_limit(MAX_ENTRIES <= names.len(), place, MAX_ENTRIES, "entries");
        ancestors.push(identity);
        for folder in names {
            if self.check_limit(MAX_SKILLS <= self.files.len(), place, MAX_SKILLS, "skills") {
                break;
            }
            let inner = Place {
                root: place.root,
                dir: place.dir.join(&folder),
                shown: format!("{}/{folder}", place.shown),
                folder,
            };
            if self.add_file(&inner) == Lookup::Missing {
                self.visit(&inner, ancestors);
            }
        }
        ancestors.pop();
    }

    /// Reports that there are more folders, entries or skills than are read, if `reached`. Returns `reached`.
    fn check_limit(&mut self, reached: bool, place: &Place<'_>, limit: usize, noun: &str) -> bool {
        if reached {
            let message = format!("there are more than {limit} {noun}: the others are not read");
            self.report_limit(place, FindingCode::TooManyFiles, &message);
        }
        reached
    }

    /// Reports a limit when it is reached for the first time.
    fn report_limit(&mut self, place: &Place<'_>, code: FindingCode, message: &str) {
        if self.reached.insert(code) {
            self.findings.push(Finding::of_file(&place.shown, code, message));
        }
    }
}

/// Returns the names of the folders and links in a folder, sorted, without hidden ones and `node_modules`. Of more than
/// [`MAX_ENTRIES`] entries, the first are read. Names that are not UTF-8 are skipped.
fn list_names(dir: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)?.take(MAX_ENTRIES) {
        let entry = entry?;
        let kind = entry.file_type()?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let is_ignored = name.starts_with('.') || name == "node_modules";
        if !is_ignored && (kind.is_dir() || kind.is_symlink()) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Returns whether an error means that a path does not exist.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Creates the finding of a path that cannot be accessed.
fn access_finding(shown: &str, error: &io::Error) -> Finding {
    /// The error of a link that leads to itself, on Linux and on macOS.
    const ELOOP: [i32; 2] = [40, 62];
    if error.raw_os_error().is_some_and(|code| ELOOP.contains(&code)) {
        let message = "a link on this path leads to itself: remove the link";
        return Finding::of_file(shown, FindingCode::FolderLoop, message);
    }
    Finding::of_file(shown, FindingCode::Unreadable, format!("it cannot be read: {error}"))
}
