//! Checks which features of a request a conversion between two APIs preserves, and records which ones it drops.

use std::collections::BTreeSet;

use contracts::{Requirement, WireApi};

use super::{ConversionOptions, ConvertError};

/// Decides for each optional feature of a request whether the conversion to another API preserves it, drops it or
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
    /// Creates a gate for a conversion with these options; no feature is dropped yet.
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

    /// Checks that the conversion to the provider's API preserves a feature of the request.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] if it does not.
    pub(crate) fn require(&self, requirement: Requirement) -> Result<(), ConvertError> {
        if requirement.carried(self.from, self.to) { Ok(()) } else { Err(ConvertError::Requires(requirement)) }
    }

    /// Drops a feature of the request, and records that, if the conversion to the provider's API does not preserve it.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] if the caller does not allow the feature to be dropped.
    pub(crate) fn require_or_drop(&mut self, requirement: Requirement) -> Result<(), ConvertError> {
        if requirement.carried(self.from, self.to) { Ok(()) } else { self.drop_feature(requirement) }
    }

    /// Records that a feature of the request is dropped, even if the conversion would preserve it.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] if the caller does not allow the feature to be dropped.
    pub(crate) fn drop_feature(&mut self, requirement: Requirement) -> Result<(), ConvertError> {
        let group = requirement.dropped_as();
        if Requirement::ADAPTABLE.contains(&group) && self.may_drop.contains(&group) {
            self.dropped.insert(group);
            return Ok(());
        }
        Err(ConvertError::Requires(requirement))
    }

    /// Returns the features of the request that were dropped.
    pub(crate) fn dropped(self) -> BTreeSet<Requirement> {
        self.dropped
    }
}
