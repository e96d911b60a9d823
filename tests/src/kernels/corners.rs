//! Corners of the language that random programs have found: each was refused or wrong once.

use std::sync::atomic::{AtomicU32, Ordering};

use gpu_runtime::prelude::*;

use crate::bench::{Bench, view, view_mut};
use crate::{cases, launch};

cases![
    alternatives_of_a_let_keep_their_parentheses,
    an_element_whose_index_writes_begins_a_value,
    integers_in_fields_and_generic_functions_are_checked,
    arrays_in_fields_have_the_type_of_the_field,
    a_variant_is_matched_where_it_is_named,
    an_array_is_evaluated_once_however_often_it_is_needed,
    elements_of_views_are_places,
    a_loop_over_elements_captures_no_name,
    a_guard_is_tried_for_each_way_in_which_its_pattern_matches,
    attributes_may_stand_in_the_body,
    ranges_contain_values_and_written_arrays_are_indexed,
    std_bounds_may_stand_beside_device_type,
];

/// Alternatives that are all of a pattern of `let … else`.
#[gpu_kernel]
pub fn alternatives(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i >= x.len() || i >= out.len() {
        return;
    }
    let (1 | 2..=5) = x[i] else {
        out[i] = -1;
        return;
    };
    let ((n, 0) | (0, n)) = (x[i] - 1, x[i] % 2) else {
        out[i] = -2;
        return;
    };
    out[i] = n;
}

fn alternatives_of_a_let_keep_their_parentheses(bench: &Bench) {
    let x: Vec<i32> = (0..7).collect();
    let mut out = vec![0; 7];
    launch!(bench, alternatives(&x, &mut out), 1, 8);
    assert_eq!(out, [-1, 1, 1, -2, 3, -2, -1]);
}

/// Casts of elements at the end of a block, where their indices change something.
#[gpu_kernel]
pub fn casts(counts: &mut [u32], a: ViewMut<f32, 2>, out: &mut [i64]) {
    let i = grid_1d();
    if i >= out.len() || i >= counts.len() {
        return;
    }
    let from_slice = {
        counts[i] += 1;
        counts[{
            counts[i] += 4;
            i
        }] as i64
    };
    let from_view = if counts[i] > 0 {
        counts[i] += 10;
        a[[i, {
            a[[i, 1]] += 0.75;
            1
        }]] as i64
    } else {
        0
    };
    out[i] = from_slice * 100 + from_view;
}

