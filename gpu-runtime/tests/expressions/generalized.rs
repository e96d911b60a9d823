//! Functions of small arrays over the leading axes of larger ones, on every device of this machine.
#![deny(warnings)]

use crate::support::devices;
use gpu_runtime::prelude::*;
use gpu_runtime::{Error, Result, Shape};
use half::{bf16, f16};
use num_complex::Complex;

/// A matrix times a vector.
#[guvectorize("(m,n),(n)->(m)")]
fn matvec(a: &[f32], x: &[f32], out: &mut [f32], n: usize) {
    for i in 0..out.len() {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[i * n + k] * x[k];
        }
        out[i] = sum;
    }
}

/// The inner product.
#[guvectorize("(n),(n)->()")]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sum = 0.0;
    for k in 0..x.len() {
        sum += x[k] * y[k];
    }
    sum
}

/// A matrix product.
#[guvectorize("(m,k),(k,n)->(m,n)")]
fn matmul(a: &[i64], b: &[i64], out: &mut [i64], m: usize, n: usize, k: usize) {
    for row in 0..m {
        for column in 0..n {
            let mut sum = 0;
            for i in 0..k {
                sum += a[row * k + i] * b[i * n + column];
            }
            out[row * n + column] = sum;
        }
    }
}

/// The cross product.
#[guvectorize("(3),(3)->(3)")]
fn cross(a: &[i32], b: &[i32], out: &mut [i32]) {
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        out[i] = a[j] * b[k] - a[k] * b[j];
    }
}

/// The least and the greatest element; those of nothing are 0.
#[guvectorize("(n)->(),()")]
fn extremes(x: &[i32]) -> (i32, i32) {
    if x.is_empty() {
        return (0, 0);
    }
    let (mut least, mut greatest) = (x[0], x[0]);
    for i in 1..x.len() {
        least = least.min(x[i]);
        greatest = greatest.max(x[i]);
    }
    (least, greatest)
}

/// Running sums, and the total of what is above a bound: an output of each kind.
#[guvectorize("(n),()->(),(n)")]
fn sums_above(x: &[u32], bound: u32, sums: &mut [u64]) -> u64 {
    let mut total = 0;
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i] as u64;
        sums[i] = sum;
        if x[i] > bound {
            total += x[i] as u64;
        }
    }
    total
}

/// Elements that a flag chooses are scaled.
#[guvectorize("(n),(n),()->(n)")]
fn scaled_where(x: &[f32], chosen: &[bool], factor: f32, out: &mut [f32]) {
    for i in 0..x.len() {
        out[i] = if chosen[i] { x[i] * factor } else { x[i] };
    }
}

/// Whether elements are positive, and how many of them.
#[guvectorize("(n)->(n),()")]
fn positive(x: &[i8], out: &mut [bool], n: usize) -> usize {
    let mut count = 0;
    for i in 0..n {
        out[i] = x[i] > 0;
        if out[i] {
            count += 1;
        }
    }
    count
}

/// The element at an index.
#[guvectorize("(n),()->()")]
fn element(x: &[f32], index: usize) -> f32 {
    x[index]
}

const ELEMENT_LINE: u32 = line!() - 3;

/// `0, 1, 2, …`, with that shape.
/// A struct of several numbers, and with bytes that have no value.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
struct Body {
    mass: f64,
    place: [f32; 3],
    fixed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(u8)]
enum Direction {
    Forward,
    Backward,
}

/// Every kind of operand with a struct: what one body attracts with of all others, and where they are after a step.
#[guvectorize("(n),(),()->(),(n)", fmad = false)]
fn attract(bodies: &[Body], at: Body, direction: Direction, moved: &mut [Body]) -> Body {
    let mut sum = at;
    sum.mass = 0.0;
    let step = match direction {
        Direction::Forward => 1.0,
        Direction::Backward => -1.0,
    };
    for i in 0..bodies.len() {
        let body = bodies[i];
        sum.mass += body.mass;
        moved[i] = body;
        if !body.fixed {
            moved[i].place[0] += step * (at.place[0] - body.place[0]);
        }
    }
    sum
}

/// Samples turned by an angle each, and how large they are together.
#[guvectorize("(n),()->(n),()", fmad = false)]
fn turned(z: &[Complex<f64>], by: Complex<f64>, out: &mut [Complex<f64>]) -> f64 {
    let mut sum = 0.0;
    for i in 0..z.len() {
        out[i] = z[i] * by;
        sum += z[i].norm_sqr();
    }
    sum
}

