//! Closures of chains: how often they run, in which order, and what their names mean.

#![allow(clippy::redundant_closure_for_method_calls)] // Closures are what is tested.

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, kernel_and_oracle, launch};

cases![
    closures_run_as_often_as_in_std wraps = true,
    names_are_those_of_their_closures,
    lengths_are_of_usize wraps = true,
    orders_are_those_of_their_types,
];

#[gpu_device]
fn draw(seed: &mut u32) -> u32 {
    *seed = *seed * 1_664_525 + 1_013_904_223;
    *seed >> 8
}

kernel_and_oracle! {
    drawn_chains, drawn_plainly,
    (x: &[u32], table: &[u32], out: &mut [u32]) {
        let mut seed = 1;
        out[0] = x.iter().map(|v| v ^ draw(&mut seed)).count() as u32;
        out[1] = seed;
        out[2] = x.iter().max_by_key(|_| -> u32 { draw(&mut seed) }).map_or(9, |v| *v);
        out[3] = x.iter().enumerate().min_by_key(|(i, _)| draw(&mut seed) + *i as u32).map_or(9, |(i, v)| i as u32 * 100 + *v);
        out[4] = seed;
        let mut sum = 0;
        for _ in x.iter().map(|v| { sum += *v; *v }).enumerate() {}
        for (_, v) in x.iter().map(|v| { sum += *v * 3; *v }).zip(table) { out[10] += *v; }
        out[5] = sum;
        out[6] = x.iter().map(|v| draw(&mut seed) + v).zip(table).any(|_| false) as u32;
        out[7] = x.iter().map(|v| draw(&mut seed) + v).rev().enumerate().filter(|(i, _)| i % 2 == 0).count() as u32;
        out[8] = seed;
        out[9] = x.iter().copied().min_by_key(|v| *v % 3).unwrap_or(9);
        out[11] = x.iter().map(|_| draw(&mut seed) % 100).zip(table.iter().map(|v| v % 4).map(|v| v * 7)).map(|p| p.0 * 10 + p.1).sum();
        let backwards = x.iter().max_by(|a, b| { out[12] = out[12] * 5 + **a; **a % 4 }.cmp(&{ out[12] = out[12] * 7 + **b; **b % 4 }).reverse());
        out[13] = backwards.copied().unwrap_or(9);
        let mut low = 0;
        out[14] = (low..{ low += 1; 9 }).contains(&0) as u32 + low;
        out[15] = (0..seed % 50).contains(&draw(&mut seed)) as u32;
    }
}

kernel_and_oracle! {
    names_in_chains, names_plainly,
    (x: &[u32], out: &mut [u32]) {
        for w in x.iter().filter(|v| **v > 0) { let v = 10; out[0] += *w * v; }
        out[1] = x.iter().filter(|a| **a > 1).map(|b| { let a = 3; *b + a }).sum();
        let a = [1u32; 4];
        for k in (0..4usize).filter(|i| i % 2 == 0) { let i = 1usize << 20; out[2] += a[k] + i as u32; }
        let s = 10;
        out[3] = x.iter().map(|&v| v + s).scan(0, |s, v| { *s += v; Some(*s) }).fold(0, |sum, v| sum * 5 + v);
        out[4] = x.iter().copied().fold(s, |v, s| v * 3 + s);
        out[6] = x.first().map_or(0, |v| x.last().map_or(0, |w| v * 10 + w));
        out[7] = s.checked_sub(1).map_or(0, |v| s.checked_sub(2).map_or(0, |w| v * 100 + w));
        for v in x.iter().filter_map(|v| v.checked_sub(1)) {
            out[8] += x.iter().filter_map(|w| w.checked_sub(2)).map(|w| w * 10 + v).sum::<u32>();
        }
        out[9] = x.iter().copied().reduce(|a, b| x.iter().copied().reduce(|c, d| c * 2 + d).map_or(a, |e| a * 3 + b + e)).unwrap_or(1);
        out[5] = (0..3usize).flat_map(|k| x.iter().skip(k).filter(|v| **v > 0).take(2)).sum();
    }
}

fn names_are_those_of_their_closures(bench: &Bench) {
    for x in [vec![3, 8, 1, 9, 4], vec![0, 2], vec![]] {
        let (mut out, mut expected) = (vec![0; 10], vec![0; 10]);
        names_plainly(&x, &mut expected);
        launch!(bench, names_in_chains(&x, &mut out), 1, 1);
        assert_eq!(out, expected);
    }
}

fn closures_run_as_often_as_in_std(bench: &Bench) {
    let table = vec![7, 5, 3];
    for x in [vec![3, 8, 1, 9, 4], vec![6], vec![]] {
        let (mut out, mut expected) = (vec![0; 16], vec![0; 16]);
        drawn_plainly(&x, &table, &mut expected);
        launch!(bench, drawn_chains(&x, &table, &mut out), 1, 1);
        assert_eq!(out, expected);
    }
}

