//! A log that consists only of sled: `plain_sled write DIR` and `plain_sled count DIR`. Shows why the log has a journal
//! (`docs/adr/0002`).
//!
//! `write` appends numbered records until it is killed, and prints each number once sled's `flush` has returned.
//! `count` prints the number of consecutive records from the first on.
#![expect(clippy::print_stdout, reason = "what is acknowledged and counted is the output")]

use std::{
    error::Error,
    io::{Write as _, stdout},
};

/// Length of a record in bytes.
const RECORD: usize = 300;

/// Opens the sled database in DIR and runs the command.
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(command), Some(directory)) = (arguments.next(), arguments.next()) else {
        return Err("usage: plain_sled write|count DIR".into());
    };
    let store = sled::open(directory)?;
    match command.as_str() {
        "write" => write(&store),
        "count" => count(&store),
        _ => Err(format!("unknown command `{command}`").into()),
    }
}

/// Appends and flushes records, and prints the number of each, until the process is killed or a write fails.
fn write(store: &sled::Db) -> Result<(), Box<dyn Error>> {
    for number in 1_u64.. {
        let record: Vec<u8> = number.to_le_bytes().iter().copied().cycle().take(RECORD).collect();
        store.insert(number.to_be_bytes(), record)?;
        store.flush()?;
        let mut out = stdout().lock();
        writeln!(out, "{number}")?;
        out.flush()?;
    }
    Ok(())
}

/// Prints the number of consecutive records from number 1 on.
fn count(store: &sled::Db) -> Result<(), Box<dyn Error>> {
    let mut count = 0_u64;
    for key in store.iter().keys() {
        if *key? != (count + 1).to_be_bytes() {
            break;
        }
        count += 1;
    }
    println!("{count}");
    Ok(())
}
