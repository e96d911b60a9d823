//! Scattered updates and reductions by key, with functions of every kind, against plain loops.

use gpu_runtime::functions::{add, max, maximum, min, minimum, mul, sub};
use gpu_runtime::prelude::*;
use gpu_runtime::{Error, Result};
use half::f16;

use super::scrambled;
use super::support::devices;

/// Numbers of values, and how their indices are chosen among so many elements.
const LENGTHS: [usize; 7] = [0, 1, 31, 33, 1000, 1025, 100_003];

/// All to one element, to few, to many, and in order.
fn indices(len: usize) -> [(usize, Vec<u32>); 5] {
    let scattered = |below: usize| (0..len).map(|i| scrambled(i, below) as u32).collect();
    [
        (1, vec![0; len]),
        (7, vec![6; len]),
        (6, scattered(6)),
        (5000, scattered(5000)),
        (3000, (0..len).map(|i| (i / 40 % 3000) as u32).collect()),
    ]
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Group {
    sum: f64,
    min: f32,
    count: u32,
}

const NONE: Group = Group { sum: 0.0, min: f32::INFINITY, count: 0 };

#[vectorize]
fn single(x: f32) -> Group {
    Group { sum: x as f64, min: x, count: 1 }
}

#[reduce]
fn merge(a: Group, b: Group) -> Group {
    Group { sum: a.sum + b.sum, min: a.min.min(b.min), count: a.count + b.count }
}

/// A function of whole numbers, x ↦ scale · x + offset.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Line {
    scale: u32,
    offset: u32,
}

/// One after the other: associative, but not commutative.
#[reduce(identity = Line { scale: 1, offset: 0 })]
fn then(a: Line, b: Line) -> Line {
    Line { scale: a.scale.wrapping_mul(b.scale), offset: a.offset.wrapping_mul(b.scale).wrapping_add(b.offset) }
}

/// Neither.
#[vectorize]
fn mixed(a: u64, b: u64) -> u64 {
    (a ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7)
}

#[vectorize]
fn last(_a: u8, b: u8) -> u8 {
    b
}

#[reduce]
fn parity(a: bool, b: bool) -> bool {
    a != b
}

/// An element of 264 bytes, more than reductions combine.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Large {
    parts: [u64; 33],
}

#[vectorize]
fn sums(a: Large, b: Large) -> Large {
    let mut parts = a.parts;
    for k in 0..33 {
        parts[k] = parts[k].wrapping_add(b.parts[k]);
    }
    Large { parts }
}

/// Whether a number is NaN, of any type.
fn is_nan<T: PartialOrd>(x: &T) -> bool {
    x.partial_cmp(x).is_none()
}

/// Updates as a loop makes them.
fn expected<T: Copy>(start: &[T], indices: &[u32], values: &[T], f: impl Fn(T, T) -> T) -> Vec<T> {
    let mut target = start.to_vec();
    for (&index, &value) in indices.iter().zip(values) {
        let element = &mut target[index as usize];
        *element = f(*element, value);
    }
    target
}

#[test]
fn structs_are_updated_at_indices_of_any_kind() -> Result<()> {
    for device in devices("structs_are_updated_at_indices_of_any_kind") {
        for (len, (elements, indices)) in LENGTHS.into_iter().flat_map(|len| indices(len).map(|indices| (len, indices))) {
            let keys = device.to_device(&indices)?;
            let numbers: Vec<f32> = (0..len).map(|i| scrambled(i, 1000) as f32).collect();
            let mut groups = device.full(elements, NONE)?;
            merge::at(&mut groups, &keys, single::map(&device.to_device(&numbers)?))?;
            let of_numbers: Vec<Group> = numbers.iter().map(|&x| Group { sum: x.into(), min: x, count: 1 }).collect();
            let both = |a: Group, b: Group| Group { sum: a.sum + b.sum, min: a.min.min(b.min), count: a.count + b.count };
            assert_eq!(groups.to_host()?, expected(&vec![NONE; elements], &indices, &of_numbers, both), "{len} to {elements}");

            let lines: Vec<Line> = (0..len).map(|i| Line { scale: 2 * i as u32 + 3, offset: scrambled(i, 99) as u32 }).collect();
            let start = Line { scale: 5, offset: 7 };
            let follow = |a: Line, b: Line| Line {
                scale: a.scale.wrapping_mul(b.scale),
                offset: a.offset.wrapping_mul(b.scale).wrapping_add(b.offset),
            };
            let mut composed = device.full(elements, start)?;
            then::at(&mut composed, &keys, &device.to_device(&lines)?)?;
            assert_eq!(composed.to_host()?, expected(&vec![start; elements], &indices, &lines, follow), "{len} to {elements}");
            let reduced = then::reduce_by(&device.to_device(&lines)?, &keys, elements)?;
            let identity = Line { scale: 1, offset: 0 };
            assert_eq!(reduced.to_host()?, expected(&vec![identity; elements], &indices, &lines, follow), "{len} to {elements}");
        }
        let many = (0..1000).map(|i| Large { parts: std::array::from_fn(|k| (i * k) as u64) }).collect::<Vec<_>>();
        let mut large = device.zeros::<Large>(3)?;
        let keys: Vec<u32> = (0..1000).map(|i| scrambled(i, 3) as u32).collect();
        sums::at(&mut large, &device.to_device(&keys)?, &device.to_device(&many)?)?;
        let zero = Large { parts: [0; 33] };
        let add = |a: Large, b: Large| Large { parts: std::array::from_fn(|k| a.parts[k] + b.parts[k]) };
        assert_eq!(large.to_host()?, expected(&[zero; 3], &keys, &many, add));
    }
    Ok(())
}

