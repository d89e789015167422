//! A provider made up for tests: it speaks all the wire APIs, streams, and fails on demand.
