//! Detects which changes of files a shell line reverts, such as `git checkout -- a.rs`.
//!
//! The parser is a simplification: commands are separated by `;`, `&`, `|` and line feeds, words by white space, and
//! quotes join words. Content of here-documents is text, so the line is read up to the first `<<`. A line that cannot
//! be parsed reverts nothing.

use super::file_effects::FileEffects;

/// The changes of files that one shell command reverts.
enum Reverts<'a> {
    /// No changes.
    Nothing,
    /// Changes of the files with these paths, as written in the command.
    Files(Vec<&'a str>),
    /// All changes in the workspace.
    Everything,
}

/// Adds the file changes that a shell line reverts to `file_effects`. The line runs in `directory`, or in the workspace
/// if that is empty; `cd` in the line is followed. If one of its commands reverts all changes, `file_effects` lists no
/// files.
pub(crate) fn add_reverts(file_effects: &mut FileEffects, line: &str, directory: &str, workspace: Option<&str>) {
    let commands = split_commands(line.split_once("<<").map_or(line, |(before, _)| before));
    let commands: Vec<Vec<&str>> = commands.iter().map(|words| strip_prefixes(words)).collect();
    // Stashed and restored in the same line: nothing was reverted.
    let restores_stash =
        |words: &&[&str]| matches!(git_arguments(words).as_deref(), Some(["stash", "pop" | "apply", ..]));
    let is_restored = commands.iter().any(|words| restores_stash(&words.as_slice()));
    let mut directory = directory.to_owned();
    let mut is_everything_reverted = false;
    for words in &commands {
        if let ["cd", to] = words[..] {
            directory = join_path(&directory, to);
            continue;
        }
        let reverts = match (git_arguments(words).as_deref(), words.as_slice()) {
            (Some(["stash", ..]), _) if is_restored => Reverts::Nothing,
            (Some(arguments), _) => git_reverts(arguments),
            (None, ["rm", arguments @ ..]) => named_files(arguments),
            (None, _) => Reverts::Nothing,
        };
        match reverts {
            Reverts::Nothing => {}
            Reverts::Everything => (file_effects.reverts, is_everything_reverted) = (true, true),
            Reverts::Files(paths) => {
                file_effects.reverts = true;
                for path in paths {
                    file_effects.add(&join_path(&directory, path), workspace);
                }
            }
        }
    }
    if is_everything_reverted {
        file_effects.files.clear();
    }
}

/// Returns the arguments of a `git` command from its subcommand on, without the options before it; `None` if the words
/// are another command.
fn git_arguments<'a>(words: &[&'a str]) -> Option<Vec<&'a str>> {
    let ["git", rest @ ..] = words else { return None };
    let mut rest = rest;
    loop {
        rest = match rest {
            ["-C" | "-c", _, rest @ ..] => rest,
            [option, rest @ ..] if option.starts_with('-') => rest,
            _ => return Some(rest.to_vec()),
        };
    }
}

/// Returns the file changes that a `git` command reverts. `arguments` start with the subcommand; `checkout`, `restore`,
/// `reset --hard`, `stash`, `revert`, `clean` and `rm` can revert changes.
fn git_reverts<'a>(arguments: &[&'a str]) -> Reverts<'a> {
    let has_option = |options: &[&str]| arguments.iter().any(|argument| options.contains(argument));
    match arguments {
        ["checkout", rest @ ..] if !has_option(&["-b", "-B", "--orphan", "-t", "--track", "--detach"]) => {
            checkout_reverts(rest)
        }
        ["restore", rest @ ..] if !has_option(&["--staged", "-S"]) || has_option(&["--worktree", "-W"]) => {
            named_files(rest)
        }
        ["reset", rest @ ..] if has_option(&["--hard"]) => {
            // A reset to a remote branch changes the branch; one to an earlier commit of this branch reverts.
            let is_remote_branch = rest.iter().any(|argument| argument.contains('/'));
            if is_remote_branch { Reverts::Nothing } else { Reverts::Everything }
        }
        ["stash"] => Reverts::Everything,
        ["stash", option, ..] if option.starts_with('-') => Reverts::Everything,
        ["stash", "push" | "save", rest @ ..] => match rest.iter().position(|argument| *argument == "--") {
            Some(index) => named_files(&rest[index..]),
            None => Reverts::Everything,
        },
        ["revert", ..] if !has_option(&["--abort", "--continue", "--skip", "--quit"]) => Reverts::Everything,
        ["clean", rest @ ..] => {
            let has_flag = |letter| {
                rest.iter().any(|argument| {
                    argument.starts_with('-') && !argument.starts_with("--") && argument.contains(letter)
                })
            };
            let is_forced = has_flag('f') || has_option(&["--force"]);
            if !is_forced || has_flag('n') || has_option(&["--dry-run"]) {
                return Reverts::Nothing;
            }
            match named_files(rest) {
                Reverts::Nothing => Reverts::Everything,
                named => named,
            }
        }
        ["rm", rest @ ..] if !has_option(&["--cached"]) => named_files(rest),
        _ => Reverts::Nothing,
    }
}

