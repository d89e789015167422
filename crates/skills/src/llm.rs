//! The question to a model which skill fits a request: its data, the validation of the reply, and the calibration of the
//! threshold (000 §1.1 layer 3, §2.4). This crate makes no call.

mod calibration;
mod question;
mod reply;
mod settings;

pub use calibration::{Calibration, CalibrationRow, LabelledReply, MIN_CALIBRATION_REPLIES};
pub use question::{CatalogueSkill, ContextSignals, INSTRUCTIONS, LlmQuestion};
pub use reply::{LlmReply, LlmReplyError, parse_reply};
pub use settings::LlmSettings;
