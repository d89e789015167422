//! Simulated crashes of the operating system: after every change that a program makes, with every selection of unsynced
//! changes, the log fulfils its guarantees.

mod check;
mod program;
mod scripts;
mod story;
use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use crate::support::{in_memory, times};
use check::{Crash, is_rebuilt};
use event_bus::files::{Disk, Image, Survival};
use program::{Program, SECRET};
use scripts::Script;
use story::Story;

/// One image in this many is opened for writing. The others are opened only if a reader rejects them, or if a repair or
/// purge was in progress.
const OPENED: usize = 9;

/// One image in this many is continued by a second program, which is crashed again.
const CONTINUED: usize = OPENED * 30;

/// Number of seeds per crash, for each [`Survival`] with random choices.
const SEEDS: u64 = 10;

/// Counts of images and their outcomes.
#[derive(Default)]
struct Counts {
    /// Number of programs.
    stories: usize,
    /// Number of points in time at which a program was crashed.
    moments: usize,
    /// Number of different images.
    images: usize,
    /// Number of images that were opened for writing.
    opened: usize,
    /// Number of images that a reader rejects until a writer has opened them.
    only_a_writer: usize,
    /// Number of opened images that needed a repair.
    repaired: usize,
    /// Number of opened images whose index was rebuilt.
    rebuilt: usize,
    /// Number of opened images that lost a checkpoint with the index.
    states_lost: usize,
    /// Descriptions of violated guarantees.
    failures: Vec<String>,
    /// Images to be continued by another program, with the stories up to them.
    survivors: Vec<(Image, Story)>,
    /// Digests of the images that any thread has checked; each is checked once.
    seen: Arc<Mutex<BTreeSet<[u8; 32]>>>,
}

impl Counts {
    /// Simulates a crash after every change of a program, with every selection of surviving changes, and checks each
    /// new image.
    fn crash(&mut self, story: &Story) {
        self.stories += 1;
        let mut disk = Disk::new();
        for (index, change) in story.changes.iter().enumerate() {
            disk.apply(change);
            let changes = index + 1;
            if changes < story.begin {
                continue;
            }
            self.moments += 1;
            for survival in Survival::ALL {
                let random = matches!(survival, Survival::Prefix | Survival::Torn | Survival::Subset);
                for seed in 0..if random { SEEDS } else { 1 } {
                    let image = disk.crash(survival, changes as u64 * SEEDS + seed);
                    if self.seen.lock().unwrap().insert(image.digest(is_read)) {
                        self.check(story, changes, survival, &image);
                    }
                }
            }
        }
    }

    /// Checks the image of a crash after the first `changes` changes of a story: reads it, opens it for writing if it
    /// is selected or a reader rejects it, and counts the outcome.
    fn check(&mut self, story: &Story, changes: usize, survival: Survival, image: &Image) {
        self.images += 1;
        let place = in_memory();
        let log = place.path().join("log");
        let crash = Crash { story, changes, log: &log };
        // Opening the log completes or undoes an interrupted repair or purge, so all these images are opened.
        let open = self.images.is_multiple_of(OPENED) || story.is_rewritten(changes);
        image.write_to(place.path(), |path| open || !is_index(path)).unwrap();
        let read = crash.read();
        let only_a_writer = read == Ok(None);
        if only_a_writer && !open {
            fs::remove_dir_all(&log).unwrap_or_default();
            image.write_to(place.path(), |_| true).unwrap();
        }
        self.only_a_writer += usize::from(only_a_writer);
        let opened = if open || only_a_writer { Some(crash.open()) } else { None };
        self.opened += usize::from(opened.is_some());
        let failure = match (read, opened) {
            (Err(failure), _) => Some(format!("read: {failure}")),
            (Ok(_), Some(Err(failure))) => Some(format!("opened: {failure}")),
            (Ok(Some(read)), Some(Ok(opened))) if opened.events < read => {
                Some(format!("a reader saw {read} events, a writer {}", opened.events))
            }
            (Ok(_), Some(Ok(opened))) => {
                if self.images.is_multiple_of(CONTINUED) && story.purge.is_none() && story.damage.is_none() {
                    let name = format!("{}, crashed after {changes} changes ({survival:?})", story.name);
                    self.survivors.push((image.clone(), story.after_crash(name, changes, opened.events)));
                }
                self.repaired += usize::from(!opened.repairs.is_empty());
                self.rebuilt += usize::from(is_rebuilt(&opened.repairs));
                self.states_lost += usize::from(opened.state_lost);

                None
            }
            (Ok(_), None) => None,
        };
        if let Some(failure) = failure.or_else(|| still_private(story, changes, image)) {
            let last = &story.changes[changes - 1];
            self.failures.push(format!("{}, change {changes} ({last}), {survival:?}: {failure}", story.name));
        }
    }

