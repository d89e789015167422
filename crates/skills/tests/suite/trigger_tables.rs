//! Trigger tables in markdown.

use skills::{FindingCode, collisions, collisions_up_to, parse_trigger_table};

use crate::chain_support::{FIVE_COLUMNS, FOUR_COLUMNS, TWO_COLUMNS, rows, table};

/// SK-24, SK-26, SK-39: the table of seven rows is found in its document by its header, in one file.
#[test]
fn the_table_with_five_columns_is_loaded() {
    let table = table(FIVE_COLUMNS);
    let count = |length: &dyn Fn(&skills::TriggerRow) -> usize| table.rows.iter().map(length).sum::<usize>();
    assert_eq!(table.rows.len(), 7);
    assert_eq!((count(&|row| row.keywords.len()), count(&|row| row.negatives.len())), (68, 28));
    let mut priorities: Vec<_> = table.rows.iter().map(|row| row.priority).collect();
    priorities.sort_unstable();
    assert_eq!(priorities, [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(table.rows[0].skill, "problem-solving");
    assert_eq!(
        table.rows[6].compound.as_ref().unwrap().text,
        r#"("voice" OR "persona") AND ("review" OR "check" OR "score")"#
    );
    assert_eq!((table.rows[0].line, table.path.as_str()), (13, "docs/skills.md"));
}

/// SK-27: `--` is an empty cell.
#[test]
fn two_hyphens_are_an_empty_cell() {
    let table = table(FIVE_COLUMNS);
    let row = table.rows.iter().find(|row| row.skill == "saucer-boy").unwrap();
    assert_eq!((row.negatives.len(), &row.compound), (0, &None));
}

/// SK-28: tables with four columns, and with two in another order, are loaded; the number of a row is its priority.
#[test]
fn tables_with_fewer_columns_are_loaded() {
    let four = table(FOUR_COLUMNS);
    let count: (usize, usize) = four
        .rows
        .iter()
        .fold((0, 0), |(keywords, negatives), row| (keywords + row.keywords.len(), negatives + row.negatives.len()));
    assert_eq!((four.rows.len(), count), (7, (62, 21)));
    let standalone = four.rows[1].negatives.iter().find(|negative| negative.standalone).unwrap();
    assert_eq!(standalone.keyword, "research");
    let two = table(TWO_COLUMNS);
    assert_eq!(two.rows.iter().map(|row| row.priority).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7]);
    assert!(two.rows.iter().all(|row| row.negatives.is_empty() && row.compound.is_none()));
}

/// SK-38: faults are findings with their line; the rest of the table is used.
#[test]
fn faults_of_a_table_are_findings_with_their_line() {
    let markdown = r#"
| Skill | Detected Keywords | Priority | Compound Triggers |
|---|---|---|---|
| `/a` | one, -- , "two words" | x | ("one" |
| `/a` | three | 2 | -- |
| -- | four | 3 | -- |
| `/b` | "!?" | 4 | -- |
```
| `/c` | in an example | 5 | -- |
```
"#;
    let (table, findings) = parse_trigger_table("t.md", markdown);
    let printed: Vec<_> = findings.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(printed.join("\n"));
    assert_eq!(table.rows.len(), 2);
    assert_eq!(table.rows[0].keywords, ["one", "two words", "three"]);
    let (empty, findings) = parse_trigger_table("t.md", "# No table\n\n| Skill | Words |\n|---|---|\n| a | b |\n");
    assert_eq!((empty.rows.len(), findings[0].code), (0, FindingCode::NoTriggerTable));
}

/// SK-24 with bad input: any text is read without a panic, and every finding has the path.
#[test]
fn any_text_is_read_as_a_table() {
    for text in ["|", "| Detected Keywords | Skill", "||||", "| Skill | Detected Keywords |\n| \\", "\u{feff}|a|\0|"] {
        let (table, findings) = parse_trigger_table("t.md", text);
        assert!(table.rows.is_empty() && findings.iter().all(|finding| finding.path == "t.md"), "{text}");
    }
}

/// C-22: in the table of 000 no keyword is claimed twice, and two are parts of longer keywords of other skills.
#[test]
fn collisions_are_exact_or_contained() {
    let found = collisions(&skills::SkillIndex::default(), &table(FIVE_COLUMNS));
    let printed = found.iter().map(|found| {
        format!(
            "{:?}: {} ({}) in {} ({})",
            found.kind, found.keyword, found.skill, found.other_keyword, found.other_skill
        )
    });
    insta::assert_snapshot!(printed.collect::<Vec<_>>().join("\n"));
    let exact = collisions(
        &skills::SkillIndex::default(),
        &rows(&["red team, plan | -- | 1 | -- | `/a`", "red-teams | plan | 2 | -- | `/b`"]),
    );
    assert_eq!((exact.len(), exact[0].other_keyword.as_str(), exact[0].is_separated), (1, "red-teams", false));
}

/// Attack: a trigger table of tens of thousands of keywords.
/// Holds: its collisions are found by one search for all of them, and they are those of a comparison of each pair.
#[test]
fn collisions_of_many_keywords_are_those_of_every_pair() {
    let none = skills::SkillIndex::default();
    let keyword = |number: u32| format!("{number:b}").replace('0', "no ").replace('1', "yes ").trim().to_owned();
    let lines: Vec<String> = (0..3_u32)
        .map(|skill| {
            let keywords: Vec<_> = (skill * 20..skill * 20 + 40).map(keyword).collect();
            format!("{} | -- | {} | -- | `/{skill}`", keywords.join(", "), skill + 1)
        })
        .collect();
    let owners = |skill: u32| skill * 20..skill * 20 + 40;
    let pairs =
        (0..3).flat_map(|skill| (0..3).map(move |other| (skill, other))).filter(|(skill, other)| skill != other);
    let expected = pairs.flat_map(|(skill, other)| {
        owners(skill).flat_map(move |number| owners(other).map(move |longer| (skill, number, other, longer)))
    });
    let expected =
        expected.filter(
            |(skill, number, other, longer)| {
                if number == longer { skill < other } else { keyword(*longer).contains(&keyword(*number)) }
            },
        );
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(collisions(&none, &rows(&lines)).len(), expected.count());

    let many: Vec<String> = (0..40_000).map(|number| format!("k{number} z")).collect();
    let many = format!("{} | -- | 1 | -- | `/a`", many.join(", "));
    assert_eq!(collisions(&none, &rows(&[&many, "k77 z, k77 | -- | 2 | -- | `/b`"])).len(), 2, "equal, and contained");
}

/// Attack: thousands of skills share keywords, so that their collisions grow with the square of their number.
/// Holds: a report finds as many as it asks for, and the same ones as without a limit.
#[test]
fn a_limit_bounds_the_collisions() {
    let none = skills::SkillIndex::default();
    let lines: Vec<String> =
        (0..2_000).map(|skill| format!("same, same again | -- | {} | -- | `/skill-{skill}`", skill + 1)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let table = rows(&lines);
    assert_eq!(collisions_up_to(&none, &table, 10_001).len(), 10_001);
    let few = rows(&lines[..4]);
    let all = collisions(&none, &few);
    assert_eq!(all.len(), 2 * 6 + 12, "two equal keywords, and one contained in the other");
    assert_eq!(collisions_up_to(&none, &few, all.len()), all);
    assert!(collisions_up_to(&none, &few, 5).iter().all(|found| all.contains(found)));
}
