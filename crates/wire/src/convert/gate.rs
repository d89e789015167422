//! What a conversion may leave out, and what it did.

use std::collections::BTreeSet;

use contracts::{Requirement, WireApi};

use super::{Conversion, ConvertError};

/// Asked for everything that not every API can carry.
#[derive(Debug)]
pub(crate) struct Gate<'a> {
    from: WireApi,
    to: WireApi,
    may_drop: &'a BTreeSet<Requirement>,
    dropped: BTreeSet<Requirement>,
}

impl<'a> Gate<'a> {
    pub(crate) const fn new(conversion: &Conversion<'a>) -> Self {
        Self { from: conversion.from, to: conversion.to, may_drop: conversion.may_drop, dropped: BTreeSet::new() }
    }

    pub(crate) const fn from(&self) -> WireApi {
        self.from
    }

    /// Passes when the other API can carry `requirement`, refuses otherwise.
    pub(crate) fn require(&self, requirement: Requirement) -> Result<(), ConvertError> {
        if requirement.carried(self.from, self.to) { Ok(()) } else { Err(ConvertError::Requires(requirement)) }
    }

    /// Passes when the other API can carry `requirement`, and otherwise leaves it out or refuses.
    pub(crate) fn carry(&mut self, requirement: Requirement) -> Result<(), ConvertError> {
        if requirement.carried(self.from, self.to) { Ok(()) } else { self.leave_out(requirement) }
    }

    /// Leaves something out, visibly, when the policy allows it; refuses otherwise.
    pub(crate) fn leave_out(&mut self, requirement: Requirement) -> Result<(), ConvertError> {
        let named = requirement.dropped_as();
        if Requirement::OPTIONAL.contains(&named) && self.may_drop.contains(&named) {
            self.dropped.insert(named);
            return Ok(());
        }
        Err(ConvertError::Requires(requirement))
    }

    pub(crate) fn dropped(self) -> BTreeSet<Requirement> {
        self.dropped
    }
}
