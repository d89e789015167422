//! The reasons for statements without a test.

use super::statements::{REQUIRED_TEST, StatementId};

/// The reason of a statement that will be built.
const NOT_BUILT_YET: &str = "not built yet";

/// The reason of a statement about the tool with which a model delegates work.
const NO_DELEGATE_TOOL: &str =
    "turnwise offers no tool for delegation: clients start workers, and turnwise routes them";

/// The reason why statements of the specification have no test.
pub(super) struct Reason {
    /// The prefix of the statements.
    prefix: &'static str,
    /// The first and the last number.
    numbers: (u32, u32),
    /// The reason.
    pub(super) text: &'static str,
}

impl Reason {
    /// Returns whether the statements will never have a test. The others may have one already.
    pub(super) fn is_permanent(&self) -> bool {
        self.text != NOT_BUILT_YET
    }
}

/// Returns the reason of a statement; `None` if it must have a test.
pub(super) fn find_reason(id: &StatementId) -> Option<&'static Reason> {
    REASONS.iter().find(|reason| {
        let (first, last) = reason.numbers;
        reason.prefix == id.prefix() && (first..=last).contains(&id.number())
    })
}

/// All reasons; the first that applies to a number is used.
const REASONS: &[Reason] = &[
    Reason {
        prefix: "SK",
        numbers: (16, 16),
        text: "measured by `cargo xtask bench`, benchmark `skills: decision of 2 kB`",
    },
    Reason { prefix: "SK", numbers: (1, 92), text: NOT_BUILT_YET },
    Reason { prefix: "SK", numbers: (94, 94), text: NOT_BUILT_YET },
    Reason { prefix: "SC", numbers: (1, 39), text: NOT_BUILT_YET },
    Reason { prefix: "SC", numbers: (45, 52), text: NOT_BUILT_YET },
    Reason { prefix: REQUIRED_TEST, numbers: (14, 14), text: NO_DELEGATE_TOOL },
    Reason { prefix: REQUIRED_TEST, numbers: (24, 24), text: NO_DELEGATE_TOOL },
    Reason { prefix: REQUIRED_TEST, numbers: (26, 26), text: NO_DELEGATE_TOOL },
];
