//! Text about skill choices: reasons and banners. The crate `skills` makes these decisions.

mod evidence;
mod explain;
mod notice;

pub use notice::SkillNotice;
