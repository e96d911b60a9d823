//! The tables of the book's chapter "From NumPy, CuPy and JAX": what is written here computes what NumPy computes.
//!
//! `expected.py` evaluates the first cells of the tables with NumPy, and writes `expected.tsv`.

#![allow(clippy::reversed_empty_ranges, reason = "negative ends count from the end of an axis")]

mod answers;

use std::collections::HashMap;

use gpu_runtime::prelude::*;
use gpu_runtime::{Interpolation, Pad, Result, Shape, functions};
use num_complex::Complex;

use answers::Answer;

const PAGE: &str = include_str!("../../../docs/src/from-numpy.md");
const EXPECTED: &str = include_str!("expected.tsv");

/// The head of a table whose rows are tested here.
const HEAD: &str = "| NumPy | here |\n|---|---|\n";

/// The shape and the elements of an array.
type Array = (Vec<usize>, Vec<f64>);

pub(super) fn tables_of_the_book_are_numpys(device: &Device) -> Result<()> {
    let rows = evaluate(device, "")?;
    assert_eq!(rows.tested, rows_of_the_book());
    assert!(rows.tested.len() >= 200, "only {} rows are tested", rows.tested.len());
    Ok(())
}

pub(super) fn tables_of_the_book_are_numpys_of_zeros_nan_and_extremes(device: &Device) -> Result<()> {
    evaluate(device, "edges ").map(drop)
}

pub(super) fn tables_of_the_book_are_numpys_far_from_zero(device: &Device) -> Result<()> {
    evaluate(device, "far ").map(drop)
}

/// Compares all rows, for the arrays of `expected.tsv` whose names have this prefix.
fn evaluate<'d>(device: &'d Device, set: &'static str) -> Result<Rows<'d>> {
    let mut rows = Rows { device, set, expected: expected(), tested: Vec::new(), wrong: Vec::new() };
    new_arrays(&mut rows)?;
    shapes_and_parts(&mut rows)?;
    writes(&mut rows)?;
    arithmetic(&mut rows)?;
    mathematical_functions(&mut rows)?;
    conditions(&mut rows)?;
    reductions(&mut rows)?;
    scans(&mut rows)?;
    selections(&mut rows)?;
    products(&mut rows)?;
    linear_algebra(&mut rows)?;
    fourier_transforms(&mut rows)?;
    complex_numbers(&mut rows)?;
    assert!(rows.wrong.is_empty(), "{}", rows.wrong.join("\n"));
    Ok(rows)
}

/// Both cells of each row of the book, the second without spaces.
fn rows_of_the_book() -> Vec<(String, String)> {
    let tables = PAGE.split(HEAD).skip(1).flat_map(|table| table.split("\n\n").next());
    let cell = |cell: &str| cell.trim_matches('`').replace("\\|", "|");
    let row = |line: &str| {
        let (numpy, here) = line.trim_matches(['|', ' ']).split_once("` | `").unwrap_or_else(|| panic!("a row of two cells: {line}"));
        (cell(numpy), without_spaces(&cell(here)))
    };
    tables.flat_map(str::lines).map(row).collect()
}

fn without_spaces(code: &str) -> String {
    code.split_whitespace().collect()
}

/// The lines of `expected.tsv`.
fn expected() -> HashMap<&'static str, Array> {
    let line = |line: &'static str| {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().unwrap_or_else(|| panic!("a line of three cells: {line}"));
        let name = cell();
        let shape = cell().split_whitespace().map(|extent| extent.parse().expect("an extent")).collect();
        (name, (shape, cell().split_whitespace().map(|element| element.parse().expect("a number")).collect()))
    };
    EXPECTED.lines().map(line).collect()
}

/// The rows that have been compared.
struct Rows<'d> {
    device: &'d Device,
    /// The prefix of the arrays, and of what NumPy computes from them.
    set: &'static str,
    expected: HashMap<&'static str, Array>,
    tested: Vec<(String, String)>,
    /// What differs.
    wrong: Vec<String>,
}

