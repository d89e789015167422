//! Syncs that succeed without effect: after a crash all acknowledged events exist, or their loss is reported.

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use event_bus::{
    LogError, SledLog,
    files::{Disk, FailingFiles, Fault, FaultKind, Files, Operation, RecordingFiles, Survival, SystemFiles},
    plan_repair,
};

use super::session::{Session, is_a_prefix};
use crate::support::{all, in_memory};

/// The log's directory, on the disk that lies.
const LOG: &str = "log";

/// Number of crashes that are simulated after a lie: after some acknowledgements, and one at the end.
const CRASHES: usize = 3;

/// Numbers of cases by outcome.
#[derive(Debug, Default)]
struct Counts {
    /// Cases with all acknowledged events.
    there: u64,
    /// Cases in which the log reports the lost events and restores them from the other copy.
    reported: u64,
    /// Cases without a log directory, so that a loss cannot be detected.
    nowhere: u64,
    /// Cases with a prefix of the events, where the disk lied repeatedly and no copy has more.
    shorter: u64,
}

#[test]
fn what_a_sync_that_lied_has_lost_is_there_or_is_reported() {
    let (mut once, mut always) = (Counts::default(), Counts::default());
    for operation in [Operation::Sync, Operation::SyncDir] {
        for (sticky, counts) in [(false, &mut once), (true, &mut always)] {
            for call in 1.. {
                if !one_case(Fault { operation, call, kind: FaultKind::LostSync, sticky }, counts) {
                    break;
                }
            }
        }
    }
    assert!(100 < once.there && 10 < once.reported && once.shorter == 0, "{once:?}");
    println!(
        "kept: faults, syncs that lie: {} crashes after one lie: everything acknowledged there in {}, its loss \
         reported and repaired in {}, the log's directory gone in {}; {} crashes of disks that lie from some call on: \
         everything there in {}, the loss reported in {}, a prefix of which nobody knows more in {}",
        once.there + once.reported + once.nowhere,
        once.there,
        once.reported,
        once.nowhere,
        always.there + always.reported + always.nowhere + always.shorter,
        always.there,
        always.reported,
        always.nowhere + always.shorter,
    );
}

/// Runs the session with a lying sync, and simulates crashes after it. Returns whether the lie was reached.
fn one_case(fault: Fault, counts: &mut Counts) -> bool {
    let name = &format!("{fault:?}");
    let directory = in_memory();
    let recording = RecordingFiles::new(SystemFiles, directory.path()).unwrap();
    let failing = FailingFiles::new(recording.clone());
    failing.set_fault(Some(fault));
    let (session, moments) = (Session::default(), Mutex::new(Vec::new()));
    let lied = || fault.call <= failing.calls(fault.operation);
    let done = |acknowledged| {
        if lied() {
            moments.lock().unwrap().push((recording.count().unwrap(), acknowledged));
        }
    };
    let files: Arc<dyn Files> = Arc::new(failing.clone());
    session
        .run(&directory.path().join(LOG), &files, |_| {}, done)
        .unwrap_or_else(|(error, _)| panic!("{name}: nobody can notice a lie, but: {error}"));
    let changes = recording.changes().unwrap();
    let mut moments = moments.into_inner().unwrap();
    moments.truncate(CRASHES);
    moments.push((changes.len(), session.acknowledged()));
    let (mut disk, mut applied) = (Disk::new(), 0);
    for (turn, (moment, acknowledged)) in moments.into_iter().enumerate() {
        changes[applied..moment].iter().for_each(|change| disk.apply(change));
        applied = moment;
        let seed = fault.call * 8 + turn as u64;
        let survival = if turn == 0 { Survival::Nothing } else { Survival::ALL[usize::try_from(seed % 7).unwrap()] };
        let left = in_memory();
        disk.crash(survival, seed).write_to(left.path(), |_| true).unwrap();
        let name = format!("{name}, {survival:?}, seed {seed}");
        look(&left.path().join(LOG), acknowledged, fault.sticky, &name, counts);
    }
    lied()
}

/// Opens the log after a crash.
fn look(log: &Path, acknowledged: u64, sticky: bool, name: &str, counts: &mut Counts) {
    if !log.exists() {
        counts.nowhere += 1;
        return;
    }
    match SledLog::open(log) {
        Ok((open, _)) => {
            let events = all(&open);
            let known = if sticky { 0 } else { acknowledged };
            is_a_prefix(&events, known, name);
            if acknowledged <= events.len() as u64 {
                counts.there += 1;
            } else {
                counts.shorter += 1;
            }
        }
        Err(LogError::Damaged { position, .. }) => {
            assert!(position.0 <= acknowledged + 1, "{name}: position {position} of {acknowledged}");
            counts.reported += 1;
            if !sticky {
                plan_repair(log).unwrap().execute().unwrap_or_else(|error| panic!("{name}: {error}"));
                let (open, _) = SledLog::open(log).unwrap_or_else(|error| panic!("{name}: {error}"));
                is_a_prefix(&all(&open), acknowledged, name);
            }
        }
        Err(other) => panic!("{name}: {other}"),
    }
}
