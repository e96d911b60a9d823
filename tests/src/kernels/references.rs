//! References to single values: parameters `&T`, `&mut T` and `&[T; N]` of device functions, and names for places.

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch};

cases![
    functions_take_references,
    functions_change_what_they_get wraps = true,
    methods_take_references,
    references_are_passed_on,
    references_to_arrays,
    fields_are_lent,
    places_have_names,
    slots_are_changed_by_name,
    shared_memory_has_named_places,
    what_is_referred_to_is_exchanged,
    references_are_read_before_later_changes,
];

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Body {
    at: (f32, f32),
    mass: f32,
}

#[gpu_device]
fn distance(a: &Body, b: &Body) -> f32 {
    let (x, y) = (a.at.0 - b.at.0, a.at.1 - b.at.1);
    (x * x + y * y).sqrt()
}

#[gpu_device]
fn scaled(number: &f32, count: &u32) -> f32 {
    let count = *count;
    *number * count as f32
}

#[gpu_device]
fn force(a: &Body, b: &Body) -> f32 {
    let d = distance(a, b);
    if d == 0.0 { 0.0 } else { scaled(&(a.mass * b.mass), &3) / (d * d) }
}

#[gpu_kernel(fmad = false)]
pub fn forces(bodies: &[Body], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = 0.0;
        for other in bodies {
            sum += force(&bodies[i], other);
        }
        out[i] = sum + force(&bodies[0], &Body { at: (0.5, 0.25), mass: sum });
    }
}

fn bodies(n: u8) -> Vec<Body> {
    (0..n).map(|i| Body { at: (f32::from(i) * 0.7, f32::from(i % 5)), mass: 1.0 + f32::from(i % 3) }).collect()
}

