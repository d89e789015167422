//! Duration of reading 2,000 `SKILL.md` files of about 4 kB: the first time, and again when nothing has changed.
#![expect(clippy::expect_used, reason = "a benchmark cannot run without its files")]

use std::{
    fs,
    hint::black_box,
    path::Path,
    time::{Duration, SystemTime},
};

use criterion::{Criterion, criterion_group, criterion_main};
use processor_time::ProcessorTime;
use skill_files::{SkillReader, SkillRoot, default_roots};

/// The number of skills.
const SKILLS: usize = 2_000;

/// Writes the skills of a workspace.
fn write_skills(workspace: &Path) {
    let body = "Read the configuration, change one setting, and run the tests.\n".repeat(60);
    for number in 0..SKILLS {
        let folder = workspace.join(format!(".claude/skills/skill-{number:04}"));
        fs::create_dir_all(&folder).expect("the folder is created");
        let text = format!(
            "---\nname: skill-{number:04}\ndescription: Handles topic {number} of the service. Use when it fails.\n\
             keywords: [topic {number}, alert {number}, runbook {number}]\n---\n# Topic {number}\n{body}"
        );
        fs::write(folder.join("SKILL.md"), text).expect("the file is written");
    }
}

/// Measures a first reading, a second one, and one of another process with the remembered files.
fn read(criterion: &mut Criterion<ProcessorTime>) {
    let workspace = tempfile::tempdir().expect("a temporary folder is created");
    write_skills(workspace.path());
    let roots: Vec<SkillRoot> = default_roots(workspace.path(), None);
    let now = SystemTime::now() + Duration::from_mins(1);
    let mut group = criterion.benchmark_group("skills");
    group.sample_size(10);
    group.bench_function(format!("read {SKILLS} files"), |bencher| {
        bencher.iter(|| {
            let set = SkillReader::new().read(&roots, now);
            assert_eq!(set.index.skills().len(), SKILLS);
            black_box(set)
        });
    });
    let mut reader = SkillReader::new();
    reader.read(&roots, now);
    group.bench_function(format!("read {SKILLS} unchanged files"), |bencher| {
        bencher.iter(|| {
            let set = reader.read(&roots, now);
            assert_eq!(reader.opened(), 0);
            black_box(set)
        });
    });
    let cache = reader.encode().expect("the files are encoded");
    group.bench_function(format!("decode the cache of {SKILLS} files and read them"), |bencher| {
        bencher.iter(|| {
            let mut reader = SkillReader::decode(&cache).expect("the cache is valid");
            let set = reader.read(&roots, now);
            assert_eq!(reader.opened(), 0);
            black_box(set)
        });
    });
    group.finish();
}

criterion_group!(name = benches; config = ProcessorTime::criterion(); targets = read);
criterion_main!(benches);