/// Returns the file changes that `git checkout` with these arguments reverts: of the paths after `--`, of those after a
/// commit, or of paths that cannot be a branch.
fn checkout_reverts<'a>(arguments: &[&'a str]) -> Reverts<'a> {
    if let Some(index) = arguments.iter().position(|argument| *argument == "--") {
        return named_files(&arguments[index..]);
    }
    let words: Vec<&str> = arguments.iter().filter(|argument| !argument.starts_with('-')).copied().collect();
    match words[..] {
        [only] if is_path(only) => named_files(&[only]),
        [first, ..] if is_path(first) => named_files(&words),
        [_, ref paths @ ..] => named_files(paths),
        [] => Reverts::Nothing,
    }
}

/// Returns whether an argument of `git` is a path and not a branch: `.`, a word that starts or ends like a path, or a
/// name with an extension. A slash alone is not sufficient, since names of branches contain slashes.
fn is_path(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let has_extension = extension.is_some_and(|extension| extension.starts_with(|c: char| c.is_ascii_alphabetic()));
    word.starts_with(['.', '/', ':']) || word.ends_with('/') || has_extension
}

/// Returns the paths among the arguments of a command, without options and without words that only a shell can expand.
/// The paths `.` and `:/` mean all files.
fn named_files<'a>(arguments: &[&'a str]) -> Reverts<'a> {
    let mut paths = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match *word {
            "-s" | "--source" => drop(words.next()),
            "." | ":/" => return Reverts::Everything,
            option if option.starts_with('-') => {}
            unknown if unknown.contains(['*', '?', '$', '`', '[', '{']) => {}
            path => paths.push(path),
        }
    }
    if paths.is_empty() { Reverts::Nothing } else { Reverts::Files(paths) }
}

/// Returns the path of a file below `directory`, the folder that a command runs in. An absolute path is returned
/// unchanged, and so is any path if `directory` is empty.
fn join_path(directory: &str, path: &str) -> String {
    if directory.is_empty() || path.starts_with(['/', '~']) {
        return path.to_owned();
    }
    format!("{directory}/{path}")
}

