//! Writes to a plain file with the same number of bytes per event: the maximum rate that the disk permits.

use std::{
    fs::File,
    io::Write as _,
    path::Path,
    time::{Duration, Instant},
};

use crate::event::BYTES;

/// Returns the events per second if each group of `group` events is written by one call and followed by one
/// `fdatasync`. Runs for `length`.
pub(crate) fn rate(path: &Path, group: usize, length: Duration) -> std::io::Result<f64> {
    let mut file = File::create(path)?;
    let bytes: Vec<u8> = (0..group * BYTES).map(|index| index.to_le_bytes()[0]).collect();
    let (begun, mut events) = (Instant::now(), 0);
    while begun.elapsed() < length {
        file.write_all(&bytes)?;
        file.sync_data()?;
        events += group;
    }
    Ok(events as f64 / begun.elapsed().as_secs_f64())
}
