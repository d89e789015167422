//! Checks the machine: room on the disk, permissions of the home folder, and the time zone.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use event_bus::{Clock as _, SystemClock};

use super::finding::{Finding, Section, short_path};
use crate::context::{Context, local_offset, local_time};

/// The free space in bytes below which the user is informed, since the log may soon fill the disk.
const LITTLE_ROOM: u64 = 1_000_000_000;

/// The free space in bytes below which there is a problem, since requests may be refused at any time.
const NO_ROOM: u64 = 100_000_000;

/// Checks the disk space, the permissions of the home folder, and the local time.
pub(super) fn check_machine(context: &Context) -> Section {
    let mut findings = vec![room(context)];
    findings.extend(permissions(context));
    findings.push(Finding::ok(time()));
    Section::new("machine", findings)
}

/// Returns the finding about the free space on the disk of the home folder.
fn room(context: &Context) -> Finding {
    let dir = &context.home.dir;
    // Before `init` the folder does not exist.
    let existing = dir.ancestors().find(|path| path.exists()).unwrap_or_else(|| Path::new("/"));
    let bytes = match rustix::fs::statvfs(existing) {
        Ok(disk) => disk.f_bavail.saturating_mul(disk.f_frsize),
        Err(error) => {
            let text = format!("the free room of {} is unknown: {error}", short_path(context, existing));
            return Finding::note(text, "df");
        }
    };
    let text = format!("{}.{} GB free on the disk of the log", bytes / 1_000_000_000, bytes / 100_000_000 % 10);
    match bytes {
        ..NO_ROOM => Finding::problem(text, "make room: without it requests are refused"),
        NO_ROOM..LITTLE_ROOM => Finding::note(text, "make room, or move the home folder with --home"),
        _ => Finding::ok(text),
    }
}

/// Returns the finding about the permissions of home folder and log: only the user may change the policy and read the
/// log. `None` if there is no home folder.
fn permissions(context: &Context) -> Option<Finding> {
    let mode = |path: &Path| Some(fs::metadata(path).ok()?.permissions().mode() & 0o777);
    let (dir, log) = (&context.home.dir, context.home.log());
    let (dir_mode, shown) = (mode(dir)?, short_path(context, dir));
    if dir_mode & 0o022 != 0 {
        let text = format!("{shown} has mode {dir_mode:03o}: other users can change the policy");
        return Some(Finding::problem(text, format!("chmod go-w {}", dir.display())));
    }
    match mode(&log) {
        Some(log_mode) if log_mode & 0o077 != 0 => Some(Finding::problem(
            format!("{} has mode {log_mode:03o}: other users can read your messages", short_path(context, &log)),
            format!("chmod 700 {}", log.display()),
        )),
        _ => Some(Finding::ok(format!("{shown} can be changed by you only, and the log read by you only"))),
    }
}

/// Returns a sentence with the local time, the time zone, and the end of the day for budgets.
fn time() -> String {
    let now = SystemClock.now();
    let offset = local_offset(now);
    let zone = jiff::tz::TimeZone::system();
    let name = zone.iana_name().unwrap_or("local time");
    let (sign, minutes) = (if offset < 0 { '-' } else { '+' }, offset.unsigned_abs());
    let zone = format!("{name}, UTC{sign}{:02}:{:02}", minutes / 60, minutes % 60);
    format!("{} ({zone}); budgets of a day end at midnight UTC", local_time(now))
}
