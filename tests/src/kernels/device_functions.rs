//! Device functions: of this module, another module, another crate; recursive; with arrays.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch};

cases![
    functions_are_found_by_path,
    functions_of_one_name_stay_apart,
    functions_recur,
    functions_return_tuples_and_arrays,
    functions_read_arrays,
    functions_write_arrays,
    functions_without_a_value_run_for_their_effect,
    functions_know_their_thread,
    calls_are_made_once_and_in_order,
    functions_run_on_the_host,
    items_in_a_body_are_its_own,
    items_in_a_body_use_its_constants,
    parameters_are_taken_apart,
    functions_have_the_width_of_their_callers wraps = true,
];

/// Half of `x`, rounded up.
#[gpu_device]
pub fn halved(x: i32) -> i32 {
    if x % 2 == 0 {
        return x / 2;
    }
    let up = x + 1;
    up / 2
}

pub mod neighbour {
    use gpu_runtime::prelude::*;

    #[gpu_device]
    pub fn tripled(x: i32) -> i32 {
        super::halved(x * 6)
    }

    pub mod within {
        use gpu_runtime::prelude::*;

        #[gpu_device]
        pub(in crate::kernels) fn combine(a: u32, b: u32) -> u32 {
            a * 10u32 + b
        }
    }
}

use neighbour::tripled as renamed;
use other_crate::inner::{self, scaled_twice};

/// Every form of path.
#[gpu_kernel]
pub fn paths(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() {
        let a = halved(x[i]);
        let b = neighbour::tripled(a);
        let c = self::halved(b) + crate::kernels::device_functions::halved(3);
        let d = renamed(c) - other_crate::scaled(x[i]);
        out[i] = d + scaled_twice(1) + ::other_crate::scaled(halved(halved(i as i32 * 4)));
    }
}

fn functions_are_found_by_path(bench: &Bench) {
    let x = vec![0, 1, 2, 7, 100];
    let mut out = vec![0; 5];
    launch!(bench, paths(&x, &mut out), 1, 8);
    let half = |x: i32| (x + x % 2) / 2;
    let expected: Vec<i32> =
        x.iter().enumerate().map(|(i, &x)| 3 * (half(3 * half(x)) + 2) - 3 * x + 9 + 3 * half(half(4 * i as i32))).collect();
    assert_eq!(out, expected);
}

/// Two functions `combine`, and a variable.
#[gpu_kernel]
pub fn same_name(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() {
        let combine = inner::combine(x[i], 1);
        out[i] = neighbour::within::combine(combine, 2) + inner::combine(3, combine);
    }
}

fn functions_of_one_name_stay_apart(bench: &Bench) {
    let mut out = vec![0; 2];
    launch!(bench, same_name(&vec![5, 7], &mut out), 1, 2);
    assert_eq!(out, [50012 + 3000 + 5001, 70012 + 3000 + 7001]);
}

#[gpu_device]
fn fibonacci(n: u32) -> u64 {
    if n < 2 { n as u64 } else { fibonacci(n - 1) + fibonacci(n - 2) }
}

#[gpu_device]
fn is_even(n: u32) -> bool {
    n == 0 || is_odd(n - 1)
}

#[gpu_device]
fn is_odd(n: u32) -> bool {
    n != 0 && is_even(n - 1)
}

/// Recursion, direct and mutual.
#[gpu_kernel]
pub fn recursion(out: &mut [u64], even: &mut [bool]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = fibonacci(i as u32);
        even[i] = is_even(i as u32) && !is_odd(i as u32);
    }
}

fn functions_recur(bench: &Bench) {
    let (mut out, mut even) = (vec![0; 16], vec![false; 16]);
    launch!(bench, recursion(&mut out, &mut even), 1, 16);
    assert_eq!(out, [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610]);
    assert_eq!(even, (0..16).map(|i| i % 2 == 0).collect::<Vec<_>>());
}

#[gpu_device]
fn divided(a: i64, b: i64) -> (i64, i64, bool) {
    (a / b, a % b, a % b == 0)
}

#[gpu_device]
fn digits(n: u32) -> [u8; 4] {
    let mut digits = [0; 4];
    let mut rest = n;
    for k in (0..4).rev() {
        digits[k] = (rest % 10) as u8;
        rest /= 10;
    }
    digits
}

/// Values that are taken apart.
#[gpu_kernel]
pub fn compound_values(x: &[i64], out: &mut [i64]) {
    let i = grid_1d();
    if i < x.len() {
        let (quotient, remainder, whole): (i64, i64, bool) = divided(x[i], 7);
        let list: [u8; 4] = digits(x[i] as u32);
        let mut sum: i64 = 0;
        for k in 0..4 {
            sum += list[k] as i64;
        }
        out[i] = quotient * 1000 + remainder * 100 + sum + if whole { 1000000 } else { 0 };
    }
}