/// A generic function, of every kind of operand.
#[guvectorize("(n),(n),()->(),(n)", fmad = false)]
fn weighted<T: Num, U: Float>(x: &[T], weights: &[U], offset: T, out: &mut [U], n: usize) -> T {
    let mut sum = offset;
    for i in 0..n {
        sum += x[i];
        out[i] = weights[i] * x[i].cast::<U>();
    }
    sum
}

fn counted(device: &Device, shape: impl Into<Shape>) -> Result<DeviceArray<i64>> {
    let shape = shape.into();
    device.to_device(&(0..shape.checked_len().unwrap() as i64).collect::<Vec<_>>())?.reshape(shape)
}

/// The matrix products of a batch in plain loops: `a` is m × k and `b` k × n, each with the offset of its batch.
fn product(a: &[i64], b: &[i64], [m, k, n]: [usize; 3]) -> Vec<i64> {
    (0..m * n).map(|at| (0..k).map(|i| a[at / n * k + i] * b[i * n + at % n]).sum()).collect()
}

#[test]
fn a_matrix_is_applied_to_each_of_several_vectors() -> Result<()> {
    for device in devices("a_matrix_is_applied_to_each_of_several_vectors") {
        let (m, n, batch) = (150, 100, 10);
        // Sums of small integers are exact.
        let a: Vec<f32> = (0..m * n).map(|i| (i * 7 % 11) as f32 - 5.0).collect();
        let x: Vec<f32> = (0..batch * n).map(|i| (i * 5 % 13) as f32 - 6.0).collect();
        let expected: Vec<f32> = (0..batch * m).map(|at| (0..n).map(|k| a[at % m * n + k] * x[at / m * n + k]).sum()).collect();
        let (a, x) = (device.to_device(&a)?.reshape([m, n])?, device.to_device(&x)?.reshape([batch, n])?);
        let y = matvec::map(&a, &x).collect()?;
        assert_eq!((y.shape(), y.to_host()?), ([batch, m].into(), expected.clone()));
        let mut out = device.zeros::<f32>([batch, m])?;
        matvec::map(&a, &x).collect_into(&mut out)?;
        assert_eq!(out.to_host()?, expected);
        // Views: whose core arrays are contiguous, and whose core arrays are not.
        let mut out = device.zeros::<f32>([2, batch, m])?;
        matvec::map(&a, &x).collect_into(out.view_mut().index_axis(0, 1).reverse_axis(0))?;
        let turned: Vec<f32> = expected.chunks(m).rev().flatten().copied().collect();
        assert_eq!(out.to_host()?, [vec![0.0; batch * m], turned].concat());
        let mut out = device.zeros::<f32>([m, batch])?;
        matvec::map(&a, &x).collect_into(out.view_mut().t())?;
        assert_eq!(out.view().t().to_host()?, expected);
        let mut out = vec![0.0; batch * m];
        matvec::map(&a, &x).collect_into(&mut out)?;
        assert_eq!(out, expected);
        assert!(matvec::map(&a, &x).collect_into(&mut out[1..]).is_err());
        let flat = &mut device.zeros::<f32>(batch * m)?;
        assert!(matches!(matvec::map(&a, &x).collect_into(flat), Err(Error::TargetShape { function: "matvec", .. })));
    }
    Ok(())
}

#[test]
fn an_output_without_core_axes_is_returned() -> Result<()> {
    for device in devices("an_output_without_core_axes_is_returned") {
        let x: Vec<f64> = (0..6 * 7).map(f64::from).collect();
        let y = [1.0, -1.0, 2.0, 0.0, 3.0, 0.5, -2.0];
        let expected: Vec<f64> = x.chunks(7).map(|row| row.iter().zip(&y).map(|(x, y)| x * y).sum()).collect();
        let x = device.to_device(&x)?.reshape([2, 3, 7])?;
        let result = dot::map(&x, &y).collect()?;
        assert_eq!((result.shape(), result.to_host()?), ([2, 3].into(), expected));
        // Without loop axes there is one call.
        assert_eq!(dot::map(&[1.0, 2.0], &[3.0, 4.0]).on(&device).to_host()?, [11.0]);
    }
    Ok(())
}

