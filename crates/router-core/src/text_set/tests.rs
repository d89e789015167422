//! What one pass over a message finds.
