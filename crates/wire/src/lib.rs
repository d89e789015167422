//! What clients and providers say to each other: the four wire APIs read, edited in place and converted.
//!
//! Pure: bytes in, bytes out. Same API on both sides: the bytes stay and only what must change is cut out and replaced.
//! Different APIs: converted without loss, or refused before anything is sent.