fn functions_return_tuples_and_arrays(bench: &Bench) {
    let x = vec![0, 7, 123, 9999, 14];
    let mut out = vec![0; 5];
    launch!(bench, compound_values(&x, &mut out), 1, 8);
    let expected: Vec<i64> = (x.iter())
        .map(|&x: &i64| {
            let sum: i64 = x.to_string().bytes().map(|digit| i64::from(digit - b'0')).sum();
            x / 7 * 1000 + x % 7 * 100 + sum + if x % 7 == 0 { 1_000_000 } else { 0 }
        })
        .collect();
    assert_eq!(out, expected);
}

#[gpu_device]
fn weighted(x: &[f32], scale: f32) -> f32 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i] * (i + 1) as f32;
    }
    sum * scale
}

#[gpu_device]
fn weighted_behind(x: &[f32]) -> f32 {
    if x.is_empty() { -1.0 } else { weighted(x, 0.5) }
}

/// One function reads a parameter, a local array, a row and a shared array.
#[gpu_kernel(fmad = false)]
pub fn reading(x: &[f32], empty: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[[f32; 3]; 2]>();
    let t = thread_idx().x;
    let local = [x[t], 2.0, 3.0];
    let rows = [[1.0f32; 2], [4.0, x[t]]];
    if t < 3 {
        tile[0][t] = x[t];
        tile[1][t] = 1.0;
    }
    sync_threads();
    let from_parameter = weighted(x, 1.0);
    let from_row = weighted(&rows[1], 2.0) + weighted(&rows[0], 1.0);
    out[t] = from_parameter + weighted(&local, 1.0) + from_row + weighted(&tile[t % 2], 1.0) + weighted_behind(x) + weighted_behind(empty);
}

fn functions_read_arrays(bench: &Bench) {
    let x = vec![0.5, 1.5, -2.0, 8.0];
    let mut out = vec![0.0; 4];
    launch!(bench, reading(&x, &Vec::new(), &mut out), 1, 4);
    let total = 0.5 + 3.0 - 6.0 + 32.0;
    let expected: Vec<f32> = (x.iter().enumerate())
        .map(|(t, x)| total + (x + 4.0 + 9.0) + ((4.0 + 2.0 * x) * 2.0 + 3.0) + [0.5 + 3.0 - 6.0, 6.0][t % 2] + total * 0.5 - 1.0)
        .collect();
    assert_same(&out, &expected);
}

#[gpu_device]
fn reverse(x: &mut [i32], first: usize, count: usize) {
    for i in 0..count / 2 {
        (x[first + i], x[first + count - 1 - i]) = (x[first + count - 1 - i], x[first + i]);
    }
}

#[gpu_device]
fn bump_all(x: &mut [i32], by: i32) -> i32 {
    reverse(x, 0, 2);
    let mut sum = 0;
    for i in 0..x.len() {
        x[i] += by;
        sum += x[i];
    }
    sum
}

/// One function writes into a parameter, a local array, a row and a shared array.
#[gpu_kernel]
pub fn writing(x: &mut [i32], out: &mut [i32]) {
    let mut tile = shared::<[i32; 4]>();
    let t = thread_idx().x;
    let mut local = [t as i32, 10, 20];
    let mut rows = [[1, 2], [3, 4]];
    let sum: i32 = bump_all(&mut local, 1);
    let row_sum: i32 = bump_all(&mut rows[1], 100);
    if t == 0 {
        for i in 0..4 {
            tile[i] = i as i32;
        }
        bump_all(&mut tile, 0);
        reverse(&mut tile, 0, 4);
    }
    reverse(x, 3 * t, 3);
    sync_threads();
    out[t] = sum * 10000 + row_sum * 10 + local[0] + rows[1][0] * 100000 + tile[t];
}

fn functions_write_arrays(bench: &Bench) {
    let mut x: Vec<i32> = (0..12).collect();
    let mut out = vec![0; 4];
    launch!(bench, writing(&mut x, &mut out), 1, 4);
    assert_eq!(x, [2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9]);
    let expected: Vec<i32> = (0..).zip([3, 2, 0, 1]).map(|(t, tile)| (33 + t) * 10000 + 2070 + 11 + 10_400_000 + tile).collect();
    assert_eq!(out, expected);
}

#[gpu_device]
fn store(out: &mut [u32], at: usize, value: u32) {
    if at >= out.len() {
        return;
    }
    out[at] = value;
}

/// Calls as statements, and as the value of a block without one.
#[gpu_kernel]
pub fn effects(out: &mut [u32]) {
    let i = grid_1d();
    store(out, 2 * i, 7);
    if i % 2 == 0 { store(out, 2 * i + 1, i as u32) } else { store(out, 2 * i + 1, 50) }
}