#[test]
fn loop_axes_broadcast() -> Result<()> {
    for device in devices("loop_axes_broadcast") {
        let [m, k, n] = [2, 4, 3];
        // The loop axes of both, and of the result.
        let cases: [(&[usize], &[usize], &[usize]); 7] = [
            (&[], &[], &[]),
            (&[5], &[5], &[5]),
            (&[], &[5], &[5]),
            (&[5], &[1], &[5]),
            (&[3, 1], &[4], &[3, 4]),
            (&[2, 1, 3], &[4, 1], &[2, 4, 3]),
            (&[2, 3, 2], &[2, 1, 2], &[2, 3, 2]),
        ];
        for (of_a, of_b, of_result) in cases {
            let extents = |loops: &[usize], core: [usize; 2]| [loops, &core].concat();
            let a = counted(&device, Shape::from_extents(&extents(of_a, [m, k])).unwrap())?;
            let b = counted(&device, Shape::from_extents(&extents(of_b, [k, n])).unwrap())?;
            let result = matmul::map(&a, &b).collect()?;
            assert_eq!(result.shape().extents(), extents(of_result, [m, n]));
            let (a, b) = (a.to_host()?, b.to_host()?);
            let calls: usize = of_result.iter().product();
            let expected: Vec<i64> = (0..calls)
                .flat_map(|call| {
                    let (at_a, at_b) = (place(call, of_result, of_a), place(call, of_result, of_b));
                    product(&a[at_a * m * k..][..m * k], &b[at_b * k * n..][..k * n], [m, k, n])
                })
                .collect();
            assert_eq!(result.to_host()?, expected, "{of_a:?} and {of_b:?}");
        }
    }
    Ok(())
}

/// Which core array of an operand with loop axes `of_operand` the call with that number has.
fn place(call: usize, of_result: &[usize], of_operand: &[usize]) -> usize {
    let (mut rest, mut place, mut step) = (call, 0, 1);
    for (axis, &extent) in of_result.iter().rev().enumerate() {
        let at = rest % extent;
        rest /= extent;
        let own = of_operand.iter().rev().nth(axis).copied().unwrap_or(1);
        place += if own == 1 { 0 } else { at * step };
        step *= own;
    }
    place
}

#[test]
fn extents_can_be_fixed() -> Result<()> {
    for device in devices("extents_can_be_fixed") {
        let a = device.to_device(&[1, 0, 0, 0, 1, 0, 1, 2, 3])?.reshape([3, 3])?;
        let result = cross::map(&a, &[0, 1, 0]).collect()?;
        assert_eq!((result.shape(), result.to_host()?), ([3, 3].into(), vec![0, 0, 1, 0, 0, 0, -3, 0, 1]));
        let error = cross::map(&a, &[0, 1]).to_host().unwrap_err().to_string();
        assert!(error.contains("`cross`") && error.contains("must be 3 but is 2"), "{error}");
        // An argument that cannot be computed is an error there too.
        let (a, b) = (device.zeros::<f32>([3, 3])?, device.zeros::<f32>(5)?);
        assert!(matvec::map(gpu_runtime::matmul(&a, &b), &[0.0; 3]).cuda_source().is_err());
    }
    Ok(())
}

#[test]
fn several_outputs_are_several_arrays() -> Result<()> {
    for device in devices("several_outputs_are_several_arrays") {
        let x = device.to_device(&[3, 1, 2, -5, 0, 7, 4, 4, 4])?.reshape([3, 3])?;
        let (least, greatest) = extremes::map(&x).collect()?;
        assert_eq!((least.to_host()?, greatest.to_host()?), (vec![1, -5, 4], vec![3, 7, 4]));
        let (total, sums) = sums_above::map(&[5, 1, 9, 2], &device.to_device(&[0, 4])?.reshape([2])?).collect()?;
        assert_eq!((total.shape(), sums.shape()), ([2].into(), [2, 4].into()));
        assert_eq!((total.to_host()?, sums.to_host()?), (vec![17, 14], vec![5, 6, 15, 17, 5, 6, 15, 17]));
        let (is_positive, count) = positive::map(&device.to_device(&[1i8, -1, 0, 5])?.reshape([2, 2])?).collect()?;
        assert_eq!((is_positive.to_host()?, count.to_host()?), (vec![true, false, false, true], vec![1, 1]));
    }
    Ok(())
}

