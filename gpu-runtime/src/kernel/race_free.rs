//! Whether two threads of a launch can use the same element: what the macro proved, and what is left to the launch.

use std::fmt;

use crate::dims::LaunchDims;

/// A kernel that is proved free of data races: its [`launch`](crate::Launch::launch) and [`forall`](crate::Launch::forall) are safe.
///
/// `#[gpu_kernel]` implements it. If a kernel is not proved, the compiler reports the access at the launch; who knows that no two threads
/// race calls [`launch_unchecked`](crate::Launch::launch_unchecked). `By` is always `()`; it is a parameter so that the
/// compiler's message can say which access or condition is missing.
///
/// A proof may depend on constants, such as the distance of the blocks and their size. The compiler evaluates such a condition: for the
/// parameters of a generic kernel when it compiles an instance.
///
/// ```compile_fail,E0080
/// use gpu_runtime::prelude::*;
///
/// #[gpu_kernel(block = 32)]
/// fn fill<const STEP: usize>(out: &mut [f32]) {
///     let i = block_idx().x * STEP + thread_idx().x;
///     if i < out.len() {
///         out[i] = 1.0;
///     }
/// }
///
/// let mut out = Device::cpu().zeros::<f32>(64)?;
/// fill::<32>(&mut out).launch(2, 32)?;
/// fill::<16>(&mut out).launch(2, 32)?; // two threads have the index 16
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Safety
///
/// In launches of the shape that the kernel's metadata names, for whose arguments `KernelDefinition::race_free` is `Ok`, and if
/// `CONDITIONS` can be evaluated, no two threads use the same element of a `&mut` parameter, unless both only read it.
#[diagnostic::on_unimplemented(message = "the kernel `{Self}` is not proved free of data races", label = "this launch is not safe")]
pub unsafe trait RaceFree<By = ()> {
    /// Fails to compile if a condition on the parameters of a generic kernel is false.
    #[doc(hidden)]
    const CONDITIONS: () = ();
}

/// A condition of a race proof that does not hold for a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unmet {
    pub(super) condition: &'static str,
    pub(super) access: &'static str,
    reason: Reason,
}

/// Why it does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// The numbers on both sides are in the wrong order.
    Larger(i128, i128),
    Overflow,
    Shared,
}

impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            Reason::Larger(left, right) => write!(f, "{left} > {right}"),
            Reason::Overflow => f.write_str("the product or sum overflows 128 bits"),
            Reason::Shared => f.write_str("the argument is a view that can be copied, not `&mut array`,"),
        }
    }
}

/// A polynomial: its terms one after the other, each a coefficient, the number of factors, and the factors.
type Terms<'t> = &'t [i128];

/// What generated code asks about a launch. These are methods of what the launch passes to it, so that no other function can take their
/// place.
impl LaunchDims {
    /// How many blocks there are along an axis.
    #[inline]
    #[must_use]
    pub fn blocks_along(&self, axis: usize) -> i128 {
        self.grid[axis].into()
    }

    /// How many threads a block has along an axis.
    #[inline]
    #[must_use]
    pub fn threads_along(&self, axis: usize) -> i128 {
        self.block[axis].into()
    }

    /// The value of a polynomial, unless a factor is negative or something on the way overflows.
    #[must_use]
    pub fn sum(&self, terms: Terms<'_>) -> Option<i128> {
        polynomial(terms)
    }

    /// Whether `most < length`. Not where either has no value.
    #[inline]
    #[must_use]
    pub fn is_below(&self, most: Option<i128>, length: Option<i128>) -> bool {
        matches!((most, length), (Some(most), Some(length)) if most < length)
    }

    /// `dividend / divisor`, rounded down, as a factor: 0 if the dividend is negative. If it cannot be computed, a negative number, which no
    /// other factor is.
    #[must_use]
    pub fn quotient(&self, dividend: Option<i128>, divisor: Option<i128>) -> i128 {
        match (dividend, divisor) {
            (Some(dividend), Some(divisor)) if divisor > 0 => dividend.max(0) / divisor,
            _ => -1,
        }
    }

