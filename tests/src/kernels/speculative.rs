//! Loops that compute first and check then: they must fail as if they checked each index in its turn.

use gpu_runtime::FailureCause::IndexOutOfBounds;
use gpu_runtime::prelude::*;

use crate::bench::{Bench, Failure};
use crate::{cases, launch, try_launch};

cases![
    an_automaton_fails_at_its_first_bad_state,
    an_index_that_an_earlier_check_shows_is_checked,
    chains_end_where_they_did,
    threads_fail_alone,
    an_index_under_a_condition_fails_where_that_is_true,
    a_loop_of_any_length_ends_where_it_fails,
];

/// The failure of a thread.
#[track_caller]
fn assert_fails(outcome: Result<(), Failure>, kernel: &str, line: u32, [index, len]: [u64; 2], thread: u32) {
    let cause = IndexOutOfBounds { index, len };
    let expected = Failure { kernel: kernel.to_owned(), line, cause, block: [0; 3], thread: [thread, 0, 0] };
    assert_eq!(outcome, Err(expected));
}

const STATE_LINE: u32 = line!() + 9;

/// How often an automaton with four letters is in its last state.
#[gpu_kernel]
pub fn automaton(text: &[u8], next: &[u8], steps: usize, out: &mut [u32]) {
    if grid_1d() == 0 {
        let (mut state, mut count) = (out[0] as usize, 0u32);
        let mut visits = 1;
        for k in 0..steps {
            state = next[state * 4 + text[k] as usize] as usize;
            visits += 1;
            if state == 2 {
                count += 1;
            }
        }
        out[0] = state as u32;
        out[1] = count;
        out[2] = visits;
    }
}

fn an_automaton_fails_at_its_first_bad_state(bench: &Bench) {
    let next = vec![1, 0, 0, 0, 1, 2, 0, 0, 1, 0, 2, 9];
    let try_with = |text: &[u8], steps: usize, next: &Vec<u8>, out: &mut Vec<u32>| {
        try_launch!(bench, automaton(&text.to_vec(), next, steps, out), 1, 1)
    };
    let mut out = vec![0; 3];
    assert_eq!(try_with(&[0, 1, 2, 2, 0, 1, 1, 0, 0, 1], 10, &next, &mut out), Ok(()));
    assert_eq!(out, [2, 5, 11]);
    // A state that does not exist, and behind it what would be one again.
    for at in 0..11 {
        let mut text = vec![0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0];
        text[2 + at] = 3;
        let mut out = vec![0; 3];
        assert_fails(try_with(&text, 14, &next, &mut out), "automaton", STATE_LINE, [36 + u64::from(text[3 + at]), 12], 0);
        assert_eq!(out, [0; 3]);
    }
    // A text that ends, which no state shows.
    for steps in 3..12 {
        let mut out = vec![0; 3];
        assert_fails(try_with(&[0, 1, 2], steps + 1, &next, &mut out), "automaton", STATE_LINE, [3, 3], 0);
    }
    let mut out = vec![1, 0, 0];
    assert_eq!(try_with(&[], 0, &Vec::new(), &mut out), Ok(()));
    assert_eq!(out, [1, 0, 1]);
    assert_fails(try_with(&[], 1, &next, &mut out), "automaton", STATE_LINE, [0, 0], 0);
    assert_fails(try_with(&[0], 1, &Vec::new(), &mut out), "automaton", STATE_LINE, [4, 0], 0);
}

const GUARDED_LINE: u32 = line!() + 12;

/// A row of a sparse matrix whose rows are filled up with negative columns, which select others; and what stands there.
#[gpu_kernel]
pub fn padded_row(columns: &[i32], x: &[i32], others: &[i32], count: usize, out: &mut [i32]) {
    if grid_1d() == 0 {
        let (mut sum, mut weight) = (0, 1);
        for k in 0..count {
            let column = columns[k];
            if column >= 0 {
                if column % 5 != 3 {
                    let next = column as usize + 1;
                    sum += weight * x[next];
                }
            } else {
                sum -= others[(column + 9) as usize];
            }
            weight = weight * 3 % 101;
            out[k] = sum;
        }
    }
}