#[test]
fn an_input_without_core_axes_is_an_element() -> Result<()> {
    for device in devices("an_input_without_core_axes_is_an_element") {
        let (x, chosen) = (device.to_device(&[1.0f32, 2.0, 3.0])?, [true, false, true]);
        assert_eq!(scaled_where::map(&x, &chosen, 10.0).to_host()?, [10.0, 2.0, 30.0]);
        let factors = device.to_device(&[2.0f32, -1.0])?;
        let result = scaled_where::map(&x, &chosen, &factors).collect()?;
        assert_eq!((result.shape(), result.to_host()?), ([2, 3].into(), vec![2.0, 2.0, 6.0, -1.0, 2.0, -3.0]));
    }
    Ok(())
}

#[test]
fn views_of_any_strides_are_arguments() -> Result<()> {
    for device in devices("views_of_any_strides_are_arguments") {
        let stored = counted(&device, [4, 6, 6])?;
        let host = stored.to_host()?;
        let at = |batch: usize, row: usize, column: usize| host[(batch * 6 + row) * 6 + column];
        let cube = stored.view();
        // Core axes that are slices of the array, others that are transposed, reversed, cut out or repeated.
        let every_other = cube.slice_axis_step(0, .., 2);
        let transposed = cube.permute([0, 2, 1]);
        let cut = cube.slice_axis(2, 1..4);
        let reversed = cube.reverse_axis(0);
        let check = |result: Vec<i64>,
                     batches: usize,
                     [m, k, n]: [usize; 3],
                     a: &dyn Fn(usize, usize, usize) -> i64,
                     b: &dyn Fn(usize, usize, usize) -> i64| {
            let expected: Vec<i64> = (0..batches * m * n)
                .map(|i| (i / (m * n), i / n % m, i % n))
                .map(|(batch, row, column)| (0..k).map(|i| a(batch, row, i) * b(batch, i, column)).sum())
                .collect();
            assert_eq!(result, expected);
        };
        check(matmul::map(every_other, every_other).to_host()?, 2, [6; 3], &|b, r, c| at(2 * b, r, c), &|b, r, c| at(2 * b, r, c));
        check(matmul::map(transposed, cube).to_host()?, 4, [6; 3], &|b, r, c| at(b, c, r), &at);
        check(matmul::map(reversed, cut).to_host()?, 4, [6, 6, 3], &|b, r, c| at(3 - b, r, c), &|b, r, c| at(b, r, c + 1));
        let one = cube.index_axis(0, 1);
        check(matmul::map(one.t(), cube).to_host()?, 4, [6; 3], &|_, r, c| at(1, c, r), &at);
    }
    Ok(())
}

#[test]
fn arrays_of_the_host_are_arguments() -> Result<()> {
    for device in devices("arrays_of_the_host_are_arguments") {
        let rows = ndarray::array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
        assert_eq!(dot::map(&rows, &vec![1.0, 10.0]).on(&device).to_host()?, [21.0, 43.0, 65.0]);
        assert_eq!(dot::map(&rows.t(), &[1.0; 3]).on(&device).to_host()?, [9.0, 12.0]);
        let on_device = device.to_device(&[1.0, 0.0])?;
        assert_eq!(dot::map(&rows, &on_device).to_host()?, [1.0, 3.0, 5.0]);
    }
    Ok(())
}

#[test]
fn lazy_arrays_are_arguments() -> Result<()> {
    for device in devices("lazy_arrays_are_arguments") {
        let x = device.to_device(&[0.5f32, 1.5, 2.5, 3.5])?;
        assert_eq!(element::map(&x, iota(4)).to_host()?, [0.5, 1.5, 2.5, 3.5]);
        let indices = iota([2, 2]);
        assert_eq!(element::map(&x, indices).to_host()?, [0.5, 1.5, 2.5, 3.5]);
        assert_eq!(element::map(&x, indices).collect()?.shape(), [2, 2]);
    }
    Ok(())
}

