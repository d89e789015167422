//! Release dates of models as text in the format `YYYY-MM-DD`, whose alphabetical order is that of time.

/// Returns whether a text is a date in the format `YYYY-MM-DD`, with a month from 1 to 12 and a day from 1 to 31.
pub(crate) fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut number = |length: usize| {
        let digits = parts.next().filter(|part| part.len() == length)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<u32>().ok())?
    };
    let (year, month, day) = (number(4), number(2), number(2));
    year.is_some()
        && month.is_some_and(|month| (1..=12).contains(&month))
        && day.is_some_and(|day| (1..=31).contains(&day))
        && parts.next().is_none()
}

/// Returns the date at the end of a model's name, such as `claude-opus-4-5-20251101` or `gpt-5.5-2026-04-23`, in the
/// format `YYYY-MM-DD`; `None` if the name does not end with a date.
pub(crate) fn date_suffix(name: &str) -> Option<String> {
    let tail = |length: usize| name.get(name.len().checked_sub(length)?..);
    if let Some(date) = tail(10).filter(|date| is_date(date)) {
        return Some(date.to_owned());
    }
    let compact = tail(8).filter(|digits| digits.is_ascii())?;
    let date = format!("{}-{}-{}", &compact[..4], &compact[4..6], &compact[6..]);
    is_date(&date).then_some(date)
}

#[cfg(test)]
mod tests {
    use super::{date_suffix, is_date};

    /// Dates as `YYYY-MM-DD`, and texts that are none.
    #[test]
    fn a_date_has_four_two_and_two_digits_within_a_year() {
        for date in ["2026-09-22", "2024-12-31"] {
            assert!(is_date(date), "{date}");
        }
        for text in ["2026-13-01", "2026-00-10", "2026-01-32", "26-01-01", "2026-1-1", "2026-01-01-", "x026-01-01", ""]
        {
            assert!(!is_date(text), "{text}");
        }
    }

    /// The date at the end of a name is returned as `YYYY-MM-DD`.
    #[test]
    fn a_dated_name_ends_with_its_date() {
        assert_eq!(date_suffix("claude-opus-4-5-20251101").as_deref(), Some("2025-11-01"));
        assert_eq!(date_suffix("gpt-5.5-2026-04-23").as_deref(), Some("2026-04-23"));
        assert_eq!(date_suffix("claude-opus-4-5"), None);
        assert_eq!(date_suffix("éééé"), None);
        assert_eq!(date_suffix("o3"), None);
    }
}
