//! What emission needs to know of a function beyond its model, found once for all emitters.

use super::aliasing::threads_see_each_others_writes;
use super::coarsening::suits_several_elements;
use super::collectives::may_wait_for_grid;
use super::range_reduction::shared_angles;
use crate::model::*;

pub(crate) struct Analysis {
    /// Whether a thread may run the function for several elements.
    pub(crate) several_elements: bool,
    /// Whether a thread may see what others write to the `&mut` parameters.
    pub(crate) sees_others_writes: bool,
    /// Whether the threads of the grid may wait for each other in it.
    pub(crate) may_wait_for_grid: bool,
    /// For each local, whether several functions are called that begin with the reduction of its angle.
    pub(crate) shared_angles: Vec<bool>,
}

/// Analyzes a function whose accesses are proved.
pub(crate) fn analyze(function: &Function) -> Analysis {
    Analysis {
        several_elements: suits_several_elements(function),
        sees_others_writes: threads_see_each_others_writes(function),
        may_wait_for_grid: may_wait_for_grid(&function.body),
        shared_angles: shared_angles(function),
    }
}
