//! Arithmetic on floats with one rounding in a chosen direction, in integers.
//!
//! A processor rounds in the direction that its control register says, which Rust takes to be the nearest: setting it is undefined
//! behaviour. So a result is computed as an integer times a power of 2, exactly or with a last bit that stands for whatever is below
//! it, and rounded once. That bit is right as long as two bits more than those of a float are kept: it is never itself the last of a
//! float's bits, nor half of it.

/// Where a result goes that is no float.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// To the next larger float.
    Up,
    /// To the next smaller float.
    Down,
    /// To the next float that is smaller in size.
    ToZero,
}

/// A float as its parts.
pub(super) trait Parts: Copy {
    /// How many bits the largest mantissa has, the leading one included.
    const DIGITS: u32;
    /// The power of 2 that the last bit of the smallest float stands for.
    const LEAST: i32;
    /// The bits of infinity, which follow those of the largest float.
    const INFINITE: u64;

    /// Whether it is below 0, or the 0 below 0; and the bits of its size.
    fn sign_and_size(self) -> (bool, u64);

    /// The float with this sign and these bits of its size.
    fn from_sign_and_size(negative: bool, size: u64) -> Self;
}

macro_rules! parts {
    ($($F:ident: $Bits:ident, $sign:literal;)*) => {
        $(impl Parts for $F {
            const DIGITS: u32 = $F::MANTISSA_DIGITS;
            const LEAST: i32 = $F::MIN_EXP - $F::MANTISSA_DIGITS as i32;
            const INFINITE: u64 = $F::INFINITY.to_bits() as u64;

            #[inline]
            fn sign_and_size(self) -> (bool, u64) {
                let bits = self.to_bits();
                (bits >> $sign != 0, u64::from(bits & !(1 << $sign)))
            }

            #[inline]
            fn from_sign_and_size(negative: bool, size: u64) -> Self {
                Self::from_bits($Bits::from(negative) << $sign | size as $Bits)
            }
        })*
    };
}

parts! {
    f32: u32, 31;
    f64: u64, 63;
}

/// `bits` times 2 to the power of `exponent`, or the negative of that.
#[derive(Debug, Clone, Copy)]
struct Exact {
    negative: bool,
    bits: u128,
    exponent: i32,
}

impl Exact {
    /// A finite float.
    fn of<F: Parts>(value: F) -> Self {
        let (negative, size) = value.sign_and_size();
        let leading = 1 << (F::DIGITS - 1);
        let (field, fraction) = ((size >> (F::DIGITS - 1)) as i32, size & (leading - 1));
        match field {
            0 => Self { negative, bits: fraction.into(), exponent: F::LEAST },
            _ => Self { negative, bits: (fraction | leading).into(), exponent: F::LEAST + field - 1 },
        }
    }

    /// The same number with a highest bit of 2¹²⁶. It is not 0.
    fn normalised(self) -> Self {
        let left = self.bits.leading_zeros() - 1;
        Self { bits: self.bits << left, exponent: self.exponent - left as i32, ..self }
    }

    fn times(self, other: Self) -> Self {
        Self { negative: self.negative != other.negative, bits: self.bits * other.bits, exponent: self.exponent + other.exponent }
    }

    /// The sum of numbers of at most 106 bits; 0 is the one above 0.
    fn plus(self, other: Self) -> Self {
        match (self.bits, other.bits) {
            (0, 0) => return Self { negative: false, ..self },
            (_, 0) => return self,
            (0, _) => return other,
            _ => {}
        }
        let (a, b) = (self.normalised(), other.normalised());
        let (larger, smaller) = if (a.exponent, a.bits) >= (b.exponent, b.bits) { (a, b) } else { (b, a) };
        let right = (larger.exponent - smaller.exponent) as u32;
        let kept = smaller.bits.checked_shr(right).unwrap_or(0);
        let is_whole = right <= smaller.bits.trailing_zeros();
        let kept = kept | u128::from(!is_whole);
        if larger.negative == smaller.negative {
            Self { bits: larger.bits + kept, ..larger }
        } else {
            let bits = larger.bits - kept;
            Self { bits, negative: larger.negative && bits != 0, ..larger }
        }
    }

