//! Syncs that report success without effect: after a crash all acknowledged events exist, or their loss is reported.

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

/// Directory of the log on the recorded disk.
const LOG: &str = "log";

/// Maximum number of acknowledgements after a lost sync after which a crash is simulated; one more crash is simulated
/// at the end.
const CRASHES: usize = 3;

/// Numbers of cases by outcome.
#[derive(Debug, Default)]
struct Counts {
    /// Cases with all acknowledged events.
    there: u64,
    /// Cases in which the log reports lost events; after a single lost sync they are restored from the other copy.
    reported: u64,
    /// Cases in which the directory of the log is lost, so that nothing reports the loss.
    nowhere: u64,
    /// Cases with a prefix of the acknowledged events and no error: no copy has more. Occurs only if all syncs from
    /// some call on are lost.
    shorter: u64,
}

/// After one lost sync and a crash, all acknowledged events exist or are reported as lost and can be repaired.
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

/// Runs the session with a lost sync, and simulates crashes after it. Returns whether the faulty call was reached.
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

/// Opens the log after a crash, and checks and counts the outcome. `sticky` is whether all later syncs were lost as
/// well.
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