    /// Adds the counts and failures of another thread.
    fn add(&mut self, other: Self) {
        self.stories += other.stories;
        self.moments += other.moments;
        self.images += other.images;
        self.opened += other.opened;
        self.only_a_writer += other.only_a_writer;
        self.repaired += other.repaired;
        self.rebuilt += other.rebuilt;
        self.states_lost += other.states_lost;
        self.failures.extend(other.failures);
    }

    /// Prints the counts. Panics with the first failures if there are any.
    fn report(&self, what: &str) {
        println!(
            "kept: {what}: {} different images of {} programs crashed at {} moments, {} of them opened, written on and \
             verified ({} repaired themselves, {} with a new index, {} of those lost a saved state); {} were refused to \
             readers until a writer had opened them; {} failures",
            self.images,
            self.stories,
            self.moments,
            self.opened,
            self.repaired,
            self.rebuilt,
            self.states_lost,
            self.only_a_writer,
            self.failures.len()
        );
        let shown: Vec<_> = self.failures.iter().take(20).map(|failure| &failure[..failure.len().min(600)]).collect();
        assert!(shown.is_empty(), "{} failures:\n{}", self.failures.len(), shown.join("\n"));
    }
}

/// Returns a description of the failure if a file of the image contains purged text although the purge was
/// acknowledged; `None` if none does.
fn still_private(story: &Story, changes: usize, image: &Image) -> Option<String> {
    story.purge.filter(|purge| purge.done <= changes)?;
    let secret = std::str::from_utf8(SECRET).unwrap();
    let holds = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(secret);
    let (path, _) = image.files().find(|(_, bytes)| holds(bytes))?;
    Some(format!("private text that was removed stands in `{}`", path.display()))
}

/// Returns whether the content of the file at `path` matters for the outcome. That of the lock file does not.
fn is_read(path: &Path) -> bool {
    !path.ends_with("lock")
}

/// Returns whether `path` belongs to an index.
fn is_index(path: &Path) -> bool {
    path.strip_prefix("log").is_ok_and(|path| path.to_string_lossy().starts_with("index"))
}

/// Crashes the program of a script at every moment, and then the programs that continue some of the resulting images.
/// Returns the counts.
fn crash_again_and_again(script: Script, name: &str, seed: u64, seen: &Arc<Mutex<BTreeSet<[u8; 32]>>>) -> Counts {
    let mut counts = Counts { seen: Arc::clone(seen), ..Counts::default() };
    let mut program = Program::new(&format!("{name}, seed {seed}"), seed);
    script(&mut program);
    counts.crash(&program.end());
    for (image, story) in std::mem::take(&mut counts.survivors) {
        let place = in_memory();
        image.write_to(place.path(), |_| true).unwrap();
        let mut program = Program::on(place, story, 0);
        scripts::after_a_crash(&mut program);
        counts.crash(&program.end());
    }
    counts
}

/// After any simulated crash the log has a prefix of the appended events that includes all acknowledged ones.
#[test]
fn a_crash_at_any_moment_leaves_everything_acknowledged_and_nothing_invented() {
    let seeds = |name| if name == "anything" { times(10) } else { 1 };
    let programs: Vec<(&str, Script, usize)> = scripts::SCRIPTS
        .into_iter()
        .flat_map(|(name, script)| (0..seeds(name)).map(move |seed| (name, script, seed)))
        .collect();
    let seen = Arc::default();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut counts = Counts::default();
        while let Some((name, script, seed)) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            counts.add(crash_again_and_again(*script, name, *seed as u64, &seen));
        }
        counts
    };
    let mut counts = Counts::default();
    thread::scope(|scope| {
        let threads: Vec<_> =
            (0..thread::available_parallelism().map_or(1, usize::from)).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            counts.add(thread.join().unwrap());
        }
    });
    counts.report("crash images");
    assert!(5_000 <= counts.images && 500 <= counts.opened, "too few images to say so");
}
