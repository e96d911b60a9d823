//! The table of second derivatives, for the elements of arrays. (Dual numbers of dual numbers find them in the table of first ones.)

use crate::scalar::Float;
use crate::vectorize;

/// Whether that second derivative of a function can be another number than zero.
pub(super) fn is_curved(function: &str, component: usize) -> bool {
    match function {
        "abs" | "relu" | "min" | "max" | "minimum" | "maximum" => false,
        "mul" => component == 1,
        "div" => component > 0,
        _ => true,
    }
}

/// For each function its second derivative; of two parameters, those by the first, by both, and by the second.
macro_rules! curvatures {
    ($($name:ident($x:ident: $X:ty $(, $y:ident: $Y:ty)?) -> $Curvature:ty { $($curvature:tt)* })*) => {$(
        #[doc(hidden)]
        #[vectorize]
        #[allow(unreachable_pub, reason = "the types of the functions are those of a trait")]
        pub fn $name<T: Float>($x: $X $(, $y: $Y)?) -> $Curvature {
            $($curvature)*
        }
    )*};
}

curvatures! {
    abs(x: T) -> T { x * T::ZERO }
    square(x: T) -> T { x * T::ZERO + T::from_i32(2) }
    recip(x: T) -> T { T::from_i32(2) * x.recip() * x.recip() * x.recip() }
    sqrt(x: T) -> T { T::from_f64(-0.25) / (x * x.sqrt()) }
    cbrt(x: T) -> T { T::from_i32(-2) / (T::from_i32(9) * x * x.cbrt() * x.cbrt()) }
    exp(x: T) -> T { x.exp() }
    exp2(x: T) -> T { x.exp2() * T::from_f64(0.480_453_013_918_201_4) }
    exp_m1(x: T) -> T { x.exp() }
    ln(x: T) -> T { if x < T::ZERO { T::NAN } else { -T::ONE / (x * x) } }
    ln_1p(x: T) -> T { if x < -T::ONE { T::NAN } else { -T::ONE / ((T::ONE + x) * (T::ONE + x)) } }
    log2(x: T) -> T { if x < T::ZERO { T::NAN } else { T::from_f64(-1.442_695_040_888_963_4) / (x * x) } }
    log10(x: T) -> T { if x < T::ZERO { T::NAN } else { T::from_f64(-0.434_294_481_903_251_8) / (x * x) } }
    sin(x: T) -> T { -x.sin() }
    cos(x: T) -> T { -x.cos() }
    tan(x: T) -> T { T::from_i32(2) * x.tan() * (T::ONE + x.tan() * x.tan()) }
    asin(x: T) -> T {
        let square = (T::ONE - x) * (T::ONE + x);
        x / (square * square.sqrt())
    }
    acos(x: T) -> T {
        let square = (T::ONE - x) * (T::ONE + x);
        -(x / (square * square.sqrt()))
    }
    atan(x: T) -> T { T::from_i32(-2) * x / ((T::ONE + x * x) * (T::ONE + x * x)) }
    sinh(x: T) -> T { x.sinh() }
    cosh(x: T) -> T { x.cosh() }
    tanh(x: T) -> T { T::from_i32(-2) * x.tanh() / x.cosh() / x.cosh() }
    asinh(x: T) -> T { -(x / x.hypot(T::ONE) / x.hypot(T::ONE) / x.hypot(T::ONE)) }
    acosh(x: T) -> T {
        let root = (x - T::ONE).sqrt() * (x + T::ONE).sqrt();
        -(x / root / root / root)
    }
    atanh(x: T) -> T {
        let square = (T::ONE - x) * (T::ONE + x);
        if x.abs() > T::ONE { T::NAN } else { T::from_i32(2) * x / (square * square) }
    }
    relu(x: T) -> T { x * T::ZERO }
    sigmoid(x: T) -> T {
        let power = (-x.abs()).exp();
        let slope = power / ((T::ONE + power) * (T::ONE + power));
        slope * (power - T::ONE) / (T::ONE + power) * (if x < T::ZERO { -T::ONE } else { T::ONE })
    }
    silu(x: T) -> T {
        let power = (-x.abs()).exp();
        let slope = power / ((T::ONE + power) * (T::ONE + power));
        slope * (T::from_i32(2) + x.abs() * (power - T::ONE) / (T::ONE + power))
    }
    gelu(x: T) -> T { (T::from_i32(2) - x * x) * (T::from_f64(-0.5) * x * x).exp() * T::from_f64(0.398_942_280_401_432_7) }
    softplus(x: T) -> T {
        let power = (-x.abs()).exp();
        power / ((T::ONE + power) * (T::ONE + power))
    }
    rsqrt(x: T) -> T { T::from_f64(0.75) * x.rsqrt() / x / x }
    erf(x: T) -> T { T::from_f64(-2.256_758_334_191_025) * x * (-x * x).exp() }
    erfc(x: T) -> T { T::from_f64(2.256_758_334_191_025) * x * (-x * x).exp() }
    norm_cdf(x: T) -> T { T::from_f64(-0.398_942_280_401_432_7) * x * (T::from_f64(-0.5) * x * x).exp() }
    powi(x: T, exponent: i32) -> T {
        let n = T::from_i32(exponent);
        if exponent == 0 || exponent == 1 {
            x * T::ZERO
        } else {
            let power = if exponent < i32::MIN + 2 { x.powi(exponent) / x / x } else { x.powi(exponent - 2) };
            n * (n - T::ONE) * power
        }
    }
    mul(a: T, b: T) -> (T, T, T) { (a * T::ZERO, T::ONE, b * T::ZERO) }
    div(a: T, b: T) -> (T, T, T) { (T::ZERO, -(T::ONE / b / b), T::from_i32(2) * (a / b / b / b)) }
    powf(x: T, p: T) -> (T, T, T) {
        let by_base = if p == T::ZERO || p == T::ONE { T::ZERO } else { p * (p - T::ONE) * x.powf(p - T::from_i32(2)) };
        let by_both = if x == T::ZERO && p > T::ONE { T::ZERO } else { x.powf(p - T::ONE) * (T::ONE + p * x.ln()) };
        let by_exponent = if x == T::ZERO && p > T::ZERO { T::ZERO } else { x.powf(p) * x.ln() * x.ln() };
        (by_base, by_both, by_exponent)
    }
    hypot(a: T, b: T) -> (T, T, T) {
        let r = a.hypot(b);
        (b / r * (b / r) / r, -(a / r * (b / r) / r), a / r * (a / r) / r)
    }
    atan2(y: T, x: T) -> (T, T, T) {
        let r = x.hypot(y);
        let (s, c) = (y / r, x / r);
        (T::from_i32(-2) * s * c / r / r, (s - c) * (s + c) / r / r, T::from_i32(2) * s * c / r / r)
    }
    min(a: T, b: T) -> (T, T, T) { (a * T::ZERO, T::ZERO, b * T::ZERO) }
    max(a: T, b: T) -> (T, T, T) { (a * T::ZERO, T::ZERO, b * T::ZERO) }
    minimum(a: T, b: T) -> (T, T, T) { (a * T::ZERO, T::ZERO, b * T::ZERO) }
    maximum(a: T, b: T) -> (T, T, T) { (a * T::ZERO, T::ZERO, b * T::ZERO) }
}
