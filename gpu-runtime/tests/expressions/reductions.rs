//! Reductions, against their definition, on every device.

use crate::support::{bytes_of, devices};
use gpu_runtime::prelude::*;
use gpu_runtime::support::Number;
use gpu_runtime::{Element, Error, Result};
use half::{bf16, f16};
use num_complex::Complex;

/// Around the sizes of runs, warps, blocks and tasks.
const LENGTHS: [usize; 20] =
    [1, 2, 3, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097, 8193, 32_767, 32_769, 65_536, 100_003];

/// A number below `below` that depends on `i`, without pattern.
fn scrambled(i: usize, below: usize) -> usize {
    (i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31) ^ i).wrapping_mul(0xbf58_476d_1ce4_e5b9) as u32 as usize % below
}

/// What every reduction of numbers must give, by the definition.
struct Oracle<T> {
    sum: T,
    prod: T,
    min: T,
    max: T,
    argmin: usize,
    argmax: usize,
}

fn oracle<T: Number>(x: &[T], plus: fn(T, T) -> T, times: fn(T, T) -> T) -> Oracle<T> {
    let (mut argmin, mut argmax) = (0, 0);
    for (i, element) in x.iter().enumerate() {
        if *element < x[argmin] {
            argmin = i;
        }
        if *element > x[argmax] {
            argmax = i;
        }
    }
    let fold = |function: fn(T, T) -> T| x.iter().copied().reduce(function).expect("there are elements");
    Oracle { sum: fold(plus), prod: fold(times), min: x[argmin], max: x[argmax], argmin, argmax }
}

/// Checks every reduction of `x` on `device`. The operations must be exact on these elements.
fn check<T>(device: &Device, x: &[T], plus: fn(T, T) -> T, times: fn(T, T) -> T, mean: fn(&[T]) -> T::Mean) -> Result<()>
where
    T: Number<Mean: PartialEq + std::fmt::Debug> + std::fmt::Debug,
{
    let expected = oracle(x, plus, times);
    let array = device.to_device(x)?;
    let lazy = array.lazy();
    let what = || format!("{} of {} on {device}", std::any::type_name::<T>(), x.len());
    assert_eq!(lazy.sum()?, expected.sum, "sum, {}", what());
    assert_eq!(lazy.prod()?, expected.prod, "prod, {}", what());
    assert_eq!((lazy.min()?, lazy.max()?), (expected.min, expected.max), "min and max, {}", what());
    assert_eq!((lazy.argmin()?, lazy.argmax()?), (expected.argmin, expected.argmax), "argmin and argmax, {}", what());
    assert_eq!(lazy.mean()?, mean(x), "mean, {}", what());
    let squares: Vec<T> = x.iter().map(|&x| times(x, x)).collect();
    assert_eq!(lazy.dot(&array)?, oracle(&squares, plus, times).sum, "dot, {}", what());
    Ok(())
}

#[test]
fn integers_of_every_type_are_folded_at_every_length() -> Result<()> {
    macro_rules! check_each {
        ($device:expr, $($T:ident),*) => {
            $(
                for len in LENGTHS {
                    let x: Vec<$T> = (0..len).map(|i| scrambled(i, 1 << 32) as $T).collect();
                    // Below 2⁵³ on the way, so that the mean is exact whatever the order.
                    let mean = |x: &[$T]| x.iter().map(|&x| f64::from(x)).sum::<f64>() / x.len() as f64;
                    check($device, &x, $T::wrapping_add, $T::wrapping_mul, mean)?;
                }
            )*
        };
    }
    macro_rules! check_wide {
        ($device:expr, $($T:ident),*) => {
            $(
                for len in LENGTHS {
                    let x: Vec<$T> = (0..len).map(|i| scrambled(i, 1 << 32) as $T).collect();
                    let mean = |x: &[$T]| x.iter().map(|&x| x as f64).sum::<f64>() / x.len() as f64;
                    check($device, &x, $T::wrapping_add, $T::wrapping_mul, mean)?;
                }
            )*
        };
    }
    for device in devices("integers_of_every_type_are_folded_at_every_length") {
        check_each!(&device, i8, u8, i16, u16, i32, u32);
        check_wide!(&device, i64, u64, isize, usize);
    }
    Ok(())
}

