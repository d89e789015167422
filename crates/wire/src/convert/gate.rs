//! Checks which features of a request a conversion supports, and records which ones it drops.

use std::collections::BTreeSet;

use contracts::{Requirement, WireApi};

use super::{ConversionOptions, ConvertError};

/// Decides for each feature of a request that not all APIs support whether the conversion preserves it, drops it or
/// fails.
#[derive(Debug)]
pub(crate) struct FeatureGate<'a> {
    /// The API in which the client sent the request.
    from: WireApi,
    /// The API in which the provider receives it.
    to: WireApi,
    /// The features that the caller allows to be dropped.
    may_drop: &'a BTreeSet<Requirement>,
    /// The features dropped so far.
    dropped: BTreeSet<Requirement>,
}

impl<'a> FeatureGate<'a> {
    /// Creates a gate for the conversion with these options; no feature is dropped yet.
    pub(crate) const fn new(conversion: &ConversionOptions<'a>) -> Self {
        Self { from: conversion.from, to: conversion.to, may_drop: conversion.may_drop, dropped: BTreeSet::new() }
    }

    /// Returns the API in which the client sent the request.
    pub(crate) const fn from(&self) -> WireApi {
        self.from
    }

    /// Returns the API in which the provider receives the request.
    pub(crate) const fn to(&self) -> WireApi {
        self.to
    }

    /// Checks that the provider's API supports a feature.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] if it does not.
    pub(crate) fn require(&self, requirement: Requirement) -> Result<(), ConvertError> {
        if requirement.carried(self.from, self.to) { Ok(()) } else { Err(ConvertError::Requires(requirement)) }
    }

    /// Drops a feature, and records that it was dropped, if the provider's API does not support it.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] if it may not be dropped.
    pub(crate) fn require_or_drop(&mut self, requirement: Requirement) -> Result<(), ConvertError> {
        if requirement.carried(self.from, self.to) { Ok(()) } else { self.drop_feature(requirement) }
    }

    /// Records that a feature was dropped, even if the provider's API supports it.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] if it may not be dropped.
    pub(crate) fn drop_feature(&mut self, requirement: Requirement) -> Result<(), ConvertError> {
        let group = requirement.dropped_as();
        if Requirement::ADAPTABLE.contains(&group) && self.may_drop.contains(&group) {
            self.dropped.insert(group);
            return Ok(());
        }
        Err(ConvertError::Requires(requirement))
    }

    /// Returns the features that were dropped.
    pub(crate) fn dropped(self) -> BTreeSet<Requirement> {
        self.dropped
    }
}