/// Returns the words of a shell command from its name on, without assignments and words such as `sudo` before it.
fn strip_prefixes(words: &[String]) -> Vec<&str> {
    let is_prefix = |word: &&String| {
        let assigns =
            word.split_once('=').is_some_and(|(name, _)| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
        assigns || ["sudo", "command", "time", "env", "then", "do", "("].contains(&word.as_str())
    };
    words.iter().skip_while(is_prefix).map(String::as_str).collect()
}

/// Splits a shell line into commands, each a list of words. Targets of redirections are omitted.
fn split_commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let (mut word, mut has_begun, mut quote, mut is_target_next) = (String::new(), false, None, false);
    let mut characters = line.chars().peekable();
    loop {
        let next = characters.next();
        match (next, quote) {
            (Some(c), Some(open)) if c == open => quote = None,
            (Some('\\'), Some('"') | None) => word.extend(characters.next()),
            (Some(c), Some(_)) => word.push(c),
            (Some(c @ ('"' | '\'')), None) => (quote, has_begun) = (Some(c), true),
            (Some(c), None) if !c.is_whitespace() && !matches!(c, ';' | '&' | '|' | '>' | '<' | '(' | ')') => {
                word.push(c);
                has_begun = true;
            }
            (end, _) => {
                if matches!(end, Some('>' | '<')) && word.bytes().all(|byte| byte.is_ascii_digit()) {
                    // The number of a stream.
                    word.clear();
                } else if has_begun && !std::mem::take(&mut is_target_next) {
                    commands.last_mut().into_iter().for_each(|words| words.push(std::mem::take(&mut word)));
                }
                word.clear();
                has_begun = false;
                match end {
                    Some('>' | '<') => is_target_next = true,
                    // `>&2` and `&>file` belong to one command.
                    Some('&') if is_target_next || characters.peek() == Some(&'>') => {}
                    Some(';' | '&' | '|' | '\n' | '(' | ')') => {
                        is_target_next = false;
                        commands.push(Vec::new());
                    }
                    Some(_) => {}
                    None => break,
                }
            }
        }
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::{FileEffects, add_reverts};

    /// Returns the changes that a shell line in the workspace reverts.
    fn reverts_of(line: &str) -> FileEffects {
        let mut file_effects = FileEffects::default();
        add_reverts(&mut file_effects, line, "", Some("/shop"));
        file_effects
    }

    /// Asserts that each line reverts these files, or everything if `files` is empty.
    fn assert_reverts(files: &[&str], lines: &[&str]) {
        let mut expected = FileEffects { reverts: true, ..FileEffects::default() };
        for path in files {
            expected.add(path, Some("/shop"));
        }
        for line in lines {
            assert_eq!(reverts_of(line), expected, "{line}");
        }
    }

    /// Commands with paths revert the changes of these files.
    #[test]
    fn files_that_are_named_are_taken_back() {
        assert_reverts(
            &["src/a.rs"],
            &[
                "git checkout -- src/a.rs",
                "git checkout src/a.rs",
                "git checkout HEAD~1 -- src/a.rs",
                "git checkout main src/a.rs",
                "git checkout HEAD src/a.rs 2>/dev/null",
                "git restore src/a.rs",
                "git restore --source main src/a.rs",
                "git restore --staged --worktree src/a.rs",
                "git -C /shop -c color.ui=never checkout ./src/a.rs",
                "cd src && git checkout a.rs && cargo test | tail",
                "cd /shop/src; FORCE=1 rm -f a.rs > out.txt 2>&1",
                "rm 'src/a.rs'",
                "git rm -f \"src/a.rs\"",
                "git stash push -m keep -- src/a.rs",
                "git clean -fd src/a.rs",
                "cargo test || (git checkout -- src/a.rs; echo done)",
            ],
        );
        assert_reverts(&["a.rs", "b.rs"], &["rm a.rs b.rs", "git checkout -- a.rs && git restore b.rs"]);
    }

    /// Commands without paths, and paths such as `.`, revert all changes.
    #[test]
    fn everything_is_taken_back() {
        assert_reverts(
            &[],
            &[
                "git checkout .",
                "git checkout -- .",
                "git restore .",
                "git reset --hard",
                "git reset --hard HEAD~1",
                "git stash",
                "git stash -u",
                "git stash push -m wip",
                "git revert --no-edit HEAD",
                "git clean -fdx",
                "git checkout -- src/a.rs; git reset --hard",
            ],
        );
    }

    /// Commands that change branches, the index or the stash only, and texts that mention commands, revert nothing.
    #[test]
    fn other_lines_take_back_nothing() {
        for line in [
            "",
            "git checkout main",
            "git checkout -b fix/parser.rs",
            "git checkout alex/ent-221",
            "git checkout v1.2.3",
            "git checkout --detach src/a.rs",
            "git restore --staged src/a.rs",
            "git reset --soft HEAD~1",
            "git reset src/a.rs",
            "git fetch && git reset --hard origin/main",
            "git stash list",
            "git stash pop",
            "git stash && cargo test; git stash pop",
            "git revert --abort",
            "git clean -n",
            "git clean -nfd",
            "git rm --cached src/a.rs",
            "rm -rf $(cat list)",
            "rm -f *.o",
            "echo 'git reset --hard'",
            "git commit -m \"git checkout -- src/a.rs\"",
            "git commit -F - <<'EOF'\ngit reset --hard\nEOF",
            "cargo run -- rm src/a.rs",
            "git log --oneline",
        ] {
            assert_eq!(reverts_of(line), FileEffects::default(), "{line}");
        }
    }
}