fn functions_take_references(bench: &Bench) {
    let bodies = bodies(40);
    let mut out = vec![0.0; 40];
    launch!(bench, forces(&bodies, &mut out), 2, 32);
    let expected = bodies.iter().map(|me| {
        let sum = bodies.iter().fold(0.0, |sum, other| sum + force(me, other));
        sum + force(&bodies[0], &Body { at: (0.5, 0.25), mass: sum })
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Random {
    state: u64,
    drawn: u32,
}

#[gpu_device]
fn draw(random: &mut Random) -> u32 {
    random.state = random.state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407;
    random.drawn += 1;
    (random.state >> 33) as u32
}

#[gpu_device]
fn draw_below(random: &mut Random, bound: &u32) -> u32 {
    loop {
        let value = draw(random) & 1023;
        if value < *bound {
            return value;
        }
    }
}

#[gpu_device]
fn count_up(count: &mut u32, flag: &mut bool, by: u32) {
    *count += by;
    let before = *flag;
    *flag = !before && *count > 5;
}

#[gpu_device]
fn exchange(a: &mut (u32, u32), b: &mut Random) {
    let kept = *b;
    *b = Random { state: u64::from(a.0), drawn: a.1 };
    a.0 = kept.drawn;
    a.1 = kept.state as u32;
}

#[gpu_kernel]
pub fn drawing(states: &mut [Random], pairs: &mut [(u32, u32)], out: &mut [u32]) {
    let i = grid_1d();
    if i < states.len() && i < out.len() && i < pairs.len() {
        let mut own = Random { state: i as u64, drawn: 0 };
        let mut total = draw(&mut own) ^ draw_below(&mut states[i], &700);
        let mut flag = false;
        for _ in 0..3 {
            count_up(&mut total, &mut flag, own.drawn);
            count_up(&mut own.drawn, &mut flag, 2);
        }
        exchange(&mut pairs[i], &mut own);
        exchange(&mut pairs[i], &mut states[i]);
        out[i] = total + draw(&mut own) + flag as u32;
    }
}

fn functions_change_what_they_get(bench: &Bench) {
    let mut states: Vec<_> = (0..40).map(|i| Random { state: i * i + 7, drawn: 3 }).collect();
    let mut pairs: Vec<_> = (0..40).map(|i| (i, i ^ 21)).collect();
    let mut out = vec![0; 40];
    let (mut expected_states, mut expected_pairs) = (states.clone(), pairs.clone());
    launch!(bench, drawing(&mut states, &mut pairs, &mut out), 2, 32);
    let mut expected = Vec::new();
    for (i, (state, pair)) in expected_states.iter_mut().zip(&mut expected_pairs).enumerate() {
        let mut own = Random { state: i as u64, drawn: 0 };
        let mut total = draw(&mut own) ^ draw_below(state, &700);
        let mut flag = false;
        for _ in 0..3 {
            count_up(&mut total, &mut flag, own.drawn);
            count_up(&mut own.drawn, &mut flag, 2);
        }
        exchange(pair, &mut own);
        exchange(pair, state);
        expected.push(total.wrapping_add(draw(&mut own)).wrapping_add(flag as u32));
    }
    assert_eq!((states, pairs, out), (expected_states, expected_pairs, expected));
}

#[gpu_device]
impl Body {
    fn heavier(&self, other: &Body) -> Body {
        if self.mass > other.mass { *self } else { *other }
    }

    fn reach(&self, by: &f32) -> f32 {
        self.heavier(&Body { at: self.at, mass: *by }).mass
    }

    fn absorb(&mut self, other: &mut Body, rate: &f32) {
        let taken = other.mass * *rate;
        self.mass += taken;
        other.mass -= taken;
    }
}

#[gpu_kernel(fmad = false)]
pub fn heaviest(bodies: &mut [Body], others: &[Body], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() && i < bodies.len() {
        let mut best = bodies[i];
        for body in others.iter() {
            best = best.heavier(body);
        }
        bodies[i].absorb(&mut best, &0.25);
        out[i] = best.reach(&others[i].mass) + Body::heavier(&others[i], &best).at.0;
    }
}

fn methods_take_references(bench: &Bench) {
    let others = bodies(11);
    let (mut all, mut expected_bodies) = (bodies(11), bodies(11));
    let mut out = vec![0.0; 11];
    launch!(bench, heaviest(&mut all, &others, &mut out), 1, 32);
    let expected = expected_bodies.iter_mut().zip(&others).map(|(body, other)| {
        let mut best = others.iter().fold(*body, |best, body| best.heavier(body));
        body.absorb(&mut best, &0.25);
        best.reach(&other.mass) + Body::heavier(other, &best).at.0
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
    assert_eq!(all, expected_bodies);
}

#[gpu_device]
fn larger<T: Num>(a: &T, b: &T) -> T {
    if *a > *b { *a } else { *b }
}

#[gpu_device]
fn keep_largest<T: Num>(largest: &mut T, new: &T) {
    *largest = larger(largest, new);
}

#[gpu_device]
fn largest_of_three<T: Num>(a: &T, b: &T, c: T) -> T {
    let mut largest = larger(&larger(a, b), &c);
    keep_largest(&mut largest, a);
    largest
}

#[gpu_kernel]
pub fn maxima(x: &[i64], y: &[f32], out: &mut [i64], floats: &mut [f32]) {
    let i = grid_1d();
    if i + 2 < x.len() && i < out.len() && i < floats.len() {
        out[i] = largest_of_three(&x[i], &x[i + 1], x[i + 2]);
        floats[i] = largest_of_three(&y[i], &(y[i] * 2.0), 0.5f32);
    }
}

fn references_are_passed_on(bench: &Bench) {
    let x: Vec<i64> = (0..32).map(|i| (i * 37) % 17).collect();
    let y: Vec<f32> = (0..30).map(|i| i as f32 - 15.0).collect();
    let (mut out, mut floats) = (vec![0; 30], vec![0.0; 30]);
    launch!(bench, maxima(&x, &y, &mut out, &mut floats), 1, 32);
    assert_eq!(out, x.windows(3).map(|x| x[0].max(x[1]).max(x[2])).collect::<Vec<_>>());
    assert_eq!(floats, y.iter().map(|y| y.max(y * 2.0).max(0.5)).collect::<Vec<_>>());
}

#[gpu_device]
fn trace(matrix: &[[i32; 3]; 3]) -> i32 {
    let mut sum = 0;
    for k in 0..matrix.len() {
        sum += matrix[k][k];
    }
    sum
}

#[gpu_device]
fn total(row: &[i32]) -> i32 {
    let mut sum = 0;
    for value in row {
        sum += *value;
    }
    sum
}

#[gpu_device]
fn first_and_total(row: &[i32; 3]) -> i32 {
    row[0] * 100 + total(row)
}

#[gpu_device]
fn add_row(matrix: &mut [[i32; 3]; 3], row: &[i32; 3], k: usize) {
    for (j, value) in row.iter().enumerate() {
        matrix[k][j] += value;
    }
    scale(&mut matrix[k], &2);
}

#[gpu_device]
fn scale(row: &mut [i32; 3], by: &i32) {
    for j in 0..3 {
        row[j] *= *by;
    }
    let whole = *row;
    row[0] = whole[2];
}

/// The largest element, whatever the length.
#[gpu_device]
fn largest<T: Num, const N: usize>(row: &[T; N]) -> T {
    let mut largest = row[0];
    for k in 1..N {
        keep_largest(&mut largest, &row[k]);
    }
    largest
}

#[gpu_device]
fn clear_column<T: Num, const N: usize, const M: usize>(matrix: &mut [[T; N]; M], column: usize) {
    for row in 0..M {
        matrix[row][column] = T::from_i32(0);
    }
}

#[gpu_device]
fn total_of_rows<const N: usize>(rows: &[[i32; N]]) -> i32 {
    let mut sum = 0;
    for i in 0..rows.len() {
        for j in 0..N {
            sum += rows[i][j];
        }
    }
    sum
}

#[gpu_kernel]
pub fn array_references(matrices: &mut [[[i32; 3]; 3]], rows: &[[i32; 3]], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() && i < matrices.len() {
        let mut own = matrices[i];
        add_row(&mut own, &rows[i], i % 3);
        add_row(&mut matrices[i], &own[1], 2);
        scale(&mut matrices[i][1], &-1);
        out[i] = trace(&own) + first_and_total(&own[0]) * trace(&matrices[i]) + total(&rows[i]);
        out[i] += largest(&own[2]) * total_of_rows(&own);
        clear_column(&mut matrices[i], i % 3);
    }
}

fn references_to_arrays(bench: &Bench) {
    let mut matrices: Vec<[[i32; 3]; 3]> = (0..20).map(|i| [[i, 2, 3], [-i, 5, i * i], [7, i, 9]]).collect();
    let rows: Vec<[i32; 3]> = (0..20).map(|i| [i + 1, i * 3, -4]).collect();
    let mut expected_matrices = matrices.clone();
    let mut out = vec![0; 20];
    launch!(bench, array_references(&mut matrices, &rows, &mut out), 1, 32);
    let mut expected = Vec::new();
    for (i, (matrix, row)) in expected_matrices.iter_mut().zip(&rows).enumerate() {
        let mut own = *matrix;
        add_row(&mut own, row, i % 3);
        add_row(matrix, &own[1], 2);
        scale(&mut matrix[1], &-1);
        let sum = trace(&own) + first_and_total(&own[0]) * trace(matrix) + total(row);
        expected.push(sum + largest(&own[2]) * total_of_rows(&own));
        clear_column(matrix, i % 3);
    }
    assert_eq!((matrices, out), (expected_matrices, expected));
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Layer {
    weights: [i32; 3],
    bias: i32,
    rows: [[i32; 3]; 2],
}

#[gpu_device]
fn layer(weights: [i32; 3]) -> Layer {
    Layer { weights, bias: 4, rows: [weights, [1, 2, 3]] }
}

#[gpu_device]
fn shift(bias: &mut i32, weights: &[i32; 3]) {
    *bias += weights[1];
}

#[gpu_device]
impl Layer {
    fn apply(&self, row: &[i32; 3]) -> i32 {
        total(&self.weights) * row[0] + first_and_total(&self.rows[1]) + self.bias
    }
}

#[gpu_kernel]
pub fn layered(layers: &mut [Layer], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() && i < layers.len() {
        let made: Layer = layer(layers[i].weights);
        let bias = layers[i].bias;
        scale(&mut layers[i].weights, &bias);
        scale(&mut layers[i].rows[0], &made.bias);
        shift(&mut layers[i].bias, &made.rows[0]);
        out[i] = total(&layers[i].weights) + made.apply(&layers[i].rows[1]);
    }
}

fn fields_are_lent(bench: &Bench) {
    let mut layers: Vec<_> = (0..20).map(|i| Layer { weights: [i, 2, -i], bias: i * 5 + 1, rows: [[i, i, 8]; 2] }).collect();
    let mut expected_layers = layers.clone();
    let mut out = vec![0; 20];
    launch!(bench, layered(&mut layers, &mut out), 1, 32);
    let expected = expected_layers.iter_mut().map(|expected| {
        let (made, bias) = (layer(expected.weights), expected.bias);
        scale(&mut expected.weights, &bias);
        scale(&mut expected.rows[0], &made.bias);
        shift(&mut expected.bias, &made.rows[0]);
        total(&expected.weights) + made.apply(&expected.rows[1])
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
    assert_eq!(layers, expected_layers);
}

#[gpu_kernel(fmad = false)]
pub fn moved(bodies: &mut [Body], tables: &[[i32; 3]], by: &[f32]) {
    let i = grid_1d();
    if i < bodies.len() {
        let body = &bodies[i];
        let (x, y) = body.at;
        let at = &body.at;
        let step = &by[i];
        let row = &tables[i];
        let entry: &i32 = &row[2];
        let sum = &(at.0 + y);
        let result = Body { at: (x + *step, *sum - step.abs()), mass: body.mass * (*entry as f32) + distance(body, &bodies[0]) };
        let moved = &mut bodies[i];
        *moved = result;
        for value in row {
            moved.mass += *value as f32;
        }
        let mass = &mut moved.mass;
        *mass += row.len() as f32;
    }
}

fn places_have_names(bench: &Bench) {
    let before = bodies(20);
    let mut out = before.clone();
    let tables: Vec<[i32; 3]> = (0..20).map(|i| [i, -i, i * i]).collect();
    let by: Vec<f32> = (0..20).map(|i| i as f32 * -0.5).collect();
    launch!(bench, moved(&mut out, &tables, &by), 1, 1);
    let (body, table, by) = (before[0], tables[0], by[0]);
    let first = Body {
        at: (body.at.0 + by, body.at.0 + body.at.1 - by.abs()),
        mass: body.mass * table[2] as f32 + table.iter().fold(0.0, |sum, value| sum + *value as f32) + 3.0,
    };
    assert_eq!((out[0], &out[1..]), (first, &before[1..]));
}

#[gpu_device]
#[allow(clippy::explicit_auto_deref, clippy::borrow_deref_ref, reason = "references as some write them")]
fn replace_through(value: &mut u32, others: &mut [u32; 4]) -> u32 {
    let old = std::mem::replace(&mut *value, 7);
    std::mem::swap(&mut *value, &mut others[1]);
    old + std::mem::take(&mut (*others)[0])
}

#[gpu_kernel]
pub fn replaced_through(rows: &mut [[u32; 4]], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < rows.len() {
        let mut value = i as u32;
        out[i] = replace_through(&mut value, &mut rows[i]) * 100 + value;
    }
}

fn what_is_referred_to_is_exchanged(bench: &Bench) {
    let mut rows: Vec<[u32; 4]> = (0..20).map(|i| [i + 1, i * 3, 8, 9]).collect();
    let mut out = vec![0; 20];
    launch!(bench, replaced_through(&mut rows, &mut out), 1, 32);
    assert_eq!(out, (0..20).map(|i| (i + i + 1) * 100 + i * 3).collect::<Vec<_>>());
    assert_eq!(rows, vec![[0, 7, 8, 9]; 20]);
}

#[gpu_kernel]
pub fn slots(counts: &mut [[u32; 4]], keys: &[u32], rounds: u32) {
    let i = grid_1d();
    if i < counts.len() && i < keys.len() {
        let mut own = [0u32; 4];
        let mut index = (keys[i] % 4) as usize;
        for round in 0..rounds {
            let slot = &mut own[index];
            *slot += round;
            if *slot > 3 {
                *slot -= 1;
            }
            index = (index + 1) % 4;
        }
        let last = &mut index;
        *last *= 10;
        let row = &mut counts[i];
        row[0] = *last as u32;
        for k in 1..4 {
            let from = &own[k];
            row[k] += *from;
        }
    }
}

fn slots_are_changed_by_name(bench: &Bench) {
    let keys: Vec<u32> = (0..40).map(|i| i * 7).collect();
    let mut counts = vec![[5; 4]; 40];
    launch!(bench, slots(&mut counts, &keys, 9), 2, 32);
    let expected = keys.iter().map(|key| {
        let (mut own, mut index) = ([0; 4], (key % 4) as usize);
        for round in 0..9 {
            own[index] += round;
            own[index] -= u32::from(own[index] > 3);
            index = (index + 1) % 4;
        }
        [index as u32 * 10, 5 + own[1], 5 + own[2], 5 + own[3]]
    });
    assert_eq!(counts, expected.collect::<Vec<_>>());
}

#[gpu_kernel(block = 32)]
pub fn named_in_shared_memory(x: &[i32], out: &mut [i32]) {
    let mut tile = shared::<[[i32; 2]; 32]>();
    let (t, i) = (thread_idx().x, grid_1d());
    let place = &mut tile[t];
    place[0] = t as i32;
    place[1] = if i < x.len() { x[i] } else { 0 };
    sync_threads();
    let neighbour = &tile[(t + 1) % 32];
    if i < out.len() {
        out[i] = neighbour[0] * 1000 + neighbour[1];
    }
}

fn shared_memory_has_named_places(bench: &Bench) {
    let x: Vec<i32> = (0..64).map(|i| i * 3 % 50).collect();
    let mut out = vec![0; 64];
    launch!(bench, named_in_shared_memory(&x, &mut out), 2, 32);
    let expected = (0..64).map(|i| ((i + 1) % 32) * 1000 + x[(i / 32 * 32 + (i + 1) % 32) as usize]);
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[gpu_device]
fn skip(random: &mut Random) -> u32 {
    random.drawn += 3;
    random.drawn
}

#[gpu_device]
fn pack(random: Random, skipped: u32) -> u32 {
    random.drawn * 100 + skipped
}

#[gpu_kernel]
pub fn reads_before_changes(out: &mut [[u32; 3]]) {
    let i = grid_1d();
    if i < out.len() {
        let mut own = Random { state: 0, drawn: i as u32 };
        let was = &own;
        let of_field = was.drawn * 10 + skip(&mut own);
        let was = &own;
        let of_whole = pack(*was, skip(&mut own));
        let was = &own;
        let (before, after) = (was.drawn, skip(&mut own));
        out[i] = [of_field, of_whole, before * 100 + after];
    }
}

fn references_are_read_before_later_changes(bench: &Bench) {
    let mut out = vec![[0; 3]; 40];
    launch!(bench, reads_before_changes(&mut out), 2, 32);
    let expected = (0..40).map(|i| [i * 10 + i + 3, (i + 3) * 100 + i + 6, (i + 6) * 100 + i + 9]);
    assert_eq!(out, expected.collect::<Vec<_>>());
}
