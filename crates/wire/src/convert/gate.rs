//! Checks which features a conversion supports, and records which ones it drops.

use std::collections::BTreeSet;

use contracts::{Requirement, WireApi};

use super::{ConversionOptions, ConvertError};

/// Decides for each feature that not all APIs support whether the conversion keeps it, drops it or fails.
#[derive(Debug)]
pub(crate) struct FeatureGate<'a> {
    from: WireApi,
    to: WireApi,
    may_drop: &'a BTreeSet<Requirement>,
    dropped: BTreeSet<Requirement>,
}

impl<'a> FeatureGate<'a> {
    pub(crate) const fn new(conversion: &ConversionOptions<'a>) -> Self {
        Self { from: conversion.from, to: conversion.to, may_drop: conversion.may_drop, dropped: BTreeSet::new() }
    }

    pub(crate) const fn from(&self) -> WireApi {
        self.from
    }

    pub(crate) const fn to(&self) -> WireApi {
        self.to
    }

    /// Checks that the other API supports `requirement`.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] if it does not.
    pub(crate) fn require(&self, requirement: Requirement) -> Result<(), ConvertError> {
        if requirement.carried(self.from, self.to) { Ok(()) } else { Err(ConvertError::Requires(requirement)) }
    }

    /// Drops `requirement` if the other API does not support it.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] if it may not be dropped.
    pub(crate) fn require_or_drop(&mut self, requirement: Requirement) -> Result<(), ConvertError> {
        if requirement.carried(self.from, self.to) { Ok(()) } else { self.drop_feature(requirement) }
    }

    /// Drops a feature and records that.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] if it may not be dropped.
    pub(crate) fn drop_feature(&mut self, requirement: Requirement) -> Result<(), ConvertError> {
        let named = requirement.dropped_as();
        if Requirement::ADAPTABLE.contains(&named) && self.may_drop.contains(&named) {
            self.dropped.insert(named);
            return Ok(());
        }
        Err(ConvertError::Requires(requirement))
    }

    pub(crate) fn dropped(self) -> BTreeSet<Requirement> {
        self.dropped
    }
}
