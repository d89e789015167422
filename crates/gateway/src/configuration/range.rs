//! Deserialises numbers of the settings that must be in a range.

use serde::{Deserialize as _, Deserializer, de::Error as _};

/// Deserialises a number from `MIN` to `MAX` that may be missing.
///
/// # Errors
/// Those of [`within`].
pub(super) fn within_optional<'de, D: Deserializer<'de>, T: TryFrom<u64>, const MIN: u64, const MAX: u64>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    within::<D, T, MIN, MAX>(deserializer).map(Some)
}

/// Deserialises a number from `MIN` to `MAX`.
///
/// # Errors
/// The error of the format, with the range if the number is outside of it.
pub(super) fn within<'de, D: Deserializer<'de>, T: TryFrom<u64>, const MIN: u64, const MAX: u64>(
    deserializer: D,
) -> Result<T, D::Error> {
    let number = u64::deserialize(deserializer)?;
    let in_range = (MIN..=MAX).contains(&number).then(|| T::try_from(number).ok()).flatten();
    in_range.ok_or_else(|| D::Error::custom(format_args!("{number} is out of range: it must be from {MIN} to {MAX}")))
}
