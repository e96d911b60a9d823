//! Which integers a value can be.

use crate::model::Scalar;

/// `least..=most`, of the integer that a value is in its own type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) least: i128,
    pub(crate) most: i128,
}

impl Interval {
    /// Every word of 64 bits, read without a sign.
    pub(crate) const WORD: Interval = Interval { least: 0, most: u64::MAX as i128 };

    /// Every integer of 64 bits with a sign.
    pub(crate) const SIGNED: Interval = Interval { least: i64::MIN as i128, most: i64::MAX as i128 };

    /// Every integer of any type.
    pub(crate) const ANY: Interval = Interval { least: i64::MIN as i128, most: u64::MAX as i128 };

    pub(crate) fn up_to(most: u64) -> Interval {
        Interval { least: 0, most: most.into() }
    }

    /// Every value of the type.
    pub(crate) fn of_type(scalar: Option<Scalar>) -> Interval {
        match scalar {
            Some(Scalar::Bool) => Interval::up_to(1),
            Some(scalar) if scalar.is_signed_integer() => {
                let beyond = 1 << (scalar.bits() - 1);
                Interval { least: -beyond, most: beyond - 1 }
            }
            Some(scalar) if scalar.is_integer() => Interval { least: 0, most: (1 << scalar.bits()) - 1 },
            _ => Interval::ANY,
        }
    }

    pub(crate) fn is_within(self, other: Interval) -> bool {
        other.least <= self.least && self.most <= other.most
    }

    /// Whether a word without a sign holds each.
    pub(crate) fn is_natural(self) -> bool {
        self.is_within(Interval::WORD)
    }

    /// The largest word of 64 bits, without a sign, that is one of them modulo 2^64.
    pub(crate) fn largest_word(self) -> u64 {
        if self.is_natural() { self.most as u64 } else { u64::MAX }
    }

    /// The values that are in both. Of an empty intersection, which no execution reaches, the first.
    pub(crate) fn meet(self, other: Interval) -> Interval {
        let met = Interval { least: self.least.max(other.least), most: self.most.min(other.most) };
        if met.least <= met.most { met } else { self }
    }

    /// The smallest interval with both in it.
    pub(crate) fn join(self, other: Interval) -> Interval {
        Interval { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    // Integers of 64 bits each: only their product needs a check.

    pub(crate) fn plus(self, other: Interval) -> Interval {
        Interval { least: self.least + other.least, most: self.most + other.most }
    }

    pub(crate) fn minus(self, other: Interval) -> Interval {
        Interval { least: self.least - other.most, most: self.most - other.least }
    }

    pub(crate) fn times(self, other: Interval) -> Option<Interval> {
        let mut product: Option<Interval> = None;
        for a in [self.least, self.most] {
            for b in [other.least, other.most] {
                let corner = a.checked_mul(b)?;
                let corner = Interval { least: corner, most: corner };
                product = Some(product.map_or(corner, |product| product.join(corner)));
            }
        }
        product
    }
}