#[test]
fn floats_are_folded_at_every_length() -> Result<()> {
    for device in devices("floats_are_folded_at_every_length") {
        for len in LENGTHS {
            // Small integers, whose sums are exact, and whose products are for as long as there are few that are not ±1.
            let value = |i: usize| if i < 8 { [3.0, -2.0, 2.0, -1.0, 1.0, 4.0, -3.0, 1.0][i] } else { [1.0, -1.0][scrambled(i, 2)] };
            let single: Vec<f32> = (0..len).map(value).collect();
            check(&device, &single, |a, b| a + b, |a, b| a * b, |x| x.iter().sum::<f32>() / x.len() as f32)?;
            let double: Vec<f64> = single.iter().copied().map(f64::from).collect();
            check(&device, &double, |a, b| a + b, |a, b| a * b, |x| x.iter().sum::<f64>() / x.len() as f64)?;
        }
    }
    Ok(())
}

/// What is known of some numbers.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
struct Known {
    sum: i64,
    lowest: i32,
    highest: i32,
    count: u8,
}

#[reduce(identity = Known { sum: 0, lowest: i32::MAX, highest: i32::MIN, count: 0 })]
fn merged(a: Known, b: Known) -> Known {
    Known { sum: a.sum + b.sum, lowest: a.lowest.min(b.lowest), highest: a.highest.max(b.highest), count: a.count.wrapping_add(b.count) }
}

/// As large as an item can be.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
struct Large {
    words: [u32; 16],
}

#[reduce]
fn mixed(a: Large, b: Large) -> Large {
    let mut sum = a;
    for k in 0..16 {
        sum.words[k] = a.words[k].wrapping_add(b.words[k]);
    }
    sum
}

#[reduce(identity = Complex::new(1.0, 0.0))]
fn turn(a: Complex<f64>, b: Complex<f64>) -> Complex<f64> {
    a * b
}

#[reduce(identity = f16::NEG_INFINITY)]
fn highest(a: f16, b: f16) -> f16 {
    a.max(b)
}

/// A tuple of a number, a struct and a complex number: the pair whose number is the lowest, and of equal ones that with the lowest count.
#[reduce]
fn nearest(a: i16, p: Known, y: Complex<f32>, b: i16, q: Known, z: Complex<f32>) -> (i16, Known, Complex<f32>) {
    if b < a || (b == a && q.sum < p.sum) { (b, q, z) } else { (a, p, y) }
}

/// Every form of `$f` of `$x`, elements of a type with `==`, against the fold of the host's function.
macro_rules! check_own {
    ($device:expr, $f:ident, $x:expr) => {{
        let (device, x) = ($device, $x);
        for len in [1, 3, 31, 33, 256, 1025, 4097, 32_769] {
            let x: Vec<_> = (0..len).map(&x).collect();
            let array = device.to_device(&x)?;
            let fold = |x: &[_]| x.iter().copied().reduce($f).expect("there are elements");
            let running = |x: &[_]| -> Vec<_> {
                let mut sum = None;
                x.iter().map(|&x| *sum.insert(sum.map_or(x, |sum| $f(sum, x)))).collect()
            };
            let what = format!("{} of {len} on {device}", stringify!($f));
            assert_eq!($f::reduce(&array)?, fold(&x), "{what}");
            assert_eq!($f::accumulate(&array)?.to_host()?, running(&x), "{what}, running");
            let (rows, width) = (x.len() / 3, 3);
            let table = array.slice(..3 * rows).view().reshape([rows, width])?;
            let columns: Vec<_> = (0..width).map(|k| (0..rows).map(|row| x[3 * row + k]).collect::<Vec<_>>()).collect();
            if rows > 0 {
                assert_eq!($f::reduce_axis(table, 0)?.to_host()?, columns.iter().map(|x| fold(x)).collect::<Vec<_>>(), "{what}, axis 0");
                let of_rows: Vec<_> = x[..3 * rows].chunks(3).map(|x| fold(x)).collect();
                assert_eq!($f::reduce_axis(table, 1)?.to_host()?, of_rows, "{what}, axis 1");
                assert_eq!($f::accumulate_axis(table.t(), 1)?.to_host()?, columns.iter().flat_map(|x| running(x)).collect::<Vec<_>>());
            }
        }
    }};
}

