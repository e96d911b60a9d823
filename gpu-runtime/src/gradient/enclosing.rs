//! The calls of `grad` and `jvp` that this thread is in, by the numbers of their variables.
//!
//! A derivative is an array, and an array is a constant for the call around it. So one that depends on that call's variables is refused: else
//! the outer derivative would be wrong, and nobody would know.

use std::cell::RefCell;
use std::collections::HashSet;
use std::panic::Location;

use super::backward::numbers;
use super::chain::{Differentiable, nodes_of};
use super::traced::Real;
use super::variables::Variables;
use crate::failure::called_or;
use crate::{Error, Result};

thread_local! {
    static CALLS: RefCell<Vec<Vec<u64>>> = const { RefCell::new(Vec::new()) };
}

/// While it lives, this thread is in a call with some variables.
pub(super) struct Enclosing(());

impl Enclosing {
    pub(super) fn enter<'a, T: Real>(variables: &impl Variables<'a, T>) -> Self {
        CALLS.with_borrow_mut(|calls| calls.push(numbers(variables)));
        Self(())
    }
}

impl Drop for Enclosing {
    fn drop(&mut self) {
        CALLS.with_borrow_mut(Vec::pop);
    }
}

/// An error if `function` computes a derivative of what depends on variables of a call that this thread is in.
#[track_caller]
pub(super) fn check_independent<'a, T: Real>(function: &'static str, of: &impl Differentiable<'a, T>) -> Result<()> {
    let location = Location::caller();
    CALLS.with_borrow(|calls| {
        let Some(oldest) = calls.iter().flatten().min() else { return Ok(()) };
        let (mut nodes, mut seen) = (nodes_of(of), HashSet::new());
        while let Some(node) = nodes.pop() {
            if node.number() < *oldest || !seen.insert(node.number()) {
                continue;
            }
            if calls.iter().flatten().any(|number| *number == node.number()) {
                return Err(Error::NestedDerivative { function: called_or(function), location });
            }
            nodes.extend_from_slice(node.parents());
        }
        Ok(())
    })
}