#[test]
fn nothing_is_computed_of_nothing() -> Result<()> {
    for device in devices("nothing_is_computed_of_nothing") {
        // An empty loop.
        let y = matvec::map(&device.zeros::<f32>([0, 2, 3])?, &device.zeros::<f32>(3)?).collect()?;
        assert_eq!((y.shape(), y.len()), ([0, 2].into(), 0));
        // Empty core arrays as inputs.
        let y = matvec::map(&device.zeros::<f32>([4, 2, 0])?, &device.zeros::<f32>(0)?).collect()?;
        assert_eq!((y.shape(), y.to_host()?), ([4, 2].into(), vec![0.0; 8]));
        let (least, greatest) = extremes::map(&device.zeros::<i32>([2, 0])?).collect()?;
        assert_eq!((least.to_host()?, greatest.to_host()?), (vec![0; 2], vec![0; 2]));
        let empty: &[f64] = &[];
        assert_eq!(dot::map(empty, empty).on(&device).to_host()?, [0.0]);
        // Empty core arrays as outputs, more of them than anything could loop over.
        let endless = device.zeros::<f32>([1 << 40, 0])?;
        assert_eq!(scaled_where::map(&endless, &device.zeros::<bool>(0)?, 1.0).collect()?.shape(), [1 << 40, 0]);
    }
    Ok(())
}

#[test]
fn shapes_that_do_not_fit_are_named() -> Result<()> {
    for device in devices("shapes_that_do_not_fit_are_named") {
        let a = device.zeros::<f32>([2, 3])?;
        let error = matvec::map(&a, &[1.0; 4]).collect().map(drop).unwrap_err();
        assert!(matches!(error, Error::Signature { function: "matvec", signature: "(m,n),(n)->(m)", .. }), "{error:?}");
        let error = error.to_string();
        assert!(error.contains("`n` is 3 in `a` of shape (2, 3), but 4 in `x` of shape (4,)"), "{error}");
        let error = matvec::map(a.slice(..), &[1.0; 6]).to_host().unwrap_err().to_string();
        assert!(error.contains("`a` has shape (6,), but needs at least 2 axes for (m,n)"), "{error}");
        let (many, few) = (device.zeros::<f32>([5, 2, 3])?, device.zeros::<f32>([4, 3])?);
        assert!(matches!(matvec::map(&many, &few).to_host(), Err(Error::BroadcastMismatch { function: "matvec", .. })));
        let (seven, plane) = (device.zeros::<i64>([1; 7])?, device.zeros::<i64>([1; 2])?);
        assert_eq!(matmul::map(&seven, &plane).collect()?.shape(), [1; 7]);
        let many_axes = ndarray::ArrayD::<i64>::zeros(vec![1; 8]);
        assert!(matches!(matmul::map(&many_axes, &plane).to_host(), Err(Error::ResultTooManyAxes { function: "matmul", rank: 8, .. })));
    }
    Ok(())
}

#[test]
fn structs_enums_and_complex_numbers_are_elements() -> Result<()> {
    for device in devices("structs_enums_and_complex_numbers_are_elements") {
        let host: Vec<Body> = (0..6).map(|i| Body { mass: 0.5 * f64::from(i), place: [i as f32, 1.0, 2.0], fixed: i % 3 == 0 }).collect();
        let bodies = device.to_device(&host)?.reshape([2, 3])?;
        let at = device.to_device(&[host[5], host[0]])?;
        let check = |direction: Direction, (sums, moved): (DeviceArray<Body>, DeviceArray<Body>)| -> Result<()> {
            let (sums, moved) = (sums.to_host()?, moved.to_host()?);
            for row in 0..2 {
                let mut expected = host[3 * row..][..3].to_vec();
                let sum = attract(&host[3 * row..][..3], [host[5], host[0]][row], direction, &mut expected);
                assert_eq!((sums[row], &moved[3 * row..][..3]), (sum, &expected[..]), "{direction:?} on {device}");
            }
            Ok(())
        };
        for direction in [Direction::Forward, Direction::Backward] {
            check(direction, attract::map(&bodies, &at, direction).collect()?)?;
        }
        // Copies: core axes that are no slice, and arrays of the host.
        let twice = device.to_device(&[host[0], host[3], host[1], host[4], host[2], host[5]])?.reshape([3, 2])?;
        check(Direction::Forward, attract::map(twice.view().t(), &[host[5], host[0]], Direction::Forward).collect()?)?;

        let z =
            device.to_device(&[Complex::new(1.0, 2.0), Complex::new(0.0, -1.0), Complex::new(3.0, 0.5), Complex::I])?.reshape([2, 2])?;
        let (out, sums) = turned::map(&z, Complex::I).collect()?;
        let expected = [Complex::new(-2.0, 1.0), Complex::new(1.0, 0.0), Complex::new(-0.5, 3.0), Complex::new(-1.0, 0.0)];
        assert_eq!((out.to_host()?, sums.to_host()?), (expected.to_vec(), vec![6.0, 10.25]));
        // An expression of complex numbers is an argument.
        let (out, _) = turned::map(&z * Complex::I, -Complex::I).collect()?;
        assert_eq!(out.to_host()?, z.to_host()?);
    }
    Ok(())
}

