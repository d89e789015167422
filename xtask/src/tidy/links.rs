//! Relative links of a page that lead nowhere.

use std::path::Path;

use super::Finding;

/// The links of a page in `folder` whose file does not exist.
pub(super) fn broken(folder: &Path, text: &str) -> Vec<Finding> {
    let missing = |(number, line): (usize, &str)| {
        let targets: Vec<_> = targets(line).filter(|target| !folder.join(target).exists()).collect();
        targets
            .into_iter()
            .map(move |target| (number, format!("the link to `{target}` leads nowhere")))
            .collect::<Vec<_>>()
    };
    outside_code(text).flat_map(missing).collect()
}

/// The lines of a page that are not inside a fenced block, counted from 1.
fn outside_code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fence && !fenced
    })
}

/// The files that the links of a line name.
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
    fn a_link_to_a_missing_file_is_found_and_others_are_not() {
        let here = tempfile::tempdir().unwrap();
        std::fs::write(here.path().join("map.md"), "").unwrap();
        let page = "See [the map](map.md#crates), [the web](https://example.org/a), [above](#top)\n\
                    and [nothing](gone.md).\n```\n[in code](also-gone.md)\n```\n";
        assert_eq!(broken(here.path(), page), [(2, "the link to `gone.md` leads nowhere".to_owned())]);
    }
}