fn functions_without_a_value_run_for_their_effect(bench: &Bench) {
    let mut out = vec![0; 7];
    launch!(bench, effects(&mut out), 1, 8);
    assert_eq!(out, [7, 0, 7, 50, 7, 2, 7]);
}

#[gpu_device]
fn my_place() -> usize {
    let (x, y) = grid_2d();
    y * 100 + x + thread_idx().x * 10000 + block_dim().y * 1000000
}

/// Intrinsics in a device function.
#[gpu_kernel]
pub fn places(out: &mut [usize]) {
    let (x, y) = grid_2d();
    out[y * 6 + x] = my_place();
}

fn functions_know_their_thread(bench: &Bench) {
    let mut out = vec![0; 24];
    launch!(bench, places(&mut out), (2, 2), (3, 2));
    assert_eq!(out, (0..24).map(|i| i / 6 * 100 + i % 6 + i % 3 * 10000 + 2000000).collect::<Vec<_>>());
}

#[gpu_device]
fn next(counter: &mut [i32]) -> i32 {
    counter[0] += 1;
    counter[0]
}

/// A function with an effect, in places where a value is used more than once.
#[gpu_kernel]
pub fn order(out: &mut [i32]) {
    if grid_1d() == 0 {
        let mut n = [0];
        let a: i32 = next(&mut n);
        out[0] = a * 100 + n[0];
        let pair: (i32, i32) = (next(&mut n), next(&mut n));
        out[1] = pair.0 * 10 + pair.1;
        let b: i32 = next(&mut n);
        let c: i32 = next(&mut n);
        out[2] = b - c;
        let list: [i32; 3] = [next(&mut n), n[0], next(&mut n)];
        out[3] = list[0] * 100 + list[1] * 10 + list[2];
        let mut total: i32 = 1000;
        total += next(&mut n);
        total /= next(&mut n);
        out[4] = total;
        let first: i32 = next(&mut n);
        out[(first - 5) as usize] = next(&mut n);
        for _ in 0i32..next(&mut n) {
            out[6] += 1;
        }
        let small: bool = next(&mut n) < 0i32 && next(&mut n) > 0i32;
        if !small {
            out[7] = n[0];
        }
    }
}

fn calls_are_made_once_and_in_order(bench: &Bench) {
    let mut out = vec![0; 8];
    launch!(bench, order(&mut out), 1, 1);
    // The counter: 1; 2, 3; 4, 5; 6, 7; 8, 9; 10, 11; 12; 13.
    assert_eq!(out, [101, 23, -1, 667, 1008 / 9, 11, 12, 13]);
}

fn functions_run_on_the_host(_: &Bench) {
    assert_eq!(halved(7), 4);
    assert_eq!(fibonacci(10), 55);
    assert_eq!(divided(22, 7), (3, 1, false));
    assert_eq!(digits(1234), [1, 2, 3, 4]);
    assert_eq!(weighted(&[1.0, 2.0], 2.0), 10.0);
    let mut x = [1, 2, 3];
    reverse(&mut x, 0, 3);
    assert_eq!(x, [3, 2, 1]);
    assert_eq!(scaled_twice(2), 18);
}

#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, DeviceType)]
enum Side {
    Left,
    Right,
}

pub mod settings {
    pub const OFFSET: i32 = 40;
}

#[gpu_device]
fn of_side(side: Side) -> i32 {
    use self::Side as Of;
    fn sign(n: i32) -> i32 {
        if n % 2 == 0 { 1 } else { -1 }
    }
    match side {
        Of::Left => sign(1),
        Of::Right => sign(2) * 2,
    }
}

#[gpu_kernel]
pub fn with_items(x: &[i32], out: &mut [i32]) {
    use crate::kernels::device_functions::settings::OFFSET as SHIFT;
    type Number = i32;
    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Pair {
        first: Number,
        second: Number,
    }
    impl Pair {
        fn sum(self) -> Number {
            self.first + self.second
        }
    }
    fn squared(n: Number) -> Number {
        n * n
    }
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let pair = Pair { first: squared(x[i]), second: of_side(if x[i] < 0 { Side::Left } else { Side::Right }) };
        out[i] = pair.sum() + SHIFT;
    }
}

fn items_in_a_body_are_its_own(bench: &Bench) {
    let mut out = vec![0; 2];
    launch!(bench, with_items(&vec![-3, 4], &mut out), 1, 32);
    assert_eq!(out, [9 - 1 + 40, 16 + 2 + 40]);
}

#[gpu_kernel]
pub fn with_constants(out: &mut [i32]) {
    const FACTOR: i32 = 3;
    const STARTS: [i32; 2] = [FACTOR + 1, 7];
    fn scaled(x: i32) -> i32 {
        x * FACTOR + STARTS[0]
    }
    let i = grid_1d();
    if i < out.len() {
        out[i] = scaled(i as i32) + STARTS[1];
    }
}