#[test]
fn structs_and_numbers_of_other_crates_are_folded_by_own_functions() -> Result<()> {
    let known = |i: usize| {
        let x = scrambled(i, 1000) as i32 - 500;
        Known { sum: x.into(), lowest: x, highest: x, count: 1 }
    };
    for device in devices("structs_and_numbers_of_other_crates_are_folded_by_own_functions") {
        let device = &device;
        check_own!(device, merged, known);
        check_own!(device, mixed, |i| Large { words: std::array::from_fn(|k| scrambled(i + k, 1 << 32) as u32) });
        check_own!(device, turn, |i| [Complex::I, -Complex::I, Complex::new(-1.0, 0.0)][scrambled(i, 3)]);
        check_own!(device, highest, |i| f16::from_f32(scrambled(i, 500) as f32));

        let none = device.zeros::<Known>(0)?;
        assert_eq!(merged::reduce(&none)?, Known { sum: 0, lowest: i32::MAX, highest: i32::MIN, count: 0 });
        assert!(matches!(mixed::reduce(device.zeros::<Large>(0)?), Err(Error::EmptyReduction { .. })));
        let exclusive = merged::accumulate_exclusive(device.to_device(&[known(0), known(1)])?, 0)?.to_host()?;
        assert_eq!(exclusive, [merged::reduce(&none)?, known(0)]);

        let keys: Vec<i16> = (0..5000).map(|i| scrambled(i, 300) as i16).collect();
        let (values, numbers): (Vec<Known>, Vec<Complex<f32>>) = (0..5000).map(|i| (known(i), Complex::new(i as f32, -1.0))).unzip();
        let expected = (0..5000).map(|i| (keys[i], values[i], numbers[i])).reduce(|(a, p, y), (b, q, z)| nearest(a, p, y, b, q, z));
        let (x, y, z) = (device.to_device(&keys)?, device.to_device(&values)?, device.to_device(&numbers)?);
        assert_eq!(Some(nearest::reduce((&x, &y, &z))?), expected);
        let (lowest, ..) = nearest::reduce_axis((&x, &y, &z), 0)?;
        assert_eq!(lowest.to_host()?, [expected.expect("there are elements").0]);
    }
    Ok(())
}