kernel_and_oracle! {
    lengths, lengths_plainly,
    (x: &[u32], out: &mut [u64]) {
        let row = &x[..8];
        out[0] = row.len().leading_zeros() as u64;
        out[1] = row.len().pow(12) as u64;
        out[2] = x.windows(4).map(|w| w.len().leading_zeros()).max().unwrap_or(0) as u64;
        let (left, _) = x.split_at(4);
        out[3] = left.len().count_zeros() as u64;
        out[4] = (0..4u8).len().leading_zeros() as u64;
        for (i, _) in x[..8].iter().enumerate() { out[5] += (i << 33) as u64; }
        for k in 0..row.len() { out[6] ^= (!k) as u64; }
        out[7] = x.chunks_exact(3).map(|part| part.len() * 1_000_000_000).sum::<usize>() as u64;
        let part = &x[2..=5];
        out[8] = part.len().wrapping_sub(9) as u64;
    }
}

fn lengths_are_of_usize(bench: &Bench) {
    let x: Vec<u32> = (0..11).collect();
    let (mut out, mut expected) = (vec![0; 9], vec![0; 9]);
    lengths_plainly(&x, &mut expected);
    launch!(bench, lengths(&x, &mut out), 1, 1);
    assert_eq!(out, expected);
}

/// Ordered by its value, and compared by its weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, DeviceType)]
#[repr(C)]
pub struct Item {
    weight: u32,
    value: u32,
}

#[gpu_device]
#[allow(clippy::derive_ord_xor_partial_ord)]
impl PartialOrd for Item {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.weight.partial_cmp(&other.weight)
    }
}

#[gpu_device]
impl Ord for Item {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.value.cmp(&other.value)
    }
}

#[gpu_device]
impl Item {
    fn max(self, other: Item) -> Item {
        Item { weight: self.weight + other.weight, value: 0 }
    }

    /// Not what arrays have by this name.
    fn swap(&mut self, weight: usize, value: usize) {
        self.weight += weight as u32;
        self.value += 100 * value as u32;
    }
}

#[gpu_device]
fn cmp(a: &u32, b: &u32) -> std::cmp::Ordering {
    (a % 10).cmp(&(b % 10))
}

/// Functions by the names of std's, of types that a kernel elsewhere does not see.
mod elsewhere {
    use gpu_runtime::prelude::*;
    use std::ops::{Index, IndexMut};

    pub(super) struct LastDigit;

    #[gpu_device]
    impl LastDigit {
        pub fn cmp(a: &u32, b: &u32) -> std::cmp::Ordering {
            (a % 10).cmp(&(b % 10))
        }
    }

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    pub(super) struct Four {
        elements: [u32; 4],
    }

    #[gpu_device]
    impl Index<usize> for Four {
        type Output = u32;

        fn index(&self, i: usize) -> &u32 {
            &self.elements[i % 4]
        }
    }

    #[gpu_device]
    impl IndexMut<usize> for Four {
        fn index_mut(&mut self, i: usize) -> &mut u32 {
            &mut self.elements[i % 4]
        }
    }

    #[gpu_device]
    impl Four {
        /// Not an exchange of elements.
        pub fn swap(&mut self, i: usize, j: usize) {
            self.elements[i % 4] = self.elements[j % 4] + 100;
            self.elements[j % 4] = 7;
        }
    }

    #[gpu_device]
    pub(super) fn four(first: u32) -> Four {
        Four { elements: [first, first + 1, first + 2, first + 3] }
    }
}

kernel_and_oracle! {
    orders, orders_plainly,
    (items: &[Item], x: &[u32], out: &mut [u32]) {
        let zero = Item { weight: 0, value: 0 };
        out[0] = items.iter().max_by(|a, b| a.cmp(b)).map_or(0, |item| item.weight);
        out[1] = items.iter().copied().min().unwrap_or(zero).weight;
        out[2] = items.iter().copied().max().unwrap_or(zero).weight;
        out[3] = items.iter().max_by(|a, b| a.partial_cmp(b).unwrap()).map_or(0, |item| item.weight);
        out[4] = items.iter().enumerate().min_by_key(|(_, item)| **item).map_or(0, |(i, _)| i as u32);
        out[5] = x.iter().max_by(|a, b| cmp(a, b)).copied().unwrap_or(0);
        out[6] = x.iter().copied().max_by(u32::cmp).unwrap_or(0);
        let larger = Item { weight: 10, value: 8 };
        out[7] = std::cmp::max(larger, items[0]).weight;
        out[8] = std::cmp::min(items[0], larger).weight;
        out[9] = items[0].max(items[1]).weight;
        out[10] = std::cmp::max(x[0] + 1, x[1] * 2);
        let mut item = items[1];
        item.swap(3, 4);
        out[11] = item.weight + item.value;
        out[12] = x.iter().copied().max_by(elsewhere::LastDigit::cmp).unwrap_or(0);
        out[13] = x.iter().copied().min_by(elsewhere::LastDigit::cmp).unwrap_or(0);
        let mut four = elsewhere::four(x[0]);
        four.swap(0, 1);
        out[14] = four[0] * 1000 + four[1];
        let mut numbers = [x[0], x[1]];
        numbers.swap(0, 1);
        out[15] = numbers[0];
        out[16] = x.iter().copied().max_by(Ord::cmp).unwrap_or(0);
    }
}

fn orders_are_those_of_their_types(bench: &Bench) {
    let items = vec![Item { weight: 9, value: 1 }, Item { weight: 1, value: 7 }, Item { weight: 4, value: 5 }];
    let x = vec![19, 12, 25];
    let (mut out, mut expected) = (vec![0; 17], vec![0; 17]);
    orders_plainly(&items, &x, &mut expected);
    launch!(bench, orders(&items, &x, &mut out), 1, 1);
    assert_eq!(out, expected);
}
