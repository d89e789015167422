//! Tests of the policy in `routing.yaml`, with the complete reason of every decision as a snapshot.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod policy;