/// Sums of `f16` or `bf16`, with what `f64` gives for the same elements. The sums of few digits are exact in `f32`, whatever the order.
macro_rules! check_short_floats {
    ($device:expr, $T:ty, $largest:expr) => {{
        let device = $device;
        let short = <$T>::from_f64;
        for len in LENGTHS {
            let x: Vec<$T> = (0..len).map(|i| short(scrambled(i, 65) as f64 / 8.0 - 3.0)).collect();
            let wide: Vec<f64> = x.iter().map(|x| x.to_f64()).collect();
            let (sum, squares) = (wide.iter().sum::<f64>(), wide.iter().map(|x| x * x).sum::<f64>());
            let array = device.to_device(&x)?;
            let what = format!("{} of {len} on {device}", std::any::type_name::<$T>());
            assert_eq!(array.sum()?, short(sum), "sum, {what}");
            // A mean is the quotient of two `f32`.
            assert_eq!(array.mean()?, <$T>::from_f32(sum as f32 / len as f32), "mean, {what}");
            assert_eq!(array.dot(&array)?, short(squares), "dot, {what}");
            assert_eq!(array.norm()?, <$T>::from_f32((squares as f32).sqrt()), "norm, {what}");
            let expected = oracle(&x, |a, b| a + b, |a, b| a * b);
            assert_eq!((array.min()?, array.max()?), (expected.min, expected.max), "{what}");
            assert_eq!((array.argmin()?, array.argmax()?), (expected.argmin, expected.argmax), "{what}");
            let running: Vec<$T> = wide
                .iter()
                .scan(0.0, |sum, x| {
                    *sum += x;
                    Some(short(*sum))
                })
                .collect();
            assert_eq!(array.cumsum()?.to_host()?, running, "cumsum, {what}");
            // The elements of an expression are rounded, their sum is not.
            let thirds: f64 = wide.iter().map(|&x| (short(x) * short(0.125)).to_f64()).sum();
            assert_eq!((&array * short(0.125)).sum()?, short(thirds), "sum of products, {what}");
        }
        // Sums that leave the range of the type on the way, and those that end outside of it.
        let largest: $T = $largest;
        let across = device.to_device(&[largest, largest, -largest, largest, -largest])?;
        assert_eq!((across.sum()?, across.sum_axis(0)?.to_host()?), (largest, vec![largest]));
        assert_eq!((across.mean()?, across.max()?, across.min()?), (short(largest.to_f64() / 5.0), largest, -largest));
        let many = device.full([3, 1000], largest)?;
        assert_eq!((many.mean()?, many.mean_axis(1)?.to_host()?), (largest, vec![largest; 3]));
        // More ones than 16 bits count to.
        let ones = device.full([4, 5000], <$T>::ONE)?;
        assert_eq!(ones.sum()?, short(20_000.0));
        assert_eq!(ones.sum_axis(1)?.to_host()?, [short(5000.0); 4]);
        assert_eq!(ones.view().t().sum_axis(0)?.to_host()?, [short(5000.0); 4]);
        assert_eq!((ones.mean()?, ones.var(0)?), (<$T>::ONE, <$T>::ZERO));
        assert_eq!(device.full(20, short(1.5))?.prod()?, short(1.5f64.powi(20)));
        let keys = device.zeros::<u32>(20_000)?;
        assert_eq!(ones.reshape(20_000)?.sum_by(&keys, 1)?.to_host()?, [short(20_000.0)]);
        // No elements, and NaN.
        let none = device.zeros::<$T>(0)?;
        assert_eq!((none.sum()?, none.prod()?), (<$T>::ZERO, <$T>::ONE));
        assert!(none.mean()?.is_nan() && matches!(none.min(), Err(Error::EmptyReduction { .. })));
        let nan = device.to_device(&[<$T>::ONE, <$T>::NAN, <$T>::NEG_INFINITY])?;
        assert!(nan.sum()?.is_nan() && nan.min()?.is_nan() && nan.max()?.is_nan());
        assert_eq!((nan.argmin()?, nan.argmax()?), (1, 1));
    }};
}

#[test]
fn floats_of_16_bits_are_summed_in_32() -> Result<()> {
    for device in devices("floats_of_16_bits_are_summed_in_32") {
        check_short_floats!(&device, f16, f16::MAX);
        // Its range is that of `f32`: a number whose thousandfold is in it.
        check_short_floats!(&device, bf16, bf16::from_f64(2f64.powi(110)));
        // What `f16` cannot hold on the way: the squares of the elements.
        let x = device.full(4, f16::from_f32(300.0))?;
        assert_eq!((x.norm()?, x.dot(&x)?), (f16::from_f32(600.0), f16::INFINITY));
        let spread = device.to_device(&[-400.0, 400.0, -400.0, 400.0].map(f16::from_f32))?;
        assert_eq!((spread.std(0)?, spread.var(0)?), (f16::from_f32(400.0), f16::INFINITY));
        assert_eq!(spread.std_axis(0, 0)?.to_host()?, [f16::from_f32(400.0)]);
        assert_eq!(device.full(3, f16::MAX)?.sum()?, f16::INFINITY);
    }
    Ok(())
}