#[test]
fn functions_that_are_not_associative_update_in_order() -> Result<()> {
    for device in devices("functions_that_are_not_associative_update_in_order") {
        for (len, (elements, indices)) in LENGTHS.into_iter().flat_map(|len| indices(len).map(|indices| (len, indices))) {
            let keys = device.to_device(&indices)?;
            let values: Vec<u64> = (0..len).map(|i| scrambled(i, 1 << 20) as u64).collect();
            let mut target = device.full(elements, 1u64)?;
            mixed::at(&mut target, &keys, &device.to_device(&values)?)?;
            let mix = |a: u64, b: u64| (a ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7);
            assert_eq!(target.to_host()?, expected(&vec![1; elements], &indices, &values, mix), "{len} to {elements}");

            let bytes: Vec<u8> = values.iter().map(|&value| value as u8).collect();
            let mut target = device.full(elements, 9u8)?;
            last::at(&mut target, &keys, &device.to_device(&bytes)?)?;
            assert_eq!(target.to_host()?, expected(&vec![9; elements], &indices, &bytes, |_, b| b), "{len} to {elements}");
        }
    }
    Ok(())
}

#[test]
fn ready_made_functions_update_as_in_a_loop() -> Result<()> {
    for device in devices("ready_made_functions_update_as_in_a_loop") {
        macro_rules! check {
            ($T:ty, $start:expr, $element:expr; $($function:ident $loop:expr),*) => {$(
                for (len, (elements, indices)) in [0, 1, 33, 5003].into_iter().flat_map(|len| indices(len).map(|indices| (len, indices))) {
                    let element: fn(usize) -> $T = $element;
                    let values: Vec<$T> = (0..len).map(element).collect();
                    let mut target = device.full(elements, $start)?;
                    $function::at(&mut target, &device.to_device(&indices)?, &device.to_device(&values)?)?;
                    let expected = expected(&vec![$start; elements], &indices, &values, $loop);
                    let found = target.to_host()?;
                    let same = found.iter().zip(&expected).all(|(a, b)| a == b || is_nan(a) && is_nan(b));
                    assert!(same, "{} of {}, {len} to {elements}: {found:?}, not {expected:?}", stringify!($function), stringify!($T));
                }
            )*};
        }
        check! { i32, 3, |i| scrambled(i, 1 << 20) as i32 - 5000;
        add i32::wrapping_add, sub i32::wrapping_sub, mul i32::wrapping_mul, min i32::min, max i32::max }
        check! { u64, 3, |i| (scrambled(i, 1 << 30) as u64) << 20; add u64::wrapping_add, sub u64::wrapping_sub, minimum u64::min }
        check! { i8, 3, |i| scrambled(i, 256) as i8; add i8::wrapping_add, mul i8::wrapping_mul, max i8::max }
        check! { f16, f16::ONE, |i| f16::from_f32(scrambled(i, 16) as f32 - 8.0); maximum f16::max, minimum f16::min }
        // Without NaN, with it at times, and with an element that is NaN.
        check! { f32, 0.5, |i| scrambled(i, 1000) as f32 - 500.0; max f32::max, min f32::min, maximum f32::max, minimum f32::min, sub |a, b| a - b }
        check! { f64, -0.0, |i| -(scrambled(i, 1000) as f64); max f64::max, min f64::min, maximum f64::max, minimum f64::min }
        let propagating = |pick: fn(f32, f32) -> f32| move |a: f32, b: f32| if a.is_nan() || b.is_nan() { f32::NAN } else { pick(a, b) };
        let sometimes: fn(usize) -> f32 = |i| if i % 7 == 3 { f32::NAN } else { scrambled(i, 1000) as f32 - 500.0 };
        check! { f32, 1.0, sometimes; max f32::max, min f32::min, maximum propagating(f32::max), minimum propagating(f32::min) }
        check! { f32, f32::NAN, sometimes; max f32::max, min f32::min, maximum propagating(f32::max), minimum propagating(f32::min) }
        check! { f32, -f32::NAN, |i| i as f32 - 20.0; max f32::max, min f32::min, maximum propagating(f32::max), minimum propagating(f32::min) }
        check! { f64, f64::NAN, |i| 20.0 - i as f64; max f64::max, min f64::min, maximum |_, _| f64::NAN, minimum |_, _| f64::NAN }
    }
    Ok(())
}