fn an_element_whose_index_writes_begins_a_value(bench: &Bench) {
    let (mut counts, mut a, mut out) = (vec![0, 7], vec![0.0f32, 1.5, 0.0, 2.75], vec![0; 2]);
    launch!(bench, casts(&mut counts, view_mut(&mut a, [2, 2]), &mut out), 1, 2);
    assert_eq!((counts, a, out), (vec![15, 22], vec![0.0, 2.25, 0.0, 3.5], vec![502, 1203]));
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Account {
    cents: i8,
    days: u16,
}

/// The sum of products, or nothing.
#[gpu_device]
fn checked_dot<T: Integer>(a: T, b: T, c: T, d: T) -> T {
    match (a.checked_mul(b), c.checked_mul(d)) {
        (Some(x), Some(y)) => x.checked_add(y).unwrap_or(T::MAX),
        _ => T::ZERO,
    }
}

/// `checked_…` where the attribute does not see the type.
#[gpu_kernel]
pub fn accounts(accounts: &[Account], out: &mut [i32]) {
    let i = grid_1d();
    if i >= accounts.len() || i >= out.len() {
        return;
    }
    let account = accounts[i];
    let doubled: i8 = account.cents.checked_mul(2).unwrap_or(-1);
    let negative: i8 = account.cents.checked_neg().unwrap_or(1);
    let shifted: u16 = account.days.checked_shl(account.days as u32).unwrap_or(9);
    let share: u16 = match account.days.checked_rem(account.days - 3) {
        Some(rest) => rest,
        None => 77,
    };
    let dot = checked_dot::<i8>(account.cents, 3, account.cents, 2) as i32;
    out[i] = doubled as i32 + 1000 * negative as i32 + shifted as i32 + share as i32 + dot * 1_000_000;
}

fn integers_in_fields_and_generic_functions_are_checked(bench: &Bench) {
    let data = [(10, 3), (100, 16), (i8::MIN, 4), (30, 15)];
    let given: Vec<Account> = data.iter().map(|&(cents, days)| Account { cents, days }).collect();
    let mut out = vec![0; 4];
    launch!(bench, accounts(&given, &mut out), 1, 4);
    let expected = data.iter().map(|&(cents, days): &(i8, u16)| {
        let shifted = if days < 16 { i32::from(days << days) } else { 9 };
        let share = if days == 3 { 77 } else { i32::from(days % (days - 3)) };
        let doubled = cents.checked_mul(2).map_or(-1, i32::from);
        let negative = cents.checked_neg().map_or(1, i32::from);
        let products = (i32::from(cents) * 3, i32::from(cents) * 2);
        let fits = |n: i32| (-128..=127).contains(&n);
        let dot = match products {
            (a, b) if !fits(a) || !fits(b) => 0,
            (a, b) if !fits(a + b) => 127,
            (a, b) => a + b,
        };
        doubled + 1000 * negative + shifted + share + dot * 1_000_000
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Frame {
    origin: [f32; 2],
    axes: [[i16; 2]; 2],
}

/// Literals in arrays without a suffix, of the types that the fields have.
#[gpu_kernel(fmad = false)]
pub fn frames(out: &mut [Frame]) {
    let i = grid_1d();
    if i >= out.len() {
        return;
    }
    let frame = Frame { origin: [0.1, -2.5], axes: [[1, -1]; 2] };
    let mut moved: Frame = Frame { axes: [[3, 4], [5, 6]], ..frame };
    if i == 1 {
        moved.origin = [16_777_217.0; 2];
        moved.axes[1] = [-32_768, 7];
    }
    out[i] = if i == 2 { frame } else { moved };
}

fn arrays_in_fields_have_the_type_of_the_field(bench: &Bench) {
    let mut out = vec![Frame { origin: [0.0; 2], axes: [[0; 2]; 2] }; 3];
    launch!(bench, frames(&mut out), 1, 3);
    let first = Frame { origin: [0.1, -2.5], axes: [[3, 4], [5, 6]] };
    let second = Frame { origin: [16_777_216.0; 2], axes: [[3, 4], [-32_768, 7]] };
    assert_eq!(out, [first, second, Frame { origin: [0.1, -2.5], axes: [[1, -1]; 2] }]);
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(u8)]
pub enum Signal {
    Stop,
    Go { speed: u16 },
}

/// Variants without data that are matched at once.
#[gpu_kernel]
pub fn signals(x: &[u16], out: &mut [u16]) {
    let i = grid_1d();
    if i >= x.len() || i >= out.len() {
        return;
    }
    let now = match Signal::Stop {
        Signal::Go { speed } => speed,
        Signal::Stop if x[i] > 1 => 1,
        Signal::Stop => 2,
    };
    out[i] = match (Signal::Stop, Signal::Go { speed: x[i] }) {
        (Signal::Stop, Signal::Go { speed: 7 }) => 70,
        (Signal::Go { speed }, _) | (_, Signal::Go { speed }) => 10 * speed + now,
        (Signal::Stop, Signal::Stop) => 0,
    };
}

fn a_variant_is_matched_where_it_is_named(bench: &Bench) {
    let mut out = vec![0; 4];
    launch!(bench, signals(&vec![7, 0, 1, 2], &mut out), 1, 4);
    assert_eq!(out, [70, 2, 12, 21]);
}

const TABLE: [[i64; 2]; 3] = [[1, 2], [3, 4], [5, 6]];

#[gpu_device]
fn counted(x: &mut [i64]) -> Frame {
    x[0] += 100;
    Frame { origin: [x[0] as f32, 1.0], axes: [[7, 8]; 2] }
}

/// Elements of what has an effect when it is evaluated: rows, fields of elements, results.
#[gpu_kernel]
pub fn effects(x: &mut [i64], frames: &[Frame], out: &mut [f32]) {
    if grid_1d() > 0 {
        return;
    }
    let row = TABLE[{
        x[0] += 1;
        2
    }][1] as f32;
    let field = frames[{
        x[0] += 10;
        1
    }]
    .axes[0][1] as f32;
    let made = ({
        let made: Frame = counted(x);
        made
    })
    .origin[0];
    out[0] = row;
    out[1] = field;
    out[2] = made;
}

fn an_array_is_evaluated_once_however_often_it_is_needed(bench: &Bench) {
    let frame = |n: i16| Frame { origin: [0.0; 2], axes: [[n, n + 1]; 2] };
    let (mut x, mut out) = (vec![0], vec![0.0; 3]);
    launch!(bench, effects(&mut x, &vec![frame(1), frame(3)], &mut out), 1, 1);
    assert_eq!((x, out), (vec![111], vec![6.0, 4.0, 111.0]));
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Tally {
    hits: [u32; 4],
    sum: u32,
}

#[gpu_device]
impl Tally {
    fn add(&mut self, n: u32) {
        self.sum += n;
    }
}

/// Elements of views that are changed by methods, and whose indices have changed when they are used.
#[gpu_kernel]
pub fn tally(seen: View<Tally, 1>, rows: View<u32, 1>, counts: View<AtomicU32, 1>, tallies: ViewMut<Tally, 2>) {
    let (x, y) = grid_2d();
    if y >= tallies.shape()[0] || x >= tallies.shape()[1] {
        return;
    }
    tallies[[y, x]].add(5);
    Tally::add(&mut tallies[[y, x]], rows[[x]]);
    let mut i = x;
    counts[[i]].fetch_add(
        {
            i += 1 << 40;
            2
        },
        Ordering::Relaxed,
    );
    let mut k = x;
    tallies[[y, x]].hits[2] += seen[[k]].hits[{
        k += 1 << 40;
        1
    }];
    tallies[[y, x]].sum += seen[[{
        tallies[[y, x]].sum += 100;
        x
    }]]
    .hits
    .len() as u32;
}

fn elements_of_views_are_places(bench: &Bench) {
    let tally_of = |n: u32| Tally { hits: [0, n, 0, 0], sum: 0 };
    let (seen, rows) = ((0..3).map(|x| tally_of(x + 7)).collect::<Vec<_>>(), vec![10, 20, 30]);
    let (mut counts, mut tallies) = (vec![0u32; 3], vec![tally_of(1); 6]);
    launch!(bench, tally(view(&seen, 3), view(&rows, 3), view_mut(&mut counts, 3), view_mut(&mut tallies, [2, 3])), (1, 1), (4, 2));
    assert_eq!(counts, [4; 3]);
    for (at, tally) in tallies.iter().enumerate() {
        let x = at as u32 % 3;
        assert_eq!(*tally, Tally { hits: [0, 1, x + 7, 0], sum: 5 + 10 * (x + 1) + 104 }, "{at}");
    }
}

#[gpu_device]
fn index(i: usize) -> usize {
    i / 2
}

/// Loops whose patterns have the names of what they run over, and names that a translation could make up.
#[gpu_kernel]
pub fn rows(columns: &[usize], values: &[f64], x: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i >= out.len() {
        return;
    }
    let (skip, element) = (1, 0.5);
    let mut sum = 0.0;
    for (&index, &value) in columns.iter().zip(values) {
        sum += value * x[index];
    }
    for (&values, &x) in x.iter().zip(values).skip(skip + i) {
        sum += 100.0 * values + x + element;
    }
    for (index, &columns) in columns.iter().enumerate() {
        sum += index as f64 * columns as f64;
    }
    for &value in values.iter().rev() {
        sum = sum * 0.5 + value * x[index(i)];
    }
    let elements2 = 3.0;
    for (elements, &x) in [1.0, elements2].into_iter().zip(x) {
        sum += elements * x + elements2;
    }
    out[i] = sum;
}

fn a_loop_over_elements_captures_no_name(bench: &Bench) {
    let (columns, values, x) = (vec![2, 0, 1], vec![1.0, 10.0, 100.0], vec![3.0, 5.0, 7.0]);
    let mut out = vec![0.0; 2];
    launch!(bench, rows(&columns, &values, &x, &mut out), 1, 2);
    let expected = (0..2).map(|i| {
        let mut sum = 7.0 + 30.0 + 500.0;
        for k in 1 + i..3 {
            sum += 100.0 * x[k] + values[k] + 0.5;
        }
        sum += 2.0;
        for value in [100.0, 10.0, 1.0] {
            sum = sum * 0.5 + value * 3.0;
        }
        sum + 3.0 + 3.0 + 15.0 + 3.0
    });
    assert_eq!(out, expected.collect::<Vec<f64>>());
}

/// Alternatives of which both may match, with different values.
#[gpu_kernel]
pub fn digits(a: &[i32], b: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i >= out.len() || i >= a.len() || i >= b.len() {
        return;
    }
    let first = match (a[i], b[i]) {
        (0..=9, x) | (x, 0..=9) if x > 5 => x,
        _ => 0,
    };
    let any = matches!((a[i], b[i]), (0..=9, x) | (x, 0..=9) if x > 5);
    let pair = if a[i] > 0 { Some((a[i], b[i])) } else { None };
    let nested = match pair {
        None => -1,
        Some((x @ 1..=20, y) | (y, x)) if { x > y } => 10 * x + y,
        Some((x, _)) if x == b[i] => -2,
        Some((3 | 4, _)) => -3,
        Some(_) => -4,
    };
    out[i] = 10_000 * first + 5000 * any as i32 + nested;
}

fn a_guard_is_tried_for_each_way_in_which_its_pattern_matches(bench: &Bench) {
    let (a, b) = (vec![7, 3, 3, 12, 0, 30, 40, 8], vec![3, 7, 3, 4, 9, 30, 50, 8]);
    let mut out = vec![0; a.len()];
    launch!(bench, digits(&a, &b, &mut out), 1, 8);
    let expected = [(7, 73), (7, 73), (0, -2), (12, 124), (9, -1), (0, -2), (0, 540), (8, -2)];
    let expected = expected.map(|(first, nested)| 10_000 * first + 5000 * i32::from(first > 5) + nested);
    assert_eq!(out, expected);
}

/// A mark of a number.
///
/// # Safety
///
/// The mark is not the number.
#[gpu_device]
pub unsafe trait Marked {
    #![allow(clippy::should_implement_trait)]
    fn mark(self) -> i32;
}

// SAFETY: no number is its successor.
#[gpu_device]
unsafe impl Marked for i32 {
    #![allow(clippy::cast_lossless)]

    fn mark(self) -> i32 {
        #![allow(unused_variables)]
        let unused = self;
        self + 1
    }
}

/// Attributes inside of what they are for.
#[gpu_kernel]
pub fn marked(x: &[i32], out: &mut [i32]) {
    #![allow(unused_variables)]
    let i = grid_1d();
    let unused = 3;
    if i < out.len() {
        out[i] = Marked::mark(x[i]);
    }
}

fn attributes_may_stand_in_the_body(bench: &Bench) {
    let mut out = vec![0; 3];
    launch!(bench, marked(&vec![1, 5, -1], &mut out), 1, 4);
    assert_eq!(out, [2, 6, 0]);
}

/// Ranges as conditions, arrays without a name, and functions of std that the body imports.
#[gpu_kernel]
pub fn without_names(x: &[u8], out: &mut [usize]) {
    use std::array::from_fn;
    use std::cmp::{max, min as smaller};
    use std::mem::swap;

    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let byte = x[i];
        let is_word = (b'a'..=b'z').contains(&byte) || (b'0'..b'9' + 1).contains(&x[i]);
        let counts: [usize; 4] = from_fn(|k| k * k + i);
        let (mut low, mut high) = (smaller(counts[3], 11), max(counts[1], 3));
        if !is_word && !(..b'!').contains(&byte) {
            swap(&mut low, &mut high);
        }
        out[i] = low * 100 + high + [1000, 2000, 3000][i % 3] + [[7; 2]; 2][i % 2][1];
    }
}

fn ranges_contain_values_and_written_arrays_are_indexed(bench: &Bench) {
    let mut out = vec![0; 4];
    launch!(bench, without_names(&b"z9~ ".to_vec(), &mut out), 1, 32);
    assert_eq!(out, [1910, 3010, 3318, 2111]);
}

#[gpu_device]
fn larger<T: DeviceType + PartialOrd>(a: T, b: T) -> T {
    if a < b { b } else { a }
}

#[gpu_kernel]
pub fn larger_of_both(x: &[i16], out: &mut [i16]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        out[i] = larger(x[i], out[i]);
    }
}

fn std_bounds_may_stand_beside_device_type(bench: &Bench) {
    let mut out = vec![3, -3];
    launch!(bench, larger_of_both(&vec![-5, 5], &mut out), 1, 32);
    assert_eq!(out, [3, 5]);
}