#[test]
fn truth_values_are_folded_at_every_length() -> Result<()> {
    for device in devices("truth_values_are_folded_at_every_length") {
        for len in LENGTHS {
            let mixed: Vec<bool> = (0..len).map(|i| scrambled(i, 3) == 0).collect();
            let mut one = vec![false; len];
            one[scrambled(len, len)] = true;
            let but_one: Vec<bool> = one.iter().map(|flag| !flag).collect();
            for x in [mixed, one, but_one, vec![true; len], vec![false; len]] {
                let array = device.to_device(&x)?;
                let lazy = array.lazy();
                let found = (lazy.any()?, lazy.all()?, lazy.count()?);
                let expected = (x.contains(&true), !x.contains(&false), x.iter().filter(|&&flag| flag).count());
                assert_eq!(found, expected, "{len} on {device}");
            }
        }
    }
    Ok(())
}

#[test]
fn of_nothing_there_is_what_numpy_says() -> Result<()> {
    for device in devices("of_nothing_there_is_what_numpy_says") {
        let empty = device.zeros::<i32>(0)?;
        let lazy = empty.lazy();
        assert_eq!((lazy.sum()?, lazy.prod()?), (0, 1));
        assert!(lazy.mean()?.is_nan() && device.zeros::<f32>(0)?.lazy().mean()?.is_nan());
        let flags = device.zeros::<bool>(0)?;
        assert_eq!((flags.lazy().any()?, flags.lazy().all()?, flags.lazy().count()?), (false, true, 0));
        assert!(matches!(lazy.min(), Err(Error::EmptyReduction { function: "min", .. })));
        assert!(matches!(lazy.max(), Err(Error::EmptyReduction { function: "max", .. })));
        assert!(matches!(lazy.argmin(), Err(Error::EmptyReduction { function: "argmin", .. })));
        assert!(matches!(lazy.argmax(), Err(Error::EmptyReduction { function: "argmax", .. })));

        let rows = device.zeros::<i32>(0)?.reshape([3, 0])?;
        assert_eq!(rows.lazy().sum_axis(1)?.to_host()?, [0; 3]);
        assert_eq!(rows.lazy().prod_axis(1)?.to_host()?, [1; 3]);
        assert!(rows.lazy().mean_axis(1)?.to_host()?.iter().all(|mean| mean.is_nan()));
        assert!(rows.lazy().sum_axis(0)?.to_host()?.is_empty());
        assert!(rows.lazy().min_axis(0)?.to_host()?.is_empty());
        assert!(matches!(rows.lazy().argmax_axis(1), Err(Error::EmptyReduction { function: "argmax", .. })));
    }
    Ok(())
}

#[test]
fn an_axis_that_is_not_there_is_refused_by_name() -> Result<()> {
    let x = Device::cpu().zeros::<f32>(12)?.reshape([3, 4])?;
    for (function, result) in
        [("sum", x.lazy().sum_axis(2).err()), ("mean", x.lazy().mean_axis(2).err()), ("argmin", x.lazy().argmin_axis(2).err())]
    {
        let message = result.expect("there are two axes").to_string();
        assert!(message.contains(&format!("`{function}`")) && message.contains("(3, 4)") && message.contains("axis 2"), "{message}");
    }
    Ok(())
}

