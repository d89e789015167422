//! Finds relative links to files that do not exist.

use std::path::Path;

use super::Finding;

/// Returns a finding for every link of a page in `folder` whose target file does not exist.
pub(super) fn find_broken(folder: &Path, text: &str) -> Vec<Finding> {
    let broken_links = |(number, line): (usize, &str)| {
        let targets: Vec<_> = targets(line).filter(|target| !folder.join(target).exists()).collect();
        targets
            .into_iter()
            .map(move |target| (number, format!("the target `{target}` of this link does not exist")))
            .collect::<Vec<_>>()
    };
    outside_code(text).flat_map(broken_links).collect()
}

/// Returns the lines of a page, with their numbers from 1, except fenced code blocks.
fn outside_code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_fenced = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        is_fenced ^= fence;
        !fence && !is_fenced
    })
}

/// Returns the target files of the Markdown links in a line, without external ones and those within the page.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| {
        let target = rest.split([')', ' ']).next()?;
        let file = target.split('#').next()?;
        (!file.is_empty() && !file.contains(':')).then_some(file)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_to_missing_files_are_reported() {
        let here = tempfile::tempdir().unwrap();
        std::fs::write(here.path().join("map.md"), "").unwrap();
        let page = "See [the map](map.md#crates), [the web](https://example.org/a), [above](#top)\n\
                    and [nothing](gone.md).\n```\n[in code](also-gone.md)\n```\n";
        assert_eq!(
            find_broken(here.path(), page),
            [(2, "the target `gone.md` of this link does not exist".to_owned())]
        );
    }
}