#[test]
fn groups_are_reduced_by_own_functions() -> Result<()> {
    for device in devices("groups_are_reduced_by_own_functions") {
        for (len, (elements, indices)) in LENGTHS.into_iter().flat_map(|len| indices(len).map(|indices| (len, indices))) {
            let (keys, flags) = (device.to_device(&indices)?, (0..len).map(|i| scrambled(i, 2) == 1).collect::<Vec<bool>>());
            let found = parity::reduce_by(&device.to_device(&flags)?, &keys, elements);
            let empty = (0..elements).find(|&group| !indices.contains(&(group as u32)));
            match (found, empty) {
                (Ok(found), None) => {
                    assert_eq!(found.to_host()?, expected(&vec![false; elements], &indices, &flags, |a, b| a != b), "{len} to {elements}");
                }
                (Err(Error::EmptyGroup { function: "parity", group, .. }), Some(empty)) => assert_eq!(group, empty, "{len} to {elements}"),
                (found, empty) => panic!("{found:?} and {empty:?}, {len} to {elements}"),
            }
        }
        let x = device.to_device(&[2.5f32, -1.0, 4.0, 8.0])?;
        let groups = merge::reduce_by(single::map(&x), &device.to_device(&[1i64, 0, 1, 1])?, 2)?.to_host()?;
        assert_eq!(groups, [Group { sum: -1.0, min: -1.0, count: 1 }, Group { sum: 14.5, min: 2.5, count: 3 }]);
        // One key for all values, one value for all keys.
        assert_eq!(merge::reduce_by(single::map(&x), 0u8, 1)?.to_host()?[0].count, 4);
        assert_eq!(then::reduce_by(Line { scale: 2, offset: 1 }, &device.to_device(&[1u32, 1, 1])?, 2)?.to_host()?[1].offset, 7);
        let past = merge::reduce_by(single::map(&x), &device.to_device(&[0u32, 1, 2, 1])?, 2);
        assert!(matches!(past.and_then(|groups| groups.to_host()), Err(Error::KernelFailed(_))));
        let negative = then::reduce_by(Line { scale: 2, offset: 1 }, &device.to_device(&[0i32, -1])?, 2);
        assert!(matches!(negative.and_then(|groups| groups.to_host()), Err(Error::KernelFailed(_))));
        let mismatched = merge::reduce_by(single::map(&x), &device.to_device(&[0u32, 1, 2])?, 3);
        assert!(matches!(mismatched, Err(Error::BroadcastMismatch { .. })));
    }
    Ok(())
}

#[test]
fn a_zero_that_is_subtracted_keeps_the_sign_of_zero() -> Result<()> {
    for device in devices("a_zero_that_is_subtracted_keeps_the_sign_of_zero") {
        let mut target = device.to_device(&[-0.0f32, -0.0, 0.0])?;
        sub::at(&mut target, &[0u32, 1, 2], &[0.0f32, -0.0, 0.0])?;
        assert_eq!(target.to_host()?.iter().map(|x| x.is_sign_negative()).collect::<Vec<_>>(), [true, false, false], "{device}");
    }
    Ok(())
}

#[reduce]
fn larger(a: u16, b: u16) -> u16 {
    assert!(b < 60_000, "a value is too large");
    a.max(b)
}

/// On a GPU, threads that fail leave nothing to the next launch, which must not take what was in memory before for it.
#[test]
fn updates_that_fail_change_no_other_element() -> Result<()> {
    for device in devices("updates_that_fail_change_no_other_element") {
        // What the memory of the partial results had before.
        let dirty = || (0..4).try_for_each(|_| [16, 64, 256, 4096].iter().try_for_each(|&len| device.full(len, u32::MAX / 3).map(drop)));
        for pairs in [64, 65, 1000, 5000] {
            let elements = pairs / 4;
            let indices: Vec<u32> =
                (0..pairs).map(|i| ((i + 2) / 4) as u32).map(|i| if i as usize >= elements { u32::MAX } else { i }).collect();
            dirty()?;
            let mut target = device.full(elements, 1.0f32)?;
            mul::at(&mut target, &indices, &vec![2.0f32; pairs])?;
            let message = target.to_host().unwrap_err().to_string();
            assert!(message.contains("is out of bounds for length"), "{message}");
            let found = target.to_host()?;
            assert!(found.iter().all(|product| [1.0, 2.0, 4.0, 8.0, 16.0].contains(product)), "{found:?} on {device}");
            // The function fails in one thread, and others have values.
            dirty()?;
            let mut values = vec![7u16; pairs];
            values[pairs - 2] = 60_001;
            let sorted: Vec<u32> = indices.iter().map(|&index| index.min(elements as u32 - 1)).collect();
            let failed = larger::reduce_by(&device.to_device(&values)?, &sorted, elements).and_then(|groups| groups.to_host());
            assert!(failed.unwrap_err().to_string().contains("a value is too large"));
        }
        // Nothing else was written, and the device works.
        let mut target = device.full(3, 1u32)?;
        mul::at(&mut target, &vec![1u32; 100], &vec![3u32; 100])?;
        assert_eq!(target.to_host()?, [1, 3u32.wrapping_pow(100), 1]);
    }
    Ok(())
}
