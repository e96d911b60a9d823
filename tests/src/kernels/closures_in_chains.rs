//! Closures of chains: how often they run, in which order, and what their names mean.

#![allow(clippy::redundant_closure_for_method_calls)] // Closures are what is tested.

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, kernel_and_oracle, launch};

cases![closures_run_as_often_as_in_std wraps = true, names_are_those_of_their_closures];

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
