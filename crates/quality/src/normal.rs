//! The normal distribution.

/// The probability that a normal number of this mean and standard deviation is above nothing.
pub(crate) fn probability(mean: f64, deviation: f64) -> f64 {
    if deviation <= 0.0 {
        return if 0.0 < mean { 1.0 } else { 0.5 };
    }
    let z = mean / deviation;
    // Zelen and Severo, Abramowitz and Stegun 26.2.17: off by less than 7.5e-8.
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let factors = [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_530];
    let polynomial = factors.iter().fold(0.0, |sum, factor| (sum + factor) * t);
    let tail = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * polynomial;
    if 0.0 <= z { 1.0 - tail } else { tail }
}
