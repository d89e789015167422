//! Crashes of a machine with an ext4 disk at random moments: the log has all acknowledged events, sled alone does not.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and says what it counted")]

#[path = "os_crash/machine.rs"]
mod machine;
#[path = "suite/support.rs"]
mod support;
#[path = "os_crash/writer.rs"]
mod writer;

use std::{
    ffi::OsStr,
    fs::{self, File},
    path::Path,
    process::{Command, Output},
    time::Duration,
};

use fastrand::Rng;
use machine::Machine;
use support::times;
use writer::{Writer, example};

/// Runs a test on a virtual disk. Prints that `suite` was skipped if no disk can be created.
fn with_machine(suite: &str, test: impl FnOnce(&mut Machine)) {
    match Machine::build() {
        Ok(mut machine) => test(&mut machine),
        Err(why) => println!("skipped: {suite}: {why}"),
    }
}

/// Returns a random time of 20 to 319 ms.
fn moment(random: &mut Rng) -> Duration {
    Duration::from_millis(20 + random.usize(..300) as u64)
}

/// Runs an example program with `input` as its standard input, and returns its output.
fn run(name: &str, arguments: &[&OsStr], input: &Path) -> Output {
    Command::new(example(name)).args(arguments).stdin(File::open(input).unwrap()).output().unwrap()
}

/// After a crash of the operating system at a random moment, the log has every event that was acknowledged before, in
/// one log for several consecutive writers.
#[test]
fn what_was_acknowledged_is_on_the_disk_when_the_machine_stops() {
    /// Number of consecutive writers of one log.
    const LIVES: usize = 3;
    const SEED: u64 = 20_261_120;
    const SUITE: &str = "operating system crashes of the log";
    with_machine(SUITE, |machine| {
        let (mut random, mut acknowledged, mut events) = (Rng::with_seed(SEED), String::new(), 0);
        let rounds = times(10);
        let log = Path::new("log");
        for round in 0..rounds {
            if round % LIVES == 0 {
                fs::remove_dir_all(machine.disk().join(log)).unwrap_or_default();
                acknowledged.clear();
            }
            let (place, seed) = (machine.disk().join(log), random.u64(..).to_string());
            let mut writer = Writer::start("crash_writer", [place.as_os_str(), OsStr::new(&seed)], machine.notes());
            let said = writer.after(moment(&mut random));
            machine.crash().unwrap();
            drop(writer);
            let promised = machine.notes().join("promised");
            fs::write(&promised, acknowledged.clone() + &said).unwrap();
            let checked = machine.look(|disk| run("crash_check", &[disk.join(log).as_os_str()], &promised)).unwrap();
            let output = String::from_utf8_lossy(&checked.stdout) + String::from_utf8_lossy(&checked.stderr);
            assert!(checked.status.success(), "round {round} of seed {SEED}: {output}");
            events += said.lines().filter(|line| !line.starts_with('#')).count();
            // The machine continues, so the writer's output until it was killed must be in the log in the next round.
            acknowledged += &fs::read_to_string(machine.notes().join("said")).unwrap();
            acknowledged.push('\n');
        }
        println!("kept: {SUITE}: {rounds} crashes under ext4 while {events} events were acknowledged, 0 lost");
    });
}

/// Without the journal, sled loses flushed records in at least one crash. If this test fails, the journal may not be
/// needed any more.
#[test]
fn sled_alone_loses_what_it_has_flushed_when_the_machine_stops() {
    const SEED: u64 = 20_261_121;
    const SUITE: &str = "operating system crashes of sled alone";
    with_machine(SUITE, |machine| {
        let mut random = Rng::with_seed(SEED);
        let (mut empty, mut shorter, mut refused) = (0, 0, 0);
        let rounds = times(6);
        for round in 0..rounds {
            let name = format!("sled-{round}");
            let store = machine.disk().join(&name);
            let mut writer = Writer::start("plain_sled", [OsStr::new("write"), store.as_os_str()], machine.notes());
            let said = writer.after(moment(&mut random));
            let flushed: u64 = said.lines().last().unwrap().parse().unwrap();
            machine.crash().unwrap();
            drop(writer);
            let nothing = Path::new("/dev/null");
            let counted = machine
                .look(|disk| run("plain_sled", &[OsStr::new("count"), disk.join(&name).as_os_str()], nothing))
                .unwrap();
            fs::remove_dir_all(&store).unwrap();
            match String::from_utf8_lossy(&counted.stdout).trim().parse::<u64>() {
                Ok(0) => empty += 1,
                Ok(found) => shorter += u32::from(found < flushed),
                Err(_) => refused += 1,
            }
        }
        let failed = empty + shorter + refused;
        println!(
            "kept: {SUITE}: {failed} of {rounds} lost records it had flushed ({empty} empty without an error, {shorter} \
             without their last records, {refused} not to be opened): this is why the log has a journal"
        );
        assert_ne!(failed, 0, "sled's flush has become a barrier: the journal's reason is to be looked at again");
    });
}