#[test]
fn nan_goes_through_and_the_first_of_equals_wins() -> Result<()> {
    for device in devices("nan_goes_through_and_the_first_of_equals_wins") {
        for len in [3, 40, 300, 5000, 100_003] {
            for place in [0, 1, len / 2, len - 1] {
                let mut x: Vec<f64> = (0..len).map(|i| scrambled(i, 1000) as f64 - 500.0).collect();
                x[place] = f64::NAN;
                let array = device.to_device(&x)?;
                let lazy = array.lazy();
                assert!(lazy.min()?.is_nan() && lazy.max()?.is_nan() && lazy.sum()?.is_nan(), "{len}, {place} on {device}");
                assert_eq!((lazy.argmin()?, lazy.argmax()?), (place, place), "{len} on {device}");
                x[len - 1] = f64::NAN;
                let array = device.to_device(&x)?;
                assert_eq!((array.lazy().argmin()?, array.lazy().argmax()?), (place, place), "{len} on {device}");
            }
            let zeros: Vec<f32> = (0..len).map(|i| if i % 2 == 0 { 0.0 } else { -0.0 }).collect();
            let array = device.to_device(&zeros)?;
            assert_eq!((array.lazy().argmin()?, array.lazy().argmax()?), (0, 0), "{len} on {device}");
            assert_eq!((array.lazy().min()?, array.lazy().max()?), (0.0, 0.0), "{len} on {device}");
        }
    }
    Ok(())
}

/// The elements of a view of three axes, as lists along each axis in the order of the results.
fn lines<T: Element>(elements: &[T], [a, b, c]: [usize; 3]) -> [Vec<Vec<T>>; 3] {
    let mut lines = [b * c, a * c, a * b].map(|count| vec![Vec::new(); count]);
    for (number, &element) in elements.iter().enumerate() {
        let (i, j, k) = (number / c / b, number / c % b, number % c);
        lines[0][j * c + k].push(element);
        lines[1][i * c + k].push(element);
        lines[2][i * b + j].push(element);
    }
    lines
}

fn check_axes(device: &Device, view: DeviceView<'_, i64>, shape: [usize; 3]) -> Result<()> {
    let elements = view.to_host()?;
    let lazy = lazy(view);
    assert_eq!(lazy.sum()?, elements.iter().sum::<i64>(), "{shape:?} on {device}");
    let lowest = elements.iter().min().expect("there are elements");
    assert_eq!(Some(lazy.argmin()?), elements.iter().position(|x| x == lowest), "{shape:?} on {device}");
    for (axis, lines) in lines(&elements, shape).iter().enumerate() {
        let each = |function: fn(&[i64]) -> i64| lines.iter().map(|line| function(line)).collect::<Vec<i64>>();
        let what = format!("{shape:?} along {axis} on {device}");
        let sums = lazy.sum_axis(axis)?;
        assert_eq!(sums.to_host()?, each(|line| line.iter().sum()), "sum, {what}");
        assert_eq!(lazy.max_axis(axis)?.to_host()?, each(|line| *line.iter().max().expect("no line is empty")), "max, {what}");
        let highest = |line: &[i64]| {
            let highest = line.iter().max().expect("no line is empty");
            line.iter().position(|x| x == highest).expect("it is one of them") as i64
        };
        let found: Vec<i64> = lazy.argmax_axis(axis)?.to_host()?.into_iter().map(|index| index as i64).collect();
        assert_eq!(found, each(highest), "argmax, {what}");
        let means: Vec<f64> = lines.iter().map(|line| line.iter().sum::<i64>() as f64 / line.len() as f64).collect();
        assert_eq!(lazy.mean_axis(axis)?.to_host()?, means, "mean, {what}");
        let mut extents = shape.to_vec();
        extents.remove(axis);
        assert_eq!(sums.shape().extents(), extents, "{what}");
    }
    Ok(())
}

