//! Globs of paths, such as `src/**/*.{ts,tsx}`.

/// The highest number of alternatives that the braces of a glob expand to; further ones are ignored.
const MAX_ALTERNATIVES: usize = 64;

/// A parsed glob. `*` and `?` match within a segment of a path, `**` any number of segments, `{a,b}` either part. A glob
/// without a slash matches the last segment of a path.
#[derive(Debug, Clone)]
pub(super) struct Glob {
    /// The segments of each alternative.
    alternatives: Vec<Vec<String>>,
}

impl Glob {
    /// Parses a glob. Every text is a glob; an unclosed brace matches itself.
    pub(super) fn new(text: &str) -> Self {
        let text = text.trim().trim_start_matches("./").trim_start_matches('/');
        let segments = |text: &String| {
            let anywhere = if text.contains('/') { "" } else { "**/" };
            format!("{anywhere}{text}").split('/').map(str::to_owned).collect()
        };
        Self { alternatives: expand_braces(text).iter().map(segments).collect() }
    }

    /// Returns whether the glob matches a path with `/` as separator. Letters are compared with case.
    pub(super) fn matches(&self, path: &str) -> bool {
        let path: Vec<&str> = path.trim_start_matches("./").trim_start_matches('/').split('/').collect();
        self.alternatives.iter().any(|segments| matches_segments(segments, &path))
    }
}

/// Returns the texts that the braces of a glob expand to.
fn expand_braces(text: &str) -> Vec<String> {
    let mut waiting = vec![text.to_owned()];
    let mut expanded = Vec::new();
    while let Some(text) = waiting.pop() {
        let braces = text.find('{').and_then(|open| Some((open, open + text.get(open..)?.find('}')?)));
        match braces
            .and_then(|(open, close)| Some((text.get(..open)?, text.get(open + 1..close)?, text.get(close + 1..)?)))
        {
            Some((before, inner, after)) if waiting.len() < MAX_ALTERNATIVES => {
                let parts = inner.split(',').take(MAX_ALTERNATIVES);
                waiting.extend(parts.map(|part| format!("{before}{part}{after}")));
            }
            _ => expanded.push(text),
        }
        if expanded.len() == MAX_ALTERNATIVES {
            break;
        }
    }
    expanded
}

/// Returns whether the segments of a glob match those of a path.
fn matches_segments(glob: &[String], path: &[&str]) -> bool {
    matches_sequence(glob, path, |segment| segment == "**", |segment, name| matches_name(segment, name))
}

/// Returns whether a segment of a glob matches a name.
fn matches_name(glob: &str, name: &str) -> bool {
    let (glob, name): (Vec<char>, Vec<char>) = (glob.chars().collect(), name.chars().collect());
    matches_sequence(&glob, &name, |letter| *letter == '*', |letter, other| *letter == '?' || letter == other)
}

/// Returns whether a pattern matches a sequence. An item of the pattern matches any number of items if it `is_wildcard`,
/// and otherwise one item by `matches_item`. Takes time of at most the product of both lengths.
fn matches_sequence<P, T>(
    pattern: &[P],
    items: &[T],
    is_wildcard: impl Fn(&P) -> bool,
    matches_item: impl Fn(&P, &T) -> bool,
) -> bool {
    let (mut at_pattern, mut at_item) = (0, 0);
    // The position after the latest wildcard, and the item up to which it matches.
    let mut retry: Option<(usize, usize)> = None;
    while let Some(item) = items.get(at_item) {
        match pattern.get(at_pattern) {
            Some(part) if is_wildcard(part) => {
                at_pattern += 1;
                retry = Some((at_pattern, at_item));
            }
            Some(part) if matches_item(part, item) => (at_pattern, at_item) = (at_pattern + 1, at_item + 1),
            _ => {
                let Some((after_wildcard, matched)) = retry else { return false };
                retry = Some((after_wildcard, matched + 1));
                (at_pattern, at_item) = (after_wildcard, matched + 1);
            }
        }
    }
    pattern.iter().skip(at_pattern).all(is_wildcard)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match_within_and_across_segments() {
        let matches = |glob: &str, path: &str| Glob::new(glob).matches(path);
        for (glob, path) in [
            ("src/**/*.ts", "src/a/b/c.ts"),
            ("src/**/*.ts", "src/c.ts"),
            ("*.ts", "packages/api/x.ts"),
            ("**/migrations/**", "db/migrations/0004.sql"),
            ("supabase/*", "./supabase/seed.sql"),
            ("*.{ts,tsx}", "src/Board.tsx"),
            ("{src,app}/{a,b}.ts", "app/b.ts"),
            ("db/????.sql", "db/0004.sql"),
        ] {
            assert!(matches(glob, path), "{glob} {path}");
        }
        for (glob, path) in [
            ("src/*.ts", "src/a/c.ts"),
            ("src/**/*.ts", "src/a/c.tsx"),
            ("*.ts", "x.ts/readme"),
            ("{src", "src"),
            ("", "src/a.ts"),
        ] {
            assert!(!matches(glob, path), "{glob} {path}");
        }
    }

    #[test]
    fn a_hostile_glob_takes_bounded_time() {
        let name = "a".repeat(2_000);
        assert!(!Glob::new(&format!("{}b", "*a".repeat(500))).matches(&name));
        assert_eq!(expand_braces(&"{a,b}".repeat(40)).len(), MAX_ALTERNATIVES);
    }
}