#[test]
fn a_generic_function_takes_elements_of_any_type() -> Result<()> {
    for device in devices("a_generic_function_takes_elements_of_any_type") {
        let x = device.to_device(&[1u8, 2, 250, 7])?.reshape([2, 2])?;
        let (sums, out) = weighted::map(&x, &[0.5f32, 0.25], 3).collect()?;
        assert_eq!((sums.to_host()?, out.to_host()?), (vec![6, 4], vec![0.5, 0.5, 125.0, 1.75]), "{device}");
        let half = |x: f32| f16::from_f32(x);
        let (sums, out) = weighted::map(&device.to_device(&[2.5, -1.5])?, &[half(1.0), half(3.0)], 1.0).collect()?;
        assert_eq!((sums.to_host()?, out.to_host()?), (vec![2.0], vec![half(2.5), half(-4.5)]), "{device}");
        let (sums, out) = weighted::map(&device.to_device(&[bf16::ONE; 2])?, &[0.5f64, 0.25], bf16::ZERO).collect()?;
        assert_eq!((sums.to_host()?, out.to_host()?), (vec![bf16::from_f32(2.0)], vec![0.5, 0.25]), "{device}");
    }
    let mut out = [0.0; 2];
    assert_eq!((weighted(&[1i64, 2], &[0.5, 0.25], 0, &mut out, 2), out), (3, [0.5, 0.5]));
    Ok(())
}

#[test]
fn a_failure_inside_names_the_function_and_the_line() -> Result<()> {
    for device in devices("a_failure_inside_names_the_function_and_the_line") {
        let x = device.to_device(&[1.0f32, 2.0])?;
        let indices = device.to_device(&[0usize, 1, 9, 1])?;
        let Err(Error::KernelFailed(failure)) = element::map(&x, &indices).to_host() else { panic!("index 9 is out of bounds") };
        let text = failure.to_string();
        assert!(text.contains("`element`") && text.contains(&format!("generalized.rs:{ELEMENT_LINE}")), "{text}");
        assert!(text.contains('9') && text.contains('2'), "{text}");
        // The device goes on.
        assert_eq!(element::map(&x, 1).to_host()?, [2.0]);
    }
    Ok(())
}

#[test]
fn the_function_is_an_ordinary_one_on_the_host_and_in_kernels() -> Result<()> {
    #[gpu_kernel]
    fn products(x: &[f64], out: &mut [f64]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = dot(x, x) * i as f64;
        }
    }
    assert_eq!(dot(&[1.0, 2.0], &[3.0, 4.0]), 11.0);
    let mut out = [0; 3];
    cross(&[1, 0, 0], &[0, 1, 0], &mut out);
    assert_eq!(out, [0, 0, 1]);
    assert_eq!(extremes(&[4, -1]), (-1, 4));
    for device in devices("the_function_is_an_ordinary_one_on_the_host_and_in_kernels") {
        let mut out = device.zeros::<f64>(3)?;
        products(&device.to_device(&[1.0, 2.0])?, &mut out).forall(3)?;
        assert_eq!(out.to_host()?, [0.0, 5.0, 10.0]);
    }
    Ok(())
}

#[test]
fn expansions_need_no_names_in_scope() -> Result<()> {
    #[allow(non_camel_case_types, dead_code)]
    mod shadowed {
        #![no_implicit_prelude]
        struct f32;
        struct usize;
        struct Option;
        struct Result;

        /// Its parameters are called like what is generated.
        #[::gpu_runtime::guvectorize("(n),()->(n)", fmad = false, crate = ::gpu_runtime)]
        pub(super) fn gpu_device(gpu_device: &[i32], map: i32, out: &mut [i32]) {
            for i in 0..out.len() {
                out[i] = gpu_device[i] + map;
            }
        }
    }
    assert_eq!(shadowed::gpu_device::map(&[1, 2], 10).on(&Device::cpu()).to_host()?, [11, 12]);
    Ok(())
}