    /// `sum` modulo 2^64, as a factor. If it cannot be computed, a negative number, which no other factor is.
    #[must_use]
    pub fn word(&self, sum: Option<i128>) -> i128 {
        sum.map_or(-1, |sum| sum.rem_euclid(1 << 64))
    }

    /// How many trailing zeros the word of `sum` has, as a factor: 64 if it is 0. If it cannot be computed, a negative number, which no other
    /// factor is.
    #[must_use]
    pub fn trailing_zeros(&self, sum: Option<i128>) -> i128 {
        sum.map_or(-1, |sum| (sum.rem_euclid(1 << 64) as u64).trailing_zeros().into())
    }

    /// Requires that `left <= right`, for the proof about `access`.
    #[inline]
    pub fn require(&self, left: Option<i128>, right: Option<i128>, condition: &'static str, access: &'static str) -> Result<(), Unmet> {
        match (left, right) {
            (Some(left), Some(right)) if left <= right => Ok(()),
            (Some(left), Some(right)) => Err(Unmet { condition, access, reason: Reason::Larger(left, right) }),
            _ => Err(Unmet { condition, access, reason: Reason::Overflow }),
        }
    }

    /// Requires that no others use an argument during the launch.
    #[inline]
    pub fn require_exclusive(&self, is_shared: bool, condition: &'static str, access: &'static str) -> Result<(), Unmet> {
        if is_shared { Err(Unmet { condition, access, reason: Reason::Shared }) } else { Ok(()) }
    }
}

/// The sum over `terms` of a coefficient times a product of factors, unless a factor is negative or something on the way overflows.
fn polynomial(mut terms: Terms<'_>) -> Option<i128> {
    let mut sum = 0i128;
    while let [coefficient, count, rest @ ..] = terms {
        let (factors, rest) = rest.split_at_checked(usize::try_from(*count).ok()?)?;
        terms = rest;
        let mut product = *coefficient;
        for factor in factors {
            if *factor < 0 {
                return None;
            }
            product = product.checked_mul(*factor)?;
        }
        sum = sum.checked_add(product)?;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIMS: LaunchDims = LaunchDims { grid: [1; 3], block: [1; 3] };

    #[test]
    fn a_polynomial_sums_products() {
        assert_eq!(polynomial(&[]), Some(0));
        assert_eq!(polynomial(&[1, 1, 10, -1, 0]), Some(9));
        assert_eq!(polynomial(&[2, 2, 3, 5, -4, 1, 7]), Some(2));
    }

    #[test]
    fn a_quotient_is_rounded_down_or_poisons_its_polynomial() {
        let quotient = |dividend, divisor| DIMS.quotient(DIMS.sum(&[1, 1, dividend, -1, 0]), DIMS.sum(&[1, 1, divisor]));
        assert_eq!(polynomial(&[2, 1, quotient(8, 4)]), Some(2));
        assert_eq!(polynomial(&[2, 1, quotient(0, 4)]), Some(0));
        assert_eq!(polynomial(&[2, 1, quotient(8, 0)]), None);
        assert_eq!(polynomial(&[1, 2, 0, quotient(quotient(8, 0), 1)]), None);
    }

    #[test]
    fn a_polynomial_that_overflows_has_no_value() {
        assert_eq!(polynomial(&[2, 1, i128::MAX]), None);
        assert_eq!(polynomial(&[1, 1, i128::MAX, 1, 0]), None);
        assert_eq!(polynomial(&[1, 3, i128::MAX, i128::MAX, 0]), None);
    }

    #[test]
    fn an_unmet_condition_has_the_numbers_of_both_sides() {
        let unmet = |left| DIMS.require(left, Some(16), "block_dim().x <= w", "line 3: `out[i]`").unwrap_err();
        assert_eq!(unmet(Some(32)).to_string(), "32 > 16");
        assert_eq!(unmet(DIMS.sum(&[2, 1, i128::MAX])).to_string(), "the product or sum overflows 128 bits");
        assert_eq!(DIMS.require(Some(16), Some(16), "", ""), Ok(()));
    }
}