#[test]
fn every_axis_of_every_shape_is_folded() -> Result<()> {
    let shapes = [
        [1, 1, 1],
        [2, 3, 4],
        [7, 5, 3],
        [3, 33, 31],
        [2, 257, 65],
        [5, 1, 1025],
        [300, 300, 3],
        // One axis is long, and there are few results along it.
        [100_003, 1, 2],
        [2, 50_001, 3],
        [3, 1, 70_001],
        // Many results of few elements.
        [40_000, 2, 3],
        [3, 2, 40_000],
        // So few for each that a thread folds them by itself.
        [70_000, 4, 2],
        [1000, 31, 5],
    ];
    for device in devices("every_axis_of_every_shape_is_folded") {
        for shape in shapes {
            let len = shape.iter().product();
            let host: Vec<i64> = (0..len).map(|i| scrambled(i, 2000) as i64 - 1000).collect();
            check_axes(&device, device.to_device(&host)?.reshape(shape)?.view(), shape)?;
        }
    }
    Ok(())
}

#[test]
fn views_are_folded_whatever_their_strides() -> Result<()> {
    for device in devices("views_are_folded_whatever_their_strides") {
        let host: Vec<i64> = (0..6 * 70 * 90).map(|i| scrambled(i, 2000) as i64 - 1000).collect();
        let array = device.to_device(&host)?.reshape([6, 70, 90])?;
        check_axes(&device, array.view().permute([2, 0, 1]), [90, 6, 70])?;
        check_axes(&device, array.view().reverse_axis(0).reverse_axis(2), [6, 70, 90])?;
        check_axes(&device, array.view().slice_axis_step(2, 1.., 2).slice_axis(1, 3..40), [6, 37, 45])?;
        check_axes(&device, array.view().index_axis(0, 2).broadcast_to([5, 70, 90])?, [5, 70, 90])?;
        let column = array.slice(..50).view().reshape([50, 1])?.broadcast_to([4, 50, 300])?;
        check_axes(&device, column, [4, 50, 300])?;
    }
    Ok(())
}

#[vectorize]
fn square_plus(x: f64, y: f64) -> f64 {
    x * x + y
}

#[vectorize]
fn product(x: usize, y: usize) -> usize {
    x * y
}

#[test]
fn an_expression_is_folded_without_a_temporary() -> Result<()> {
    for device in devices("an_expression_is_folded_without_a_temporary") {
        let (x, y): (Vec<f64>, Vec<f64>) = (0..50_000).map(|i| (scrambled(i, 100) as f64, scrambled(i + 7, 100) as f64)).unzip();
        let expected: f64 = x.iter().zip(&y).map(|(x, y)| x * x + y).sum();
        let (x, y) = (device.to_device(&x)?, device.to_device(&y)?);
        assert_eq!(square_plus::map(&x, &y).sum()?, expected);
        // Rows that are repeated, and an index.
        let weights = device.to_device(&[1usize, 10, 100])?;
        let weighted = product::map(iota([3, 1]), &weights);
        assert_eq!(weighted.sum()?, 333);
        assert_eq!(weighted.sum_axis(0)?.to_host()?, [3, 30, 300]);
        assert_eq!(lazy(&[1.5f32, 2.5]).on(&device).sum()?, 4.0);
    }
    Ok(())
}

#[test]
fn a_float_sum_has_the_same_bits_in_every_run() -> Result<()> {
    for device in devices("a_float_sum_has_the_same_bits_in_every_run") {
        let host: Vec<f32> = (0..3_000_001).map(|i| scrambled(i, 1 << 24) as f32 * 0.37).collect();
        let array = device.to_device(&host)?;
        let first = array.lazy().sum()?;
        let exact: f64 = host.iter().copied().map(f64::from).sum();
        assert!((f64::from(first) - exact).abs() / exact < 1e-6, "{first} is far from {exact} on {device}");
        let square = array.slice(..3_000_000).view().reshape([2000, 1500])?;
        let columns = lazy(square).sum_axis(0)?.to_host()?;
        for _ in 0..20 {
            assert_eq!(array.lazy().sum()?.to_bits(), first.to_bits(), "on {device}");
            assert_eq!(lazy(square).sum_axis(0)?.to_host()?, columns, "on {device}");
        }
    }
    Ok(())
}

