//! The text of each element, all of one width. That of floats is what NumPy writes: as many digits as tell them apart, at most eight after
//! the point, and exponents where the numbers are far apart.

use std::any::Any;
use std::fmt::{Debug, Display, LowerExp};

use crate::source::Element;

/// Digits after the point.
const PRECISION: usize = 8;

/// The text of each element.
pub(super) fn cells<T: Element + Debug>(elements: &[T]) -> Vec<String> {
    let of = |element: &T| text(element);
    if let Some(floats) = all::<T, f64>(elements) {
        return float_cells(&floats, 1e8);
    }
    if let Some(floats) = all::<T, f32>(elements) {
        return float_cells(&floats, 1e6);
    }
    #[cfg(feature = "half")]
    if let Some(floats) = all::<T, half::f16>(elements) {
        return float_cells(&floats.into_iter().map(f32::from).collect::<Vec<_>>(), 1e3);
    }
    #[cfg(feature = "half")]
    if let Some(floats) = all::<T, half::bf16>(elements) {
        return float_cells(&floats.into_iter().map(f32::from).collect::<Vec<_>>(), 1e3);
    }
    let cells: Vec<String> = elements.iter().map(of).collect();
    let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
    cells.into_iter().map(|cell| format!("{cell:>width$}")).collect()
}

/// An element that is no float.
fn text<T: Element + Debug>(element: &T) -> String {
    #[cfg(feature = "complex")]
    {
        let element: &dyn Any = element;
        if let Some(number) = element.downcast_ref::<num_complex::Complex<f64>>() {
            return number.to_string();
        }
        if let Some(number) = element.downcast_ref::<num_complex::Complex<f32>>() {
            return number.to_string();
        }
    }
    format!("{element:?}")
}

/// The elements as `U`, if they are of that type.
fn all<T: Element, U: Copy + 'static>(elements: &[T]) -> Option<Vec<U>> {
    elements.iter().map(|element| (element as &dyn Any).downcast_ref::<U>().copied()).collect()
}

/// The text of floats. With one of `limit` or more, they have exponents.
fn float_cells<F: Copy + Into<f64> + Display + LowerExp>(floats: &[F], limit: f64) -> Vec<String> {
    let magnitudes = || floats.iter().map(|&x| x.into().abs()).filter(|x| x.is_finite() && *x > 0.0);
    let (least, most) = (magnitudes().fold(f64::INFINITY, f64::min), magnitudes().fold(0.0, f64::max));
    let has_exponents = most >= limit || most > 0.0 && (least < 0.0001 || most / least > 1000.0);
    let numbers: Vec<Digits> = floats.iter().map(|&x| Digits::of(x, has_exponents)).collect();
    let finite = || numbers.iter().filter(|number| !number.is_word);
    let fraction = finite().map(|number| number.fraction.len()).max().unwrap_or(0);
    let exponent = finite().map(|number| number.exponent.trim_start_matches('-').len()).max().unwrap_or(0).max(2);
    let after = 1 + fraction + if has_exponents { 2 + exponent } else { 0 };
    let needed = |number: &Digits| number.whole.len().saturating_sub(if number.is_word { after } else { 0 });
    let whole = numbers.iter().map(needed).max().unwrap_or(0);
    let cell = |Digits { is_word, whole: digits, fraction: after_point, exponent: power }: &Digits| match power.strip_prefix('-') {
        _ if *is_word => format!("{digits:>width$}", width = whole + after),
        _ if !has_exponents => format!("{digits:>whole$}.{after_point:<fraction$}"),
        None => format!("{digits:>whole$}.{after_point:0<fraction$}e+{power:0>exponent$}"),
        Some(power) => format!("{digits:>whole$}.{after_point:0<fraction$}e-{power:0>exponent$}"),
    };
    numbers.iter().map(cell).collect()
}

/// A float in parts.
struct Digits {
    /// Whether it is NaN or an infinity, whose text is in `whole`.
    is_word: bool,
    whole: String,
    fraction: String,
    exponent: String,
}

impl Digits {
    fn of<F: Copy + Into<f64> + Display + LowerExp>(x: F, has_exponent: bool) -> Self {
        let wide: f64 = x.into();
        if !wide.is_finite() {
            let word = if wide.is_nan() { "nan".to_owned() } else { wide.to_string() };
            return Self { is_word: true, whole: word, fraction: String::new(), exponent: String::new() };
        }
        let text = |rounded: bool| match (has_exponent, rounded) {
            (true, false) => format!("{x:e}"),
            (true, true) => format!("{x:.PRECISION$e}"),
            (false, false) => x.to_string(),
            (false, true) => format!("{x:.PRECISION$}"),
        };
        let parts = |text: &str| {
            let (number, exponent) = text.split_once('e').unwrap_or((text, ""));
            let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
            Self { is_word: false, whole: whole.into(), fraction: fraction.trim_end_matches('0').into(), exponent: exponent.into() }
        };
        let exact = parts(&text(false));
        if exact.fraction.len() > PRECISION { parts(&text(true)) } else { exact }
    }
}
