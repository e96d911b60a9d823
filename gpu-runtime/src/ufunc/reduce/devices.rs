//! Reductions on several devices at the same time.

use super::{ReduceFunction, reduce_meanwhile};
use crate::Result;
use crate::ufunc::{Expression, Lazy};

/// Folds the elements of each lazy array into one value. All GPUs have something to do before the host waits for the first one.
#[track_caller]
pub(crate) fn reduce_each<F, E>(lazies: &mut dyn Iterator<Item = Lazy<E>>) -> Vec<Result<F::Output>>
where
    F: ReduceFunction,
    E: Expression<Item = F::Output>,
{
    let mut results = Vec::new();
    while let Some(lazy) = lazies.next() {
        let mut later = Vec::new();
        results.push(reduce_meanwhile::<F, E>(lazy, &mut || later = reduce_each::<F, E>(lazies)));
        results.append(&mut later);
    }
    results
}