fn items_in_a_body_use_its_constants(bench: &Bench) {
    let mut out = vec![0; 5];
    launch!(bench, with_constants(&mut out), 1, 32);
    assert_eq!(out, [11, 14, 17, 20, 23]);
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Offset {
    x: i32,
    y: i32,
}

#[gpu_device]
fn dot((x, mut y): (i32, i32), [a, b]: [i32; 2], _: i32) -> i32 {
    y += 1;
    x * a + y * b
}

#[gpu_device]
fn by_reference(&(x, n): &(i32, usize), (y, m): &(i32, usize), Offset { x: a, .. }: Offset) -> i32 {
    x * *y + (n * *m) as i32 + a
}

#[gpu_device]
impl Offset {
    fn new((x, y): (i32, i32)) -> Offset {
        Offset { x, y }
    }

    fn index(&self, (width, _): (i32, i32)) -> i32 {
        self.y * width + self.x
    }
}

#[gpu_device]
impl std::ops::Add<(i32, i32)> for Offset {
    type Output = Offset;

    fn add(self, (x, y): (i32, i32)) -> Offset {
        Offset { x: self.x + x, y: self.y + y }
    }
}

#[gpu_kernel]
pub fn taken_apart(out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let n = i as i32;
        let offset = Offset::new((n, n + 2)) + (1i32, n);
        let (left, right) = ((n, i), (n + 4, 2usize));
        out[i] = dot((n, 2i32), [n + 1, 5], 0) * 1000 + by_reference(&left, &right, offset) + offset.index((100i32, n));
    }
}

fn parameters_are_taken_apart(bench: &Bench) {
    let mut out = vec![0; 6];
    launch!(bench, taken_apart(&mut out), 1, 32);
    let expected = (0..6).map(|n| {
        let dot = n * (n + 1) + 3 * 5;
        dot * 1000 + n * (n + 4) + n * 2 + (n + 1) + (n + 2 + n) * 100 + n + 1
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
    assert_eq!(Offset::new((1, 2)) + (3, 4), Offset { x: 4, y: 6 });
    assert_eq!(dot((1, 2), [3, 4], 0) + Offset { x: 4, y: 6 }.index((10, 0)), 15 + 64);
}

/// In 32 bits where its callers are.
#[gpu_device]
fn smaller_half(n: usize, m: usize) -> usize {
    n.min(m) / 2
}

/// In 64 bits, and so is what it calls.
#[gpu_device]
fn half_of_square(n: usize) -> u64 {
    smaller_half(n * n, n * n + 1) as u64
}

#[gpu_device]
fn row_of(x: &[u32; 8], least: usize) -> usize {
    for i in 0..8usize {
        if x[i] as usize >= least {
            return i;
        }
    }
    8
}

#[gpu_device]
fn at(row: usize, column: usize, width: usize) -> usize {
    row * width + column
}

#[gpu_kernel]
pub fn both_widths(x: &[u32], halves: &mut [u64], rows: &mut [u32], n: usize, m: usize) {
    let i = grid_1d();
    if i < halves.len() && i < rows.len() {
        let mut words = [0u32; 8];
        for k in 0..8usize {
            words[k] = k as u32 * 0x2000_0000;
        }
        let half = smaller_half(n, m);
        let mut sum = half_of_square(n);
        for k in 0..2usize {
            sum += half as u64 + k as u64;
        }
        halves[i] = sum;
        // What is returned in 64 bits is an index that is checked.
        rows[i] = row_of(&words, half) as u32 * 100 + x[at(i, 1, m % 3)];
    }
}

fn functions_have_the_width_of_their_callers(bench: &Bench) {
    let x: Vec<u32> = (0..9).collect();
    let edges = [0u64, 1, 6, (1 << 16) + 1, 1 << 31, (1 << 32) - 4, (1 << 32) - 1, 1 << 32, (1 << 32) + 8, 1 << 33];
    for (n, m) in edges.iter().flat_map(|n| edges.map(|m| (*n, m))) {
        let (mut halves, mut rows) = (vec![0; 4], vec![0; 4]);
        launch!(bench, both_widths(&x, &mut halves, &mut rows, n as usize, m as usize), 1, 4);
        let (half, square) = (n.min(m) / 2, n.wrapping_mul(n));
        assert_eq!(halves, vec![square.min(square.wrapping_add(1)) / 2 + half * 2 + 1; 4], "{n} {m}");
        let row = (0..8u64).position(|k| k * 0x2000_0000 >= half).unwrap_or(8) as u32;
        assert_eq!(rows, (0..4).map(|i| row * 100 + i * (m % 3) as u32 + 1).collect::<Vec<_>>(), "{n} {m}");
    }
}
