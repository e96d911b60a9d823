//! The corpus against brute force: each proved kernel runs on small launches, thread by thread, with any values in its arrays.
//!
//! No two threads use an element of a `&mut` parameter that one of them writes, or an element of a proved shared array without a barrier
//! between; no index is out of bounds whose check the launch leaves out; and the threads of a block come to the same barriers.

use super::corpus::corpus;
use super::launches::assert_launched;

#[test]
#[ignore = "brute force, which `.ci/run` does"]
fn no_launch_of_a_textbook_kernel_refutes_a_proof() {
    let kernels = corpus();
    let names: Vec<String> = kernels.iter().map(|kernel| kernel.name.to_string()).collect();
    assert_launched(names.iter().map(String::as_str).zip(kernels), &[]);
}
