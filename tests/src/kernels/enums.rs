//! Enums without data: in arrays, variables, parameters, constants, patterns and comparisons.

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch, value_arguments};

cases![instructions_of_an_enum_are_run, states_follow_each_other, variants_are_numbers, variants_are_matched_with_braces,];

/// What a stack machine does next.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(u8)]
pub enum Op {
    Push,
    Add,
    Multiply = 7,
    Negate,
    Swap,
    Stop = 255,
}

/// Runs a program on a number.
#[gpu_kernel]
pub fn machine(ops: &[Op], values: &[i32], x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i >= x.len() {
        return;
    }
    let mut stack = [0i32; 8];
    let mut top = 1;
    stack[0] = x[i];
    let mut at = 0;
    while at < ops.len() && ops[at] != Op::Stop {
        match ops[at] {
            Op::Push => {
                stack[top] = values[at];
                top += 1;
            }
            op @ (Op::Add | Op::Multiply) => {
                top -= 1;
                stack[top - 1] = if op == Op::Add { stack[top - 1] + stack[top] } else { stack[top - 1] * stack[top] };
            }
            Op::Negate => stack[top - 1] = -stack[top - 1],
            Op::Swap if top < 2 => panic!("there is one number only"),
            Op::Swap => (stack[top - 1], stack[top - 2]) = (stack[top - 2], stack[top - 1]),
            Op::Stop => break,
        }
        at += 1;
    }
    out[i] = stack[top - 1];
}

fn instructions_of_an_enum_are_run(bench: &Bench) {
    // (3 - x) * 5 + x * 0 …: push 3, swap, negate, add, push 5, multiply, stop, push 1.
    let ops = vec![Op::Push, Op::Swap, Op::Negate, Op::Add, Op::Push, Op::Multiply, Op::Stop, Op::Push];
    let values = vec![3, 0, 0, 0, 5, 0, 0, 1];
    let x: Vec<i32> = (-40..40).collect();
    let mut out = vec![0; x.len()];
    launch!(bench, machine(&ops, &values, &x, &mut out), 3, 32);
    assert_eq!(out, x.iter().map(|x| (3 - x) * 5).collect::<Vec<_>>());
}

/// A light.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(i32)]
pub enum Light {
    Red = -3,
    Green = 0,
    Amber = 1 << 20,
}

value_arguments![Light];

pub const FIRST: Light = Light::Red;

/// The light after this one.
#[gpu_device]
pub fn after(light: Light, is_night: bool) -> Light {
    match (light, is_night) {
        (_, true) => Light::Amber,
        (Light::Red, _) => Light::Green,
        (Light::Green, _) => Light::Amber,
        (Light::Amber, _) => FIRST,
    }
}

/// Each light as it is after some changes, and how often it was green.
#[gpu_kernel]
pub fn lights(begin: Light, changes: &[u32], lights: &mut [Light], greens: &mut [u32]) {
    let i = grid_1d();
    if i < changes.len() && i < lights.len() && i < greens.len() {
        let mut light = begin;
        let mut count = 0;
        for k in 0..changes[i] {
            light = after(light, k == 5);
            if let Light::Green = light {
                count += 1;
            }
        }
        lights[i] = if count > 100 { Light::Red } else { light };
        greens[i] = count + if lights[i] == FIRST { 1000 } else { 0 };
    }
}

fn states_follow_each_other(bench: &Bench) {
    let changes: Vec<u32> = (0..40).collect();
    let (mut out, mut greens) = (vec![Light::Green; 40], vec![0; 40]);
    launch!(bench, lights(Light::Amber, &changes, &mut out, &mut greens), 2, 32);
    for (i, &changes) in changes.iter().enumerate() {
        let (mut light, mut count) = (2, 0);
        for k in 0..changes {
            light = if k == 5 { 2 } else { (light + 1) % 3 };
            count += u32::from(light == 1);
        }
        assert_eq!(out[i], [Light::Red, Light::Green, Light::Amber][light]);
        assert_eq!(greens[i], count + if light == 0 { 1000 } else { 0 });
    }
}

/// `as`, arrays of enums and options of them.
#[gpu_kernel]
pub fn numbers(ops: &[Op], out: &mut [i64]) {
    let mut seen = [Op::Push; 8];
    let i = grid_1d();
    let t = thread_idx().x;
    if t < 8 && i < ops.len() {
        seen[t] = ops[i];
    }
    if i < ops.len() && i < out.len() && t < 8 {
        let pair = [seen[t], Op::Multiply];
        let last: Option<Op> = if ops[i] as u8 > 7 { Some(ops[i]) } else { None };
        out[i] = match last {
            Some(Op::Stop) => -1,
            Some(op) => op as i64,
            None => pair[0] as i64 * 100 + pair[1] as i64,
        };
        out[i] += Op::Negate as i64 * 1000;
    }
}

fn variants_are_numbers(bench: &Bench) {
    let ops = vec![Op::Push, Op::Add, Op::Multiply, Op::Negate, Op::Swap, Op::Stop];
    let mut out = vec![0; ops.len()];
    launch!(bench, numbers(&ops, &mut out), 1, 8);
    assert_eq!(out, [8007, 8107, 8707, 8008, 8009, 7999]);
}

/// Patterns with braces: of a variant without data as well as of one with some.
#[gpu_kernel]
pub fn with_braces(ops: &[Op], out: &mut [u32]) {
    let i = grid_1d();
    if i < ops.len() {
        out[i] = match ops[i] {
            Op::Push {} => 1,
            Op::Add { .. } | Op::Multiply { .. } => 2,
            Op::Negate if i > 3 => 3,
            op if matches!(op, Op::Stop { .. }) => 4,
            _ => 5,
        };
        if let Op::Swap { .. } = ops[i] {
            out[i] += 10;
        }
    }
}

fn variants_are_matched_with_braces(bench: &Bench) {
    let ops = vec![Op::Push, Op::Add, Op::Multiply, Op::Negate, Op::Negate, Op::Swap, Op::Stop];
    let mut out = vec![0; ops.len()];
    launch!(bench, with_braces(&ops, &mut out), 1, 32);
    assert_eq!(out, [1, 2, 2, 5, 3, 15, 4]);
}
