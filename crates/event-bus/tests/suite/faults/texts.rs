//! Texts on failing files: each is either stored correctly or not at all.

use std::{io::ErrorKind, sync::Arc};

use event_bus::{
    LogError, TextFiles, TextStore as _,
    files::{FailingFiles, Fault, FaultKind, Operation, SystemFiles},
};

use crate::support::in_memory;

/// Texts that the test stores.
const TEXTS: [&str; 3] = ["a text", "", "another text"];

/// Whichever call fails, a stored text is complete, a text whose storing failed is missing or complete, and storing it
/// again succeeds.
#[test]
fn a_text_that_cannot_be_written_is_not_there_and_one_that_was_is() {
    let (mut refused, mut carried_on) = (0, 0);
    for operation in Operation::ALL {
        for kind in [FaultKind::DeviceError, FaultKind::Full, FaultKind::Interrupted, FaultKind::Short] {
            for call in (1..).take_while(|_| kind.applies_to(operation)) {
                let fault = Fault { operation, call, kind, sticky: false };
                let directory = in_memory();
                let files = FailingFiles::new(SystemFiles);
                let texts = TextFiles::open_with(directory.path(), Arc::new(files.clone()));
                files.set_fault(Some(fault));
                let mut kept = 0;
                let put = TEXTS.iter().try_for_each(|text| texts.put(text).map(|_| kept += 1));
                let hit = call <= files.calls(operation);
                files.set_fault(None);
                // Interrupted reads and writes are repeated, short ones continued.
                let again = FaultKind::Short.applies_to(operation)
                    && kind.error().is_none_or(|error| error.kind() == ErrorKind::Interrupted);
                match put {
                    Ok(()) => carried_on += u32::from(hit),
                    Err(LogError::Io { path, .. }) if !again => {
                        assert!(path.starts_with(directory.path()), "{fault:?}: {}", path.display());
                        refused += 1;
                    }
                    Err(other) => panic!("{fault:?}: {other}"),
                }
                for (number, text) in TEXTS.iter().enumerate() {
                    let there = texts.get(*blake3::hash(text.as_bytes()).as_bytes()).unwrap();
                    assert!(there.as_deref().is_none_or(|there| there == *text), "{fault:?}: {there:?}");
                    assert!(there.is_some() || kept <= number, "{fault:?}: text {number} is not there");
                    texts.put(text).unwrap();
                }
                if !hit {
                    break;
                }
            }
        }
    }
    assert!(60 < refused && 2 < carried_on, "{refused} refused, {carried_on} carried on");
    println!("kept: faults, texts: {} cases: {refused} refused, {carried_on} calls made again", refused + carried_on);
}