impl Rows<'_> {
    /// Compares what NumPy and what we compute.
    fn check(&mut self, numpy: &str, here: &str, answer: impl Answer) -> Result<()> {
        let (shape, elements) = answer.array()?;
        self.tested.push((numpy.to_owned(), without_spaces(here)));
        let Some((expected_shape, expected)) = self.expected.get(format!("{}{numpy}", self.set).as_str()) else {
            assert!(!self.set.is_empty(), "run expected.py: it has not seen `{numpy}`");
            return Ok(());
        };
        let near = |a: f64, b: f64| b.is_finite() && (a - b).abs() <= 1e-13 * b.abs().max(1.0);
        let close = |(a, b): (&f64, &f64)| a == b || a.is_nan() && b.is_nan() || near(*a, *b);
        if shape != *expected_shape || elements.len() != expected.len() || !elements.iter().zip(expected).all(close) {
            self.wrong.push(format!("`{numpy}` is {expected_shape:?} {expected:?}, `{here}` is {shape:?} {elements:?}"));
        }
        Ok(())
    }

    /// What became of a row.
    fn finish(&mut self, numpy: &str, outcome: Result<()>) -> Result<()> {
        match outcome {
            Err(error) if self.set.is_empty() => Err(error),
            Err(error) => {
                if self.expected.contains_key(format!("{}{numpy}", self.set).as_str()) {
                    self.wrong.push(format!("`{numpy}`: {error}"));
                }
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// An array of `expected.tsv`, on the device.
    fn input<T: DeviceType>(&self, name: &str, element: impl Fn(f64) -> T) -> Result<DeviceArray<T>> {
        let (shape, elements) = &self.expected[format!("{}let {name}", self.set).as_str()];
        let elements: Vec<T> = elements.iter().copied().map(element).collect();
        self.device.to_device(&elements)?.reshape(Shape::from_extents(shape).expect("at most seven axes"))
    }
}

/// Declares arrays of `expected.tsv`.
macro_rules! inputs {
    ($rows:ident; $($($name:ident)*: $T:tt);*) => {
        $($(let $name = $rows.input(stringify!($name), inputs!(@element $T))?;)*)*
    };
    (@element bool) => { |x| x != 0.0 };
    (@element $T:ty) => { |x| x as $T };
}

/// What the row's code returns early is its outcome.
fn tried(row: impl FnOnce() -> Result<()>) -> Result<()> {
    row()
}

/// Checks each row of a table.
macro_rules! rows {
    ($rows:ident; $($numpy:literal => $here:expr;)*) => {$(
        let outcome = tried(|| $rows.check($numpy, stringify!($here), $here));
        $rows.finish($numpy, outcome)?;
    )*};
}

/// Checks each row of a table of statements, on a new copy of the array that they change.
macro_rules! writes {
    ($rows:ident; $($changed:ident: $numpy:literal => $here:expr;)*) => {$({
        #[allow(unused_mut, reason = "some statements borrow it mutably")]
        let mut $changed: DeviceArray<f64> = $rows.input(stringify!($changed), |x| x)?;
        let mut change = || {
            let () = $here;
            $rows.check($numpy, stringify!($here), &$changed)
        };
        let outcome = change();
        $rows.finish($numpy, outcome)?;
    })*};
}

/// "New arrays".
fn new_arrays(rows: &mut Rows<'_>) -> Result<()> {
    let device = rows.device;
    inputs!(rows; m t v w x y: f64; k: u32);
    rows! { rows;
        "np.array([1, 2, 3])" => device.to_device(&[1i64, 2, 3])?;
        "np.zeros((2, 3))" => device.zeros::<f64>([2, 3])?;
        "np.zeros_like(x)" => device.zeros_like(&x)?;
        "np.ones((2, 3))" => device.ones::<f64>([2, 3])?;
        "np.ones_like(x)" => device.ones::<f64>(x.shape())?;
        "np.full((2, 3), 7.0)" => device.full([2, 3], 7.0)?;
        "np.full_like(x, 7.0)" => device.full(x.shape(), 7.0)?;
        "np.eye(3)" => device.eye::<f64>(3)?;
        "np.arange(2, 10, 3)" => device.arange(2i64, 10, 3)?;
        "np.arange(6).reshape(2, 3)" => iota([2, 3]).on(device);
        "np.linspace(0, 1, 5)" => device.linspace(0.0, 1.0, 5)?;
        "np.copy(x)" => x.collect()?;
        "np.triu(m)" => m.triu(0)?;
        "np.tril(m)" => m.tril(0)?;
        "np.triu(x, 1)" => x.triu(1)?;
        "np.tril(t, -1)" => t.tril(-1)?;
        "np.diag(v)" => v.diag()?;
        "np.diagonal(m)" => m.view().diagonal();
        "np.diagonal(x, 1)" => x.part((.., 1..)).diagonal();
        "np.diagonal(t)" => t.view().diagonal().t();
        "np.meshgrid(v, w)[0]" => v.view().broadcast_to([5, 5])?;
        "np.concatenate([x, y])" => concatenate([&x, &y], 0)?;
        "np.hstack([x, y])" => concatenate([&x, &y], 1)?;
        "np.concatenate([x, y + 1, x[:, :2]], axis=1)" => concatenate((&x, &y + 1.0, x.view().slice_axis(1, ..2)), 1)?;
        "np.append(v, w)" => concatenate([&v, &w], 0)?;
        "np.stack([x, y])" => stack([&x, &y], 0)?;
        "np.stack([x, y], axis=2)" => stack([&x, &y], 2)?;
        "np.repeat(x, 2, axis=0)" => x.repeat_axis(0, 2)?;
        "np.repeat(v, k)" => v.repeat_by(&k, 0)?;
        "np.repeat(x, [2, 0, 1], axis=1)" => x.repeat_by(lazy(&[2, 0, 1]).on(device), 1)?;
        "np.tile(v, 3)" => v.tile_axis(0, 3)?;
        "np.roll(v, 2)" => v.roll_axis(0, 2)?;
        "np.roll(x, -1, axis=1)" => x.roll_axis(1, -1)?;
        "np.pad(v, (1, 2))" => v.pad_axis(0, 1, 2, 0.0)?;
        "np.pad(x, ((0, 0), (2, 0)), constant_values=7)" => x.pad_axis(1, 2, 0, 7.0)?;
        "np.pad(v, (1, 2), mode='edge')" => v.pad_axis_by(0, 1, 2, Pad::Edge)?;
        "np.pad(v, (3, 7), mode='reflect')" => v.pad_axis_by(0, 3, 7, Pad::Reflect)?;
        "np.pad(x, ((0, 0), (2, 3)), mode='symmetric')" => x.pad_axis_by(1, 2, 3, Pad::Symmetric)?;
        "np.pad(x, ((3, 1), (0, 0)), mode='wrap')" => x.pad_axis_by(0, 3, 1, Pad::Wrap)?;
    }
    Ok(())
}

/// "Shapes and parts".
fn shapes_and_parts(rows: &mut Rows<'_>) -> Result<()> {
    inputs!(rows; m t v x y: f64);
    rows! { rows;
        "x.shape[1]" => x.shape()[1];
        "x.ndim" => x.shape().rank();
        "x.size" => x.len();
        "x.T" => x.t();
        "t.transpose(2, 0, 1)" => t.view().permute([2, 0, 1]);
        "t.swapaxes(0, 1)" => t.view().swap_axes(0, 1);
        "np.moveaxis(t, 0, 2)" => t.view().permute([1, 2, 0]);
        "x.reshape(3, 2)" => x.view().reshape([3, 2])?;
        "x.ravel()" => x.view().reshape([6])?;
        "(x + y).T" => (&x + &y).t();
        "np.expand_dims(x, 1)" => x.view().insert_axis(1);
        "np.squeeze(x[:1], axis=0)" => x.rows(..1).index_axis(0, 0);
        "v[:, None]" => v.view().insert_axis(1);
        "np.broadcast_to(v, (2, 5))" => v.view().broadcast_to([2, 5])?;
        "x[1]" => x.row(1);
        "x[-1]" => x.part(-1);
        "x[1, 2]" => x.get([1, 2])?;
        "x[:1]" => x.rows(..1);
        "t[1:, 2]" => t.rows(1..).index_axis(1, 2);
        "x[:, 1]" => x.part((.., 1));
        "x[:, 1:]" => x.part((.., 1..));
        "x[:, ::2]" => x.part((.., stepped(.., 2)));
        "x[:1, :-1]" => x.part((..1, ..-1));
        "t[-1, 1:, ::-2]" => t.part((-1, 1.., stepped(.., -2)));
        "v[1:4]" => v.slice(1..4);
        "v[1:-1]" => v.slice(1..-1);
        "v[-3:]" => v.slice(-3..);
        "v[::-1]" => v.view().reverse_axis(0);
        "np.flip(x, 0)" => x.view().reverse_axis(0);
        "np.fliplr(x)" => x.view().reverse_axis(1);
        "np.rot90(m)" => m.view().t().reverse_axis(0);
        "np.split(v, [2])[1]" => v.slice(2..);
        "np.lib.stride_tricks.sliding_window_view(x, 2, axis=1)" => x.view().windows(1, 2);
    }
    Ok(())
}

/// "Writing to arrays".
fn writes(rows: &mut Rows<'_>) -> Result<()> {
    inputs!(rows; p s w y: f64; k: u32);
    writes! { rows;
        x: "x += y" => x += &y;
        x: "x -= y" => x -= &y;
        x: "x *= 2" => x *= 2.0;
        x: "x /= y" => x /= &y;
        x: "x.fill(7)" => x.fill(7.0)?;
        x: "x[...] = y" => x.copy_from(&y)?;
        x: "x[1] = y[0]" => x.row_mut(1).copy_from(y.row(0))?;
        x: "x[1:] = 0" => x.rows_mut(1..).fill(0.0)?;
        x: "x[:, ::2] = 0" => x.view_mut().slice_axis_step(1, .., 2).fill(0.0)?;
        x: "x[1, 2] = 7" => x.set([1, 2], 7.0)?;
        x: "x[-1, 1:] = 0" => x.part_mut((-1, 1..)).fill(0.0)?;
        x: "np.fill_diagonal(x, 7)" => x.view_mut().diagonal().fill(7.0)?;
        x: "np.sqrt(p, out=x)" => p.sqrt().collect_into(&mut x)?;
        v: "v[1:] = np.sqrt(s[1:])" => s.slice(1..).sqrt().collect_into(v.slice_mut(1..))?;
        v: "v[1:4] = 0" => v.slice_mut(1..4).fill(0.0)?;
        v: "v[3] = 7" => v.set(3, 7.0)?;
        v: "v[::2] = 0" => v.part_mut(stepped(.., 2)).fill(0.0)?;
        v: "v[k] = w" => v.put(&k, &w)?;
        v: "np.put(v, [3, 1], 0)" => v.put(lazy(&[3, 1]), 0.0)?;
        x: "x[x > 0] = 0" => x = x.gt(0.0).select(0.0, &x).collect()?;
        v: "np.add.at(v, k, w)" => functions::add::at(&mut v, &k, &w)?;
        v: "np.add.at(v[::-1], k, w)" => functions::add::at(v.part_mut(stepped(.., -1)), &k, &w)?;
        v: "np.multiply.at(v, k, w)" => functions::mul::at(&mut v, &k, &w)?;
        v: "np.maximum.at(v, k, w)" => functions::maximum::at(&mut v, &k, &w)?;
    }
    Ok(())
}

/// "Arithmetic".
fn arithmetic(rows: &mut Rows<'_>) -> Result<()> {
    inputs!(rows; b: bool; n p v x y: f64; i: i64; u: u32);
    rows! { rows;
        "x + y" => &x + &y;
        "x - y" => &x - &y;
        "x * y" => &x * &y;
        "x / y" => &x / &y;
        "-x" => -&x;
        "2 * x + 1" => 2.0 * &x + 1.0;
        "x + v[:3]" => &x + v.slice(..3);
        "np.fmod(x, y)" => &x % &y;
        "i // 3" => i.div_euclid(3);
        "i % 3" => i.rem_euclid(3);
        "np.abs(x)" => x.abs();
        "np.sign(x)" => x.sign();
        "np.square(x)" => x.square();
        "x ** 3" => x.powi(3);
        "np.power(p, y)" => p.powf(&y);
        "u ** 3" => u.pow(3);
        "np.reciprocal(x)" => x.recip();
        "np.copysign(x, y)" => x.copysign(&y);
        "np.clip(x, -1, 1)" => x.clamp(-1.0, 1.0);
        "np.minimum(x, y)" => x.minimum(&y);
        "np.maximum(x, y)" => x.maximum(&y);
        "np.maximum(x, 0)" => x.relu();
        "1 / (1 + np.exp(-p))" => p.sigmoid();
        "np.logaddexp(p, 0)" => p.softplus();
        "np.floor(x / y)" => (&x / &y).floor();
        "np.fmin(n, 0)" => n.min_with(0.0);
        "np.fmax(n, 0)" => n.max_with(0.0);
        "x.astype(np.float32)" => x.cast::<f32>();
        "x.astype(np.int32)" => x.cast::<i32>();
        "i.astype(np.float64)" => i.cast::<f64>();
        "b.astype(np.int64)" => b.cast::<i64>();
        "x.astype(complex)" => x.cast::<Complex<f64>>();
    }
    Ok(())
}

/// "Mathematical functions".
fn mathematical_functions(rows: &mut Rows<'_>) -> Result<()> {
    inputs!(rows; p x y: f64);
    rows! { rows;
        "np.sqrt(p)" => p.sqrt();
        "np.cbrt(x)" => x.cbrt();
        "np.hypot(x, y)" => x.hypot(&y);
        "np.exp(x)" => x.exp();
        "np.exp2(x)" => x.exp2();
        "np.expm1(x)" => x.exp_m1();
        "np.log(p)" => p.ln();
        "np.log1p(p)" => p.ln_1p();
        "np.log2(p)" => p.log2();
        "np.log10(p)" => p.log10();
        "np.floor(x)" => x.floor();
        "np.ceil(x)" => x.ceil();
        "np.trunc(x)" => x.trunc();
        "np.rint(x)" => x.round_ties_even();
        "np.round(x, 1)" => (&x * 10.0).round_ties_even() / 10.0;
        "np.modf(x)[0]" => x.is_infinite().select(0.0, x.fract());
        "np.ldexp(x, 3)" => x.ldexp(3);
        "np.nextafter(x, y)" => x.next_after(&y);
        "np.sin(x)" => x.sin();
        "np.cos(x)" => x.cos();
        "np.tan(x)" => x.tan();
        "np.arcsin(p)" => p.asin();
        "np.arccos(p)" => p.acos();
        "np.arctan(x)" => x.atan();
        "np.arctan2(y, x)" => y.atan2(&x);
        "np.sinh(x)" => x.sinh();
        "np.cosh(x)" => x.cosh();
        "np.tanh(x)" => x.tanh();
        "np.arcsinh(x)" => x.asinh();
        "np.arccosh(p + 1)" => (&p + 1.0).acosh();
        "np.arctanh(p)" => p.atanh();
        "np.degrees(x)" => x.to_degrees();
        "np.radians(x)" => x.to_radians();
    }
    Ok(())
}

/// "Comparisons, conditions and bits".
fn conditions(rows: &mut Rows<'_>) -> Result<()> {
    inputs!(rows; b c: bool; n x y: f64; i: i64; u: u32);
    rows! { rows;
        "x < y" => x.lt(&y);
        "x <= y" => x.le(&y);
        "x > 1" => x.gt(1.0);
        "x >= y" => x.ge(&y);
        "i == 3" => i.eq(3);
        "x != y" => x.ne(&y);
        "b == c" => b.eq(&c);
        "np.where(b, x, y)" => b.select(&x, &y);
        "np.where(x < 0, 0, x)" => x.lt(0.0).select(0.0, &x);
        "np.logical_and(b, c)" => &b & &c;
        "np.logical_or(b, c)" => &b | &c;
        "np.logical_xor(b, c)" => &b ^ &c;
        "np.logical_not(b)" => !&b;
        "np.isnan(n)" => n.is_nan();
        "np.isinf(n)" => n.is_infinite();
        "np.isfinite(n)" => n.is_finite();
        "np.nan_to_num(n)" => n.is_nan().select(0.0, &n).clamp(f64::MIN, f64::MAX);
        "np.signbit(x)" => x.is_sign_negative();
        "np.isclose(x, y)" => x.eq(&y) | (&x - &y).abs().le(y.abs() * 1e-5 + 1e-8) & y.is_finite();
        "i & 3" => &i & 3;
        "i | 3" => &i | 3;
        "i ^ 3" => &i ^ 3;
        "~i" => !&i;
        "i << 2" => &i << 2;
        "i >> 1" => &i >> 1;
        "np.bitwise_count(u)" => u.count_ones();
    }
    Ok(())
}

/// "Reductions".
fn reductions(rows: &mut Rows<'_>) -> Result<()> {
    inputs!(rows; b: bool; m n t v w x y: f64; i: i64);
    rows! { rows;
        "x.sum()" => x.sum()?;
        "x.prod()" => x.prod()?;
        "x.min()" => x.min()?;
        "x.max()" => x.max()?;
        "np.ptp(x)" => x.max()? - x.min()?;
        "x.mean()" => x.mean()?;
        "i.mean()" => i.mean()?;
        "x.var()" => x.var(0)?;
        "x.std()" => x.std(0)?;
        "x.var(ddof=1)" => x.var(1)?;
        "x.argmin()" => x.argmin()?;
        "x.argmax()" => x.argmax()?;
        "np.average(v, weights=w)" => v.dot(&w)? / w.sum()?;
        "np.median(v)" => v.median()?;
        "np.quantile(v, 0.9)" => v.quantile(0.9)?;
        "np.percentile(v, 25)" => v.quantile(0.25)?;
        "b.any()" => b.any()?;
        "b.all()" => b.all()?;
        "np.count_nonzero(b)" => b.count()?;
        "np.array_equal(x, y)" => x.eq(&y).all()?;
        "np.allclose(x, x + 1e-9)" => (&x - (&x + 1e-9)).abs().max()? <= 1e-8;
        "np.nanmin(n)" => n.is_nan().select(f64::INFINITY, &n).min()?;
        "np.nansum(n, axis=1)" => n.is_nan().select(0.0, &n).sum_axis(1)?;
        "np.log(np.sum(np.exp(x), axis=1))" => x.log_sum_exp_axis(1)?;
        "np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)" => x.softmax(1)?;
        "x - np.log(np.exp(x).sum(axis=0))" => x.log_softmax(0)?;
        "(x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)" => x.layer_norm(1, 1e-5)?;
        "x.sum(axis=0)" => x.sum_axis(0)?;
        "x.sum(axis=-1)" => x.sum_axis(-1)?;
        "t.sum(axis=(0, 2))" => t.sum_axis([0, 2])?;
        "x.sum(axis=1, keepdims=True)" => x.sum_axis(keep_dims(1))?;
        "x.prod(axis=1)" => x.prod_axis(1)?;
        "x.min(axis=0)" => x.min_axis(0)?;
        "x.max(axis=1)" => x.max_axis(1)?;
        "x.mean(axis=0)" => x.mean_axis(0)?;
        "t.var(axis=1)" => t.var_axis(1, 0)?;
        "x.std(axis=(0, 1), ddof=1)" => x.std_axis([0, 1], 1)?;
        "x.argmin(axis=0)" => x.argmin_axis(0)?;
        "x.argmax(axis=1)" => x.argmax_axis(1)?;
        "b.any(axis=0)" => b.any_axis(0)?;
        "b.all(axis=1)" => b.all_axis(1)?;
        "np.count_nonzero(b, axis=0)" => b.count_axis(0)?;
        "np.median(x, axis=1)" => x.median_axis(1)?;
        "np.median(n, axis=0)" => n.median_axis(0)?;
        "np.quantile(t, 0.3, axis=(0, 2))" => t.quantile_axis([0, 2], 0.3)?;
        "np.percentile(x, 75, axis=0, keepdims=True)" => x.quantile_axis(keep_dims(0), 0.75)?;
        "np.cov(x)" => x.cov(1)?;
        "np.cov(v, ddof=0)" => v.cov(0)?;
        "np.corrcoef(m)" => m.corrcoef()?;
    }
    Ok(())
}

/// "Scans and differences".
fn scans(rows: &mut Rows<'_>) -> Result<()> {
    let device = rows.device;
    inputs!(rows; m n p s t v w x y: f64; b: bool);
    rows! { rows;
        "np.cumsum(v)" => v.cumsum()?;
        "np.cumsum(x, axis=0)" => x.cumsum_axis(0)?;
        "np.cumprod(x, axis=1)" => x.cumprod()?;
        "np.maximum.accumulate(v)" => v.cummax()?;
        "np.minimum.accumulate(x, axis=0)" => x.cummin_axis(0)?;
        "np.diff(v)" => v.diff(0);
        "np.diff(x, axis=1)" => x.diff(1);
        "np.trapezoid(v, w)" => ((v.slice(1..) + v.slice(..4)) * w.diff(0)).sum()? / 2.0;
        "np.convolve(v, w)" => v.convolve(&w)?;
        "np.correlate(v, w, 'full')" => v.convolve(w.view().reverse_axis(0))?;
        "scipy.signal.convolve2d(x, y)" => x.convolve2d(&y)?;
        "scipy.ndimage.correlate1d(x, v, axis=1)" => x.correlate_axis(&v, 1, Pad::Symmetric)?;
        "scipy.ndimage.correlate1d(v, s[:4], mode='nearest')" => v.correlate_axis(s.slice(..4), 0, Pad::Edge)?;
        "scipy.ndimage.gaussian_filter(x, 0.5)" => x.gaussian_filter(0.5, Pad::Symmetric)?;
        "scipy.ndimage.median_filter(t, 3, mode='wrap')" => t.median_filter(3, Pad::Wrap)?;
        "np.interp(w, s, v)" => w.interp(&s, &v)?;
        "scipy.ndimage.label(b)[0]" => b.label()?.0;
        "scipy.ndimage.label(b)[1]" => b.label()?.1;
        "scipy.ndimage.label(n)[0]" => n.ne(0.0).label()?.0;
        "scipy.ndimage.label(np.abs(t) > 1)[0]" => t.abs().gt(1.0).label()?.0;
        "scipy.ndimage.label(v[:1] > 0)[0]" => v.slice(..1).gt(0.0).label()?.0;
        "scipy.ndimage.label(b[:, :0])[1]" => b.part((.., ..0)).label()?.1;
        "scipy.ndimage.map_coordinates(v, w[None], order=1)" => v.map_coordinates(w.view().insert_axis(0), Interpolation::Linear, 0.0)?;
        "scipy.ndimage.map_coordinates(v, n.reshape(1, 6), order=1, cval=-1)" => v.map_coordinates(n.view().reshape([1, 6])?, Interpolation::Linear, -1.0)?;
        "scipy.ndimage.map_coordinates(n, p, order=1)" => n.map_coordinates(&p, Interpolation::Linear, 0.0)?;
        "scipy.ndimage.map_coordinates(n, p, order=0)" => n.map_coordinates(&p, Interpolation::Nearest, 0.0)?;
        "scipy.ndimage.map_coordinates(t, m, order=0, mode='nearest')" => t.map_coordinates_by(&m, Interpolation::Nearest, Pad::Edge)?;
        "scipy.ndimage.map_coordinates(m, x, order=1, mode='mirror')" => m.map_coordinates_by(&x, Interpolation::Linear, Pad::Reflect)?;
        "scipy.ndimage.map_coordinates(m, y, order=1, mode='reflect')" => m.map_coordinates_by(&y, Interpolation::Linear, Pad::Symmetric)?;
        "scipy.ndimage.map_coordinates(m, y, order=1, mode='grid-wrap')" => m.map_coordinates_by(&y, Interpolation::Linear, Pad::Wrap)?;
        "scipy.ndimage.map_coordinates(v[:1], w[None], order=1, mode='mirror')" => v.slice(..1).map_coordinates_by(w.view().insert_axis(0), Interpolation::Linear, Pad::Reflect)?;
        "scipy.ndimage.map_coordinates(v, w[None, :0], order=1)" => v.map_coordinates(w.view().insert_axis(0).slice_axis(1, ..0), Interpolation::Linear, 0.0)?;
        "scipy.signal.sosfilt([[0.5, 1, 0.25, 1, -0.5, 0.25], [1, -1, 0, 1, 0.5, 0]], t)" => t.sosfilt(device.to_device(&[0.5, 1.0, 0.25, 1.0, -0.5, 0.25, 1.0, -1.0, 0.0, 1.0, 0.5, 0.0])?.reshape([2, 6])?.view())?;
        "scipy.signal.sosfilt([[0.5, 1, 0.25, 1, -0.5, 0.25]], n)" => n.sosfilt(device.to_device(&[0.5, 1.0, 0.25, 1.0, -0.5, 0.25])?.reshape([1, 6])?.view())?;
        "scipy.signal.lfilter([0.5, 1, 0.25], [2, -0.5, 0.25], x)" => x.sosfilt(device.to_device(&[0.5, 1.0, 0.25, 2.0, -0.5, 0.25])?.reshape([1, 6])?.view())?;
    }
    Ok(())
}

/// "Selections, sorting and groups".
fn selections(rows: &mut Rows<'_>) -> Result<()> {
    let device = rows.device;
    inputs!(rows; s t v w x: f64; i: i64; k: u32; b: bool);
    rows! { rows;
        "x[x > 0]" => x.filter(x.gt(0.0))?;
        "x[x[:, 0] > 1]" => x.filter(x.part((.., 0)).gt(1.0))?;
        "t[b]" => t.filter(&b)?;
        "np.flatnonzero(x > 0)" => x.gt(0.0).nonzero()?;
        "np.nonzero(x > 0)[1]" => x.gt(0.0).nonzero()? % 3;
        "np.take(v, k)" => v.take(&k)?;
        "np.eye(4)[k]" => k.one_hot::<f64>(4)?;
        "v[b.astype(int)]" => v.take(b.cast::<u32>())?;
        "x[:, [2, 0]]" => x.take_axis(&device.to_device(&[2, 0])?, 1)?;
        "x[[1, 0, 1], [2, 1, 0]]" => x.take_nd([lazy(&[1, 0, 1]), lazy(&[2, 1, 0])])?;
        "t[k % 2, [2, 0, 1, 1, 2]]" => t.take_nd([&(&k % 2).collect()?, &device.to_device(&[2, 0, 1, 1, 2])?])?;
        "np.take_along_axis(x, np.argsort(-x, axis=1), axis=1)" => x.take_along_axis(&(-&x).argsort()?, 1)?;
        "np.sort(v)" => v.sort()?;
        "np.sort(x, axis=0)" => x.sort_axis(0)?;
        "np.sort(v)[::-1]" => v.sort()?.view().reverse_axis(0);
        "np.argsort(v, kind='stable')" => v.argsort()?;
        "np.argsort(x, axis=0)" => x.argsort_axis(0)?;
        "np.lexsort((w, v))" => lexsort([&w, &v])?;
        "w[np.argsort(v, kind='stable')]" => v.sort_with(&w)?.1;
        "np.sort(v)[::-1][:2]" => v.top_k(2)?.0;
        "np.sort(x, axis=1)[:, :0:-1]" => x.top_k_axis(2, 1)?.0;
        "np.argsort(-x, axis=1, kind='stable')[:, :2]" => x.top_k_axis(2, 1)?.1;
        "np.unique(k)" => k.unique()?;
        "np.unique(v, return_inverse=True)[1]" => v.unique()?.searchsorted(&v)?;
        "np.unique(k, return_counts=True)[1]" => k.unique_counts()?.1;
        "np.unique(i % 2, axis=0)" => i.rem_euclid(2).unique_rows()?.0;
        "np.unique([[2.0, 1], [2, 0], [2, 1]], axis=0, return_counts=True)[1]" => device.to_device(&[2.0, 1.0, 2.0, 0.0, 2.0, 1.0])?.reshape([3, 2])?.unique_rows()?.1;
        "np.unique(t[:, :2] > 0, axis=0)" => t.part((.., ..2)).gt(0.0).cast::<u32>().unique_rows()?.0;
        "np.isin(k, [1, 3])" => k.isin(lazy(&[1, 3]))?;
        "np.intersect1d(v, w)" => v.intersection(&w)?;
        "np.union1d(v, w)" => concatenate([&v, &w], 0)?.unique()?;
        "np.setdiff1d(k, [1, 3])" => k.unique()?.filter(!k.unique()?.isin(lazy(&[1, 3]))?)?;
        "np.searchsorted(s, w)" => s.searchsorted(&w)?;
        "np.searchsorted(s, w, 'right')" => s.searchsorted_right(&w)?;
        "np.digitize(w, s)" => s.searchsorted_right(&w)?;
        "np.histogram(v, 4, (0, 2))[0]" => v.histogram(4, 0.0..=2.0)?;
        "np.bincount(k)" => k.bincount(4)?;
        "np.bincount(k, weights=w)" => w.sum_by(&k, 4)?;
        "np.histogram(v, 4, (0, 2), weights=w)[0]" => w.sum_by_bins(&v, 4, 0.0..=2.0)?;
        "pd.Series(v).groupby(k).mean()" => v.mean_by(&k, 4)?;
        "pd.DataFrame(x.T).groupby(np.array([1, 0, 1])).sum().T" => x.sum_by_axis(lazy(&[1, 0, 1]), 2, 1)?;
        "pd.DataFrame(x).groupby(np.array([1, 0])).sum()" => x.sum_by_axis(lazy(&[1, 0]), 2, 0)?;
        "pd.Series(v).groupby(k).min()" => v.min_by(&k, 4)?;
        "pd.Series(v).groupby(k).max()" => v.max_by(&k, 4)?;
    }
    Ok(())
}

/// "Products".
fn products(rows: &mut Rows<'_>) -> Result<()> {
    let device = rows.device;
    inputs!(rows; m t v w x y: f64);
    rows! { rows;
        "x @ m" => x.matmul(&m)?;
        "x.T @ y" => x.view().t().matmul(&y)?;
        "t @ t.swapaxes(1, 2)" => t.matmul(t.view().swap_axes(1, 2))?;
        "(t[None] * [[[[1.0]]], [[[2.0]]]]) @ t.swapaxes(1, 2)" => (t.view().insert_axis(0) * device.to_device(&[1.0, 2.0])?.reshape([2, 1, 1, 1])?).matmul(t.view().swap_axes(1, 2))?;
        "t @ t[0, 0]" => t.matmul(t.part((0, 0)))?;
        "np.vdot(x, y)" => x.dot(&y)?;
        "np.maximum(x @ m + 1, 0)" => (matmul(&x, &m) + 1.0).maximum(0.0);
        "np.linalg.norm(v)" => v.norm()?;
        "np.linalg.norm(v, 1)" => v.abs().sum()?;
        "np.linalg.norm(v, np.inf)" => v.abs().max()?;
        "np.linalg.norm(x, axis=1)" => x.norm_axis(1)?;
        "np.einsum('ij,kj->ik', x, y)" => einsum("ij,kj->ik", &x, &y)?;
        "np.einsum('ijk,ikl->jl', t, t.swapaxes(1, 2))" => einsum("ijk,ikl->jl", &t, t.view().swap_axes(1, 2))?;
        "np.einsum('...i,i->...', t, v[:4])" => einsum("...i,i->...", &t, v.slice(..4))?;
        "np.einsum('ij,jk,kl->il', x, m, m)" => einsum_of("ij,jk,kl->il", [&x, &m, &m])?;
        "np.einsum('ii->i', m)" => einsum_of("ii->i", [&m])?;
        "np.einsum('i...->...', t)" => einsum_of("i...->...", [&t])?;
        "np.einsum('b...,ab', t, x.T[:, :2])" => einsum_of("b...,ab", [t.view(), x.t().slice_axis(1, ..2)])?;
        "np.outer(v, w)" => functions::mul::outer(&v, &w);
        "np.subtract.outer(v, w)" => functions::sub::outer(&v, &w);
        "np.trace(m)" => m.trace()?;
        "np.kron(x, y)" => x.kron(&y)?;
    }
    Ok(())
}

/// "Linear algebra".
fn linear_algebra(rows: &mut Rows<'_>) -> Result<()> {
    inputs!(rows; m v x y: f64);
    rows! { rows;
        "np.linalg.solve(m, x.T)" => m.solve(x.view().t())?;
        "np.linalg.inv(m)" => m.inv()?;
        "np.linalg.det(m)" => m.det()?;
        "np.linalg.slogdet(m)[1]" => m.slogdet()?.1;
        "np.linalg.cholesky(m @ m.T)" => m.matmul(m.view().t())?.cholesky()?;
        "np.linalg.solve(np.stack([m, m.T]), x.T)" => stack([m.view(), m.view().t()], 0)?.solve(x.view().t())?;
        "np.linalg.inv(np.stack([m, m.T]))" => stack([m.view(), m.view().t()], 0)?.inv()?;
        "np.linalg.det(np.stack([m, m.T]))" => stack([m.view(), m.view().t()], 0)?.det_each()?;
        "np.linalg.cholesky(np.stack([m @ m.T, m.T @ m]))" => stack([m.matmul(m.view().t())?.view(), m.view().t().matmul(&m)?.view()], 0)?.cholesky()?;
        "np.abs(np.linalg.qr(m)[1])" => m.qr()?.1.abs();
        "np.linalg.svd(x, full_matrices=False)[1]" => x.svd()?.1;
        "np.linalg.lstsq(x.T, v[:3])[0]" => x.view().t().lstsq(v.slice(..3))?;
        "np.linalg.lstsq(x, y)[0]" => x.lstsq(&y)?;
        "np.linalg.pinv(x)" => x.pinv()?;
        "np.linalg.eigh(m + m.T)[0]" => (&m + m.view().t()).eigh()?.0;
        "np.sort(np.abs(np.linalg.eig(m)[0]))" => m.eig()?.0.abs().sort()?;
        "scipy.linalg.lu(m)[0]" => m.lu()?.0;
        "scipy.linalg.lu(m)[1]" => m.lu()?.1;
        "scipy.linalg.lu(m)[2]" => m.lu()?.2;
        "scipy.linalg.solve_triangular(m, x.T, lower=True)" => m.tril(0)?.solve(x.view().t())?;
        "scipy.linalg.expm(m)" => m.expm()?;
        "np.linalg.norm(m, 'nuc')" => m.svd()?.1.sum()?;
        "np.linalg.cond(m)" => m.svd()?.1.max()? / m.svd()?.1.min()?;
    }
    Ok(())
}

/// "Fourier transforms".
fn fourier_transforms(rows: &mut Rows<'_>) -> Result<()> {
    inputs!(rows; t v w x: f64);
    rows! { rows;
        "np.fft.fft(v)" => v.fft()?;
        "np.fft.fft(v).real" => v.fft()?.view().re();
        "np.fft.fft(v).imag" => v.fft()?.view().im();
        "np.abs(np.fft.fft(v))" => v.fft()?.abs();
        "np.angle(np.fft.fft(v))" => v.fft()?.arg();
        "np.conj(np.fft.fft(v))" => v.fft()?.conj();
        "np.fft.fft(v) * np.fft.fft(w)" => v.fft()? * w.fft()?;
        "np.fft.fft(v) * w" => v.fft()? * &w;
        "np.abs(np.fft.fft(v)) ** 2" => v.fft()?.norm_sqr();
        "np.fft.ifft(v)" => v.ifft()?;
        "np.fft.fft(x, axis=0)" => x.fft_axes(0)?;
        "np.fft.fft2(t)" => t.fft_axes([1, 2])?;
        "np.fft.ifftn(t)" => t.ifft_axes([0, 1, 2])?;
        "np.fft.rfft(v)" => v.rfft()?;
        "np.fft.rfftn(t)" => t.rfft_axes([0, 1, 2])?;
        "np.fft.irfft(v, 9)" => v.irfft(9)?;
        "scipy.signal.fftconvolve(v, w)" => v.fft_convolve(&w)?;
        "np.fft.fftshift(v)" => v.roll_axis(0, 2)?;
    }
    Ok(())
}

/// "Complex numbers".
fn complex_numbers(rows: &mut Rows<'_>) -> Result<()> {
    inputs!(rows; k: u32; v w: f64);
    let j = Complex::<f64>::i();
    let z = (j * &w + &v).collect()?;
    rows! { rows;
        "1j * v" => j * &v;
        "z * z" => &z * &z;
        "z / v + 1" => &z / &v + 1.0;
        "2 - z" => 2.0 - &z;
        "1 / z" => 1.0 / &z;
        "-z" => -&z;
        "z.real" => z.view().re();
        "z.imag" => z.view().im();
        "np.exp(1j * v)" => (j * &v).exp();
        "np.log(z)" => z.ln();
        "np.sqrt(v + 0j)" => v.cast::<Complex<f64>>().sqrt();
        "z ** 3" => z.powi(3);
        "z != np.conj(z)" => z.ne(z.conj());
        "z.astype(np.complex64)" => z.cast::<Complex<f32>>();
        "np.abs(z)" => z.abs();
        "np.abs(z) ** 2" => z.norm_sqr();
        "np.angle(z)" => z.arg();
        "np.conj(z)" => z.conj();
        "z.sum()" => z.sum()?;
        "z.mean()" => z.mean()?;
        "z.var()" => z.var(0)?;
        "z.std(ddof=1)" => z.std(1)?;
        "np.outer(z, v).mean(axis=1)" => (z.view().insert_axis(1) * &v).mean_axis(1)?;
        "np.outer(z, v).var(axis=0)" => (z.view().insert_axis(1) * &v).var_axis(0, 0)?;
        "np.cumsum(z)" => z.cumsum()?;
        "np.cumprod(z)" => z.cumprod()?;
        "np.outer(z, v).sum(axis=0)" => (z.view().insert_axis(1) * &v).sum_axis(0)?;
        "np.vdot(z, z)" => z.conj().dot(&z)?;
        "z[k]" => z.take(&k)?;
        "z[v > 0.7]" => z.filter(v.gt(0.7))?;
    }
    Ok(())
}