    /// The quotient, of a divisor that is not 0 and has at most 53 bits.
    fn over(self, divisor: Self) -> Self {
        let dividend = self.normalised();
        let rest = u128::from(!dividend.bits.is_multiple_of(divisor.bits));
        Self {
            negative: self.negative != divisor.negative,
            bits: (dividend.bits / divisor.bits) | rest,
            exponent: dividend.exponent - divisor.exponent,
        }
    }

    /// The square root of a number above 0.
    fn root(self) -> Self {
        let normalised = self.normalised();
        let (bits, exponent) = match normalised.exponent % 2 {
            0 => (normalised.bits, normalised.exponent),
            _ => (normalised.bits << 1, normalised.exponent - 1),
        };
        let root = bits.isqrt();
        Self { negative: false, bits: root | u128::from(root * root != bits), exponent: exponent / 2 }
    }

    /// The float next to it in this direction. It is not 0.
    fn rounded<F: Parts>(self, direction: Direction) -> F {
        let length = (u128::BITS - self.bits.leading_zeros()) as i32;
        let right = (length - F::DIGITS as i32).max(F::LEAST - self.exponent);
        let (kept, is_whole) = match u32::try_from(right) {
            Ok(right) => (self.bits.checked_shr(right).unwrap_or(0), right <= self.bits.trailing_zeros()),
            Err(_) => (self.bits << right.unsigned_abs(), true),
        };
        let away_from_zero = match direction {
            Direction::Up => !self.negative,
            Direction::Down => self.negative,
            Direction::ToZero => false,
        };
        let mantissa = kept + u128::from(!is_whole && away_from_zero);
        // The leading bit of the mantissa counts the exponent one up, as does one that rounding carried beyond it.
        let size = (((self.exponent + right - F::LEAST) as u128) << (F::DIGITS - 1)) + mantissa;
        let largest = if away_from_zero { F::INFINITE } else { F::INFINITE - 1 };
        F::from_sign_and_size(self.negative, size.min(largest.into()) as u64)
    }
}

/// A sum of 0 has the sign that both summands have; else it is above 0, but in the direction down.
fn zero<F: Parts>(both_negative: bool, same_sign: bool, direction: Direction) -> F {
    F::from_sign_and_size(if same_sign { both_negative } else { direction == Direction::Down }, 0)
}

/// `a · b + c`, all finite.
pub(super) fn mul_add<F: Parts>(a: F, b: F, c: F, direction: Direction) -> F {
    let (product, summand) = (Exact::of(a).times(Exact::of(b)), Exact::of(c));
    let sum = product.plus(summand);
    match sum.bits {
        0 => zero(product.negative, product.negative == summand.negative, direction),
        _ => sum.rounded(direction),
    }
}

/// `a + b`, both finite.
pub(super) fn add<F: Parts>(a: F, b: F, direction: Direction) -> F {
    let (a, b) = (Exact::of(a), Exact::of(b));
    let sum = a.plus(b);
    match sum.bits {
        0 => zero(a.negative, a.negative == b.negative, direction),
        _ => sum.rounded(direction),
    }
}

/// `a · b`, both finite and not 0.
pub(super) fn mul<F: Parts>(a: F, b: F, direction: Direction) -> F {
    Exact::of(a).times(Exact::of(b)).rounded(direction)
}

/// `a / b`, both finite and not 0.
pub(super) fn div<F: Parts>(a: F, b: F, direction: Direction) -> F {
    Exact::of(a).over(Exact::of(b)).rounded(direction)
}

/// The square root of a finite number above 0.
pub(super) fn sqrt<F: Parts>(a: F, direction: Direction) -> F {
    Exact::of(a).root().rounded(direction)
}
