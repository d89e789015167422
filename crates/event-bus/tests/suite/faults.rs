//! Failing, stalled and lying file operations: the writer stops, readers continue, and no unacknowledged event is
//! visible.

mod errors;
mod full_disk;
mod lies;
mod session;
mod stalls;
mod texts;