fn an_index_under_a_condition_fails_where_that_is_true(bench: &Bench) {
    let (x, others): (Vec<i32>, Vec<i32>) = ((0..8).map(|k| k * k).collect(), (0..9).map(|k| 100 + k).collect());
    let try_with = |columns: &Vec<i32>, out: &mut Vec<i32>| try_launch!(bench, padded_row(columns, &x, &others, columns.len(), out), 1, 1);
    for count in [1, 4, 7, 8, 13, 40] {
        let columns: Vec<i32> = (0..count)
            .map(|k| {
                if k % 4 == 1 {
                    -1 - k % 9
                } else if k % 6 == 0 {
                    8 + 5 * k
                } else {
                    k % 7
                }
            })
            .collect();
        let mut expected = Vec::new();
        let (mut sum, mut weight) = (0, 1);
        for &column in &columns {
            match column {
                0.. if column % 5 != 3 => sum += weight * x[column as usize + 1],
                0.. => {}
                _ => sum -= others[(column + 9) as usize],
            }
            weight = weight * 3 % 101;
            expected.push(sum);
        }
        let mut out = vec![0; count as usize];
        assert_eq!(try_with(&columns, &mut out), Ok(()));
        assert_eq!(out, expected);
        for bad in 0..count as usize {
            for (column, line, index) in
                [(7, 0, [8, 8]), (1004, 0, [1005, 8]), (-10, 3, [u64::MAX, 9]), (i32::MIN, 3, [9 + (i32::MIN as i64) as u64, 9])]
            {
                let mut columns = columns.clone();
                columns[bad] = column;
                let mut out = vec![0; count as usize];
                assert_fails(try_with(&columns, &mut out), "padded_row", GUARDED_LINE + line, index, 0);
                // Everything before the failure is done.
                assert_eq!(out[..bad], expected[..bad]);
                assert!(out[bad..].iter().all(|&sum| sum == 0));
            }
        }
    }
}

const WEIGHT_LINE: u32 = line!() + 8;

/// The weights along a chain, each twice: the second index is in bounds because the first was.
#[gpu_kernel]
pub fn weights_of_chain(links: &[u32], weights: &[u32], steps: usize, out: &mut [u32]) {
    if grid_1d() == 0 {
        let (mut at, mut total) = (0, 0u32);
        for _ in 0..steps {
            total += weights[at];
            total += weights[at] * 10;
            at = links[at] as usize;
        }
        out[0] = total;
    }
}

fn an_index_that_an_earlier_check_shows_is_checked(bench: &Bench) {
    let (links, weights) = (vec![2, 0, 3, 1, u32::MAX], vec![1, 2, 3, 4, 5]);
    let mut out = vec![0];
    launch!(bench, weights_of_chain(&links, &weights, 6, &mut out), 1, 1);
    assert_eq!(out, [11 * (1 + 3 + 4 + 2 + 1 + 3)]);
    let far = vec![2, 0, 4, 1, u32::MAX];
    for steps in 4..10 {
        let outcome = try_launch!(bench, weights_of_chain(&far, &weights, steps, &mut out), 1, 1);
        assert_fails(outcome, "weights_of_chain", WEIGHT_LINE, [u64::from(u32::MAX), 5], 0);
    }
    let outcome = try_launch!(bench, weights_of_chain(&links, &weights[..3].to_vec(), 5, &mut out), 1, 1);
    assert_fails(outcome, "weights_of_chain", WEIGHT_LINE, [3, 3], 0);
}

const LINK_LINE: u32 = line!() + 13;

/// Follows links, over those that are odd, up to one that is its own.
#[gpu_kernel]
pub fn last_of_chain(links: &[usize], steps: usize, out: &mut [usize]) {
    let i = grid_1d();
    if i < out.len() {
        let mut at = i;
        let mut seen = 0;
        for _ in 0..steps {
            if seen > 100 {
                break;
            }
            let link = links[at];
            if link == at {
                break;
            }
            at = link;
            if link % 2 == 1 {
                continue;
            }
            seen += link;
        }
        out[i] = at + 1000 * seen;
    }
}

fn chains_end_where_they_did(bench: &Bench) {
    let links = vec![1, 2, 3, 4, 4, 0, 5, 9, 7];
    let mut out = vec![0; 9];
    let mut only = vec![0; 7];
    launch!(bench, last_of_chain(&links[..7].to_vec(), 20, &mut only), 1, 7);
    assert_eq!(only, [4 + 6000, 4 + 6000, 4 + 4000, 4 + 4000, 4, 4 + 6000, 4 + 6000]);
    let outcome = try_launch!(bench, last_of_chain(&links, 20, &mut out), 1, 8);
    assert_fails(outcome, "last_of_chain", LINK_LINE, [9, 9], 7);
    // The chain ends before it leaves the array.
    launch!(bench, last_of_chain(&links, 1, &mut out), 1, 9);
    assert_eq!(out[7..], [9, 7]);
}

fn threads_fail_alone(bench: &Bench) {
    let links = vec![1, 0, 3, 2, 5, 4, 88];
    let mut out = vec![7; 7];
    let outcome = try_launch!(bench, last_of_chain(&links, 3, &mut out), 1, 7);
    assert_fails(outcome, "last_of_chain", LINK_LINE, [88, 7], 6);
    assert_eq!(out[6], 7);
}

fn a_loop_of_any_length_ends_where_it_fails(bench: &Bench) {
    let outcome = try_launch!(bench, last_of_chain(&vec![2, 0, 4, 9, 0], usize::MAX, &mut vec![0; 4]), 1, 4);
    assert_fails(outcome, "last_of_chain", LINK_LINE, [9, 5], 3);
}
