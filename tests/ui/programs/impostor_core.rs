//! A crate that takes the name of core, to answer what generated code asks of it.

#![allow(unused_imports)]

extern crate self as core;

pub use std::{
    any, array, assert, cell, cfg, clone, column, concat, convert, default, file, fmt, future, hint, iter, line, marker, mem, num, ops, option,
    panic, pin, primitive, ptr, result, slice, stringify, sync, task, unreachable,
};

pub mod cmp {
    pub use std::cmp::*;

    pub trait Ord: Sized {
        fn min(self, other: Self) -> Self;
    }

    impl Ord for usize {
        fn min(self, _: usize) -> usize {
            self & 3
        }
    }
}

use gpu_runtime::prelude::*;

/// `k` is `i` for the proof.
#[gpu_kernel] //~
fn race(out: &mut [u32]) {
    let i = grid_1d();
    let k = i.min(0xffff_ffff_ffff_ffff);
    if i < out.len() {
        out[k] += 1;
    }
}

#[gpu_device] //~
fn smaller(a: usize, b: usize) -> usize {
    a.min(b)
}

#[vectorize] //~
fn one_more(x: u32) -> u32 {
    x + 1
}

fn main() {}
