//! Files that fail: the writer stops, readers go on, and nothing unacknowledged shows.

mod errors;
mod full_disk;
mod lies;
mod session;
mod stalls;
mod texts;
