//! Exact money (decision D13): amounts in integer nano-dollars, rates in integer pico-dollars per token, no floats.

use std::{fmt, iter::Sum, ops::AddAssign, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::Usage;

/// An amount of money in nano-dollars (1e-9 USD). Sums are limited to the largest amount instead of overflowing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NanoUsd(pub u64);

/// A price in pico-dollars (1e-12 USD) per token. 3 USD per million tokens are 3,000,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PicoUsd(pub u64);

/// Error for a text that is not a valid amount of dollars; contains the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an amount of dollars: write digits with at most nine decimals")]
pub struct ParseMoneyError(String);

impl NanoUsd {
    /// Returns the sum of two amounts, at most the largest amount that can be represented.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Formats the amount in dollars without a currency sign, with `decimals` (at most 9) decimals, rounded half up.
    #[must_use]
    pub fn decimal(self, decimals: usize) -> String {
        let decimals = decimals.min(9);
        // At most nine decimals, so the conversion and the power fit.
        let unit = 10_u64.pow(9 - u32::try_from(decimals).unwrap_or(9));
        let units = self.0.saturating_add(unit / 2) / unit;
        if decimals == 0 {
            return units.to_string();
        }
        let scale = 1_000_000_000 / unit;
        format!("{}.{:0decimals$}", units / scale, units % scale)
    }
}

impl AddAssign for NanoUsd {
    fn add_assign(&mut self, other: Self) {
        *self = self.plus(other);
    }
}

impl Sum for NanoUsd {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::default(), Self::plus)
    }
}

impl NanoUsd {
    /// Formats an amount that a user wrote, such as a budget, as `$2.345`: every digit, and at least two decimals.
    #[must_use]
    pub fn exact(self) -> String {
        let decimal = self.decimal(9);
        let significant = decimal.trim_end_matches('0');
        let decimals = significant.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        format!("${}", self.decimal(decimals.max(2)))
    }

    /// Returns the number of decimals with which the amount is shown to users: two, or for an amount below a cent as
    /// many as its first two significant digits need.
    fn decimals(self) -> usize {
        const CENT: u64 = 10_000_000;
        if self.0 == 0 || CENT <= self.0 {
            return 2;
        }
        // An amount below a cent has at most seven digits, so that the difference is at least two.
        let leading_zeros = 9 - self.0.to_string().len();
        let decimals = (leading_zeros + 2).min(9);
        let decimal = self.decimal(decimals);
        decimal.trim_end_matches('0').split_once('.').map_or(2, |(_, fraction)| fraction.len().max(2))
    }
}

/// Formats an amount in dollars for users: `$1.23`, or `$0.0034` for an amount below a cent, so that only zero is
/// `$0.00`. A precision in the format (`{:.4}`, at most 9) replaces this number of decimals. Rounded half up.
impl fmt::Display for NanoUsd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("${}", self.decimal(f.precision().unwrap_or_else(|| self.decimals())));
        match f.width() {
            Some(width) => write!(f, "{text:>width$}"),
            None => f.write_str(&text),
        }
    }
}

/// Parses an amount in dollars with up to nine decimals, such as `5`, `5.00` or `0.000001`.
impl FromStr for NanoUsd {
    type Err = ParseMoneyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseMoneyError(text.to_owned());
        let (dollars, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !is_digits(dollars) || !is_digits(fraction) || 9 < fraction.len() {
            return Err(error());
        }
        let dollars: u64 = dollars.parse().map_err(|_| error())?;
        let fraction: u64 = format!("{fraction:0<9}").parse().map_err(|_| error())?;
        dollars.checked_mul(1_000_000_000).and_then(|nano| nano.checked_add(fraction)).map(Self).ok_or_else(error)
    }
}

/// Prices of one model per token, one price for each disjoint kind of tokens in [`Usage`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Rates {
    /// Price of input that is neither read from nor written to the prompt cache.
    pub input: PicoUsd,
    /// Price of input read from the prompt cache.
    pub cache_read: PicoUsd,
    /// Price of input written to the prompt cache for five minutes.
    pub cache_write_5m: PicoUsd,
    /// Price of input written to the prompt cache for one hour.
    pub cache_write_1h: PicoUsd,
    /// Price of output, including thinking.
    pub output: PicoUsd,
}

/// Prices of a model per token, which may be higher for long inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Prices {
    /// Rates of ordinary calls.
    pub base: Rates,
    /// Rates of calls whose total input has more than this number of tokens; `None` if there are none.
    pub long: Option<(u64, Rates)>,
}

impl Prices {
    /// Returns the cost of a model call with this token usage. The exact sum is rounded once, half up, to nano-dollars.
    pub fn cost(&self, usage: &Usage) -> NanoUsd {
        let rates = match self.long {
            Some((threshold, long)) if threshold < usage.input_total() => long,
            _ => self.base,
        };
        let pico = [
            (usage.input, rates.input),
            (usage.cache_read, rates.cache_read),
            (usage.cache_write_5m, rates.cache_write_5m),
            (usage.cache_write_1h, rates.cache_write_1h),
            (usage.output, rates.output),
        ]
        .into_iter()
        .map(|(tokens, rate)| u128::from(tokens) * u128::from(rate.0))
        // Five products of two 64-bit numbers overflow 128 bits only at the very top of the range.
        .fold(0_u128, u128::saturating_add);
        NanoUsd(u64::try_from(pico.saturating_add(500) / 1_000).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_small_amounts_with_their_digits_and_large_ones_with_cents() {
        let shown = |nano: u64| NanoUsd(nano).to_string();
        assert_eq!(shown(0), "$0.00");
        assert_eq!(shown(1), "$0.000000001");
        assert_eq!(shown(3_400_000), "$0.0034");
        assert_eq!(shown(3_456_000), "$0.0035");
        assert_eq!(shown(5_000_000), "$0.005");
        assert_eq!(shown(9_999_999), "$0.01");
        assert_eq!(shown(10_000_000), "$0.01");
        assert_eq!(shown(1_234_567_890), "$1.23");
        assert_eq!(shown(153_063_400_000), "$153.06");
        assert_eq!(format!("{:>8}", NanoUsd(3_400_000)), " $0.0034");
    }

    #[test]
    fn a_budget_is_shown_as_it_was_written() {
        for written in ["0.001", "2.345", "5.00", "20.00", "0.10", "0.000000001"] {
            let amount: NanoUsd = written.parse().unwrap();
            assert_eq!(amount.exact(), format!("${written}"));
        }
    }
}