#[test]
fn sums_of_many_equal_floats_stay_accurate() -> Result<()> {
    for device in devices("sums_of_many_equal_floats_stay_accurate") {
        let len = 10_000_000;
        let sum = f64::from(device.to_device(&vec![0.1f32; len])?.lazy().sum()?);
        let exact = f64::from(0.1f32) * len as f64;
        assert!((sum - exact).abs() / exact < 1e-6, "{sum} is far from {exact} on {device}");
    }
    Ok(())
}

#[test]
fn threads_of_the_host_reduce_at_once() -> Result<()> {
    for device in devices("threads_of_the_host_reduce_at_once") {
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..8usize)
                .map(|worker| {
                    let device = &device;
                    scope.spawn(move || -> Result<()> {
                        let len = 1000 + 40_000 * worker;
                        let x = device.to_device(&vec![worker as u64; len])?;
                        for _ in 0..50 {
                            assert_eq!(x.lazy().sum()?, (worker * len) as u64, "worker {worker} on {device}");
                        }
                        Ok(())
                    })
                })
                .collect();
            workers.into_iter().try_for_each(|worker| worker.join().expect("no worker panics"))
        })?;
    }
    Ok(())
}

/// Fails for one element.
#[vectorize]
fn below_a_million(x: u32) -> u32 {
    assert!(x < 1_000_000, "below a million");
    x
}

#[test]
fn a_failure_is_reported_and_the_next_reduction_works() -> Result<()> {
    for device in devices("a_failure_is_reported_and_the_next_reduction_works") {
        let mut host: Vec<u32> = (0..300_000).map(|i| i % 1000).collect();
        let expected: u32 = host.iter().sum();
        // The first thread of a block, which counts the blocks that are done, and others; one block, and many.
        for (place, len) in [(0, 300_000), (256 * 70, 300_000), (299_999, 300_000), (0, 100), (99, 100)] {
            let before = host[place];
            host[place] = 2_000_000;
            let bad = device.to_device(&host[..len])?;
            for error in [below_a_million::map(&bad).sum().err(), below_a_million::map(&bad).argmin().err()] {
                let message = error.expect("an element fails").to_string();
                assert!(message.contains("below a million"), "{message}");
            }
            host[place] = before;
            assert_eq!(below_a_million::map(&device.to_device(&host)?).sum()?, expected, "after {place} of {len} on {device}");
        }
    }
    Ok(())
}

/// Fails for one element.
#[vectorize]
fn is_odd_below_a_million(x: u32) -> bool {
    assert!(x < 1_000_000, "below a million");
    x % 2 == 1
}

#[test]
fn truth_values_are_zero_or_one_even_where_a_thread_failed() -> Result<()> {
    for device in devices("truth_values_are_zero_or_one_even_where_a_thread_failed") {
        // Leaves bytes in shared memory that are no truth values.
        let noise = device.to_device(&vec![0x5a5a_5a5a_5a5a_5a5a_u64; 1 << 20])?.reshape([1024, 1024])?;
        // Few columns, whose threads hand each other their values, and long rows.
        for (shape, axis) in [([20_000, 3], 0), ([3, 20_000], 1), ([4000, 40], 0), ([400, 40], 0), ([40, 30], 0)] {
            let len = shape.iter().product();
            for place in [0, len / 2, len - 1] {
                let mut host = vec![0u32; len];
                host[place] = 2_000_000;
                let bad = device.to_device(&host)?.reshape(shape)?;
                noise.lazy().max_axis(0)?;
                let flags = is_odd_below_a_million::map(&bad).any_axis(axis)?;
                let message = flags.to_host().expect_err("an element fails").to_string();
                assert!(message.contains("below a million"), "{message}");
                let flags = flags.to_host()?;
                assert!(bytes_of(&flags).iter().all(|&byte| byte <= 1), "{shape:?} along {axis}, {place} on {device}");
            }
        }
    }
    Ok(())
}
