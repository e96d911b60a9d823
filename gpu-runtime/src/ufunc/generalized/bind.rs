//! From the shapes of arguments to the extents of the signature's dimensions, and to the loop around the calls.

use std::panic::Location;

use crate::memory::{Layout, Shape};
use crate::ufunc::item::Component;
use crate::ufunc::plan;
use crate::{Error, Result};

/// What `#[guvectorize("(m,n),(n)->(m)")]` says.
#[derive(Debug)]
pub struct Signature {
    /// It as the user wrote it.
    pub text: &'static str,
    /// The dimensions, in the order in which they first occur.
    pub dimensions: &'static [Dimension],
    /// The inputs and then the outputs.
    pub operands: &'static [CoreOperand],
    /// How many of the operands are inputs.
    pub inputs: usize,
    /// The dimensions whose extents are the last parameters of the function.
    pub extent_parameters: &'static [usize],
}

/// A dimension of core arrays.
#[derive(Debug)]
pub struct Dimension {
    /// Its name, or the number that it is fixed at.
    pub name: &'static str,
    /// The extent, if it is fixed.
    pub extent: Option<usize>,
}

/// An input or output of one call.
#[derive(Debug)]
pub struct CoreOperand {
    /// The name of the parameter.
    pub name: &'static str,
    /// The type of its elements.
    pub element: Component,
    /// Its core axes, as indices into [`Signature::dimensions`].
    pub core: &'static [usize],
}

impl Signature {
    pub(super) fn inputs(&self) -> &'static [CoreOperand] {
        &self.operands[..self.inputs]
    }

    pub(super) fn outputs(&self) -> &'static [CoreOperand] {
        &self.operands[self.inputs..]
    }

    /// Whether the function returns the operand with that number. Outputs that are core arrays it takes as slices.
    pub(super) fn is_returned(&self, number: usize) -> bool {
        number >= self.inputs && self.operands[number].core.is_empty()
    }
}

/// The loop around the calls of a function, for certain arguments.
#[derive(Debug, PartialEq)]
pub(super) struct Bound {
    /// The extent of each dimension of the signature.
    pub(super) extents: Vec<usize>,
    /// The shape of the loop.
    pub(super) shape: Shape,
    /// The shape of each output.
    pub(super) outputs: Vec<Shape>,
}

impl Bound {
    /// Whether no call has anything to write. A loop over nothing but empty core arrays may be longer than any memory.
    pub(super) fn is_empty(&self) -> bool {
        self.outputs.iter().all(|shape| shape.checked_len() == Some(0))
    }
}

/// Finds the extents of the dimensions and the loop for inputs of these shapes.
// Compiled only where it is used.
#[inline]
pub(super) fn bind(
    function: &'static str,
    signature: &'static Signature,
    shapes: &[Shape],
    place: &'static Location<'static>,
) -> Result<Bound> {
    assert_eq!(shapes.len(), signature.inputs, "every input has an argument");
    let mismatch = |message: String| Error::Signature { function, signature: signature.text, message, location: place };
    let mut extents: Vec<Option<usize>> = signature.dimensions.iter().map(|dimension| dimension.extent).collect();
    let mut found_in: Vec<Option<usize>> = vec![None; extents.len()];
    let mut loops: Vec<Shape> = Vec::new();
    for (number, (operand, shape)) in signature.operands.iter().zip(shapes).enumerate() {
        let Some(loop_rank) = shape.rank().checked_sub(operand.core.len()) else {
            return Err(mismatch(format!(
                "`{}` has shape {shape}, but needs at least {} axes for ({})",
                operand.name,
                operand.core.len(),
                names(signature, operand)
            )));
        };
        let (loop_extents, core_extents) = shape.extents().split_at(loop_rank);
        for (&dimension, &extent) in operand.core.iter().zip(core_extents) {
            let Dimension { name, extent: fixed } = signature.dimensions[dimension];
            match (*extents[dimension].get_or_insert(extent), found_in[dimension]) {
                (known, _) if known == extent => found_in[dimension] = found_in[dimension].or(Some(number)),
                (known, Some(other)) if fixed.is_none() => {
                    let (first, first_shape) = (signature.operands[other].name, shapes[other]);
                    return Err(mismatch(format!(
                        "`{name}` is {known} in `{first}` of shape {first_shape}, but {extent} in `{}` of shape {shape}",
                        operand.name
                    )));
                }
                (known, _) => {
                    return Err(mismatch(format!(
                        "`{}` has shape {shape}, where the extent of an axis must be {known} but is {extent}",
                        operand.name
                    )));
                }
            }
        }
        loops.push(Shape::from_extents(loop_extents).expect("a part of a shape"));
    }
    let shape = plan::broadcast_shapes(&loops).map_err(|shapes| plan::mismatch(function, *shapes, place))?;
    let extents: Vec<usize> = extents.into_iter().map(|extent| extent.expect("the macro sees that an input has every dimension")).collect();
    let outputs = signature.outputs().iter().map(|operand| full_shape(function, shape, operand, &extents, place)).collect::<Result<_>>()?;
    Ok(Bound { extents, shape, outputs })
}

/// The loop axes and then the core axes of an operand.
// Compiled only where it is used.
#[inline]
fn full_shape(
    function: &'static str,
    loops: Shape,
    operand: &CoreOperand,
    extents: &[usize],
    place: &'static Location<'static>,
) -> Result<Shape> {
    let all: Vec<usize> = loops.extents().iter().copied().chain(operand.core.iter().map(|&dimension| extents[dimension])).collect();
    Shape::from_extents(&all).ok_or(Error::ResultTooManyAxes { function, rank: all.len(), location: place })
}

// Compiled only where it is used.
#[inline]
fn names(signature: &Signature, operand: &CoreOperand) -> String {
    let names: Vec<&str> = operand.core.iter().map(|&dimension| signature.dimensions[dimension].name).collect();
    names.join(",")
}

/// The loop part of a layout, if its last `core` axes are in C order and can be a slice.
pub(super) fn loop_layout(layout: &Layout, core: usize) -> Option<Layout> {
    let (loop_extents, core_extents) = layout.shape.extents().split_at(layout.shape.rank() - core);
    let (loop_strides, core_strides) = layout.strides().split_at(loop_extents.len());
    let core_layout = Layout::new(Shape::from_extents(core_extents)?, core_strides);
    core_layout.is_c_order().then(|| Layout::new(Shape::from_extents(loop_extents).expect("a part of a shape"), loop_strides))
}

/// How many elements a core array of `operand` has.
pub(super) fn core_len(operand: &CoreOperand, extents: &[usize]) -> usize {
    super::core_arrays::len(&operand.core.iter().map(|&dimension| extents[dimension]).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    static MATVEC: Signature = Signature {
        text: "(m,n),(n)->(m)",
        dimensions: &[Dimension { name: "m", extent: None }, Dimension { name: "n", extent: None }],
        operands: &[
            CoreOperand { name: "a", element: Component::of::<f32>(), core: &[0, 1] },
            CoreOperand { name: "x", element: Component::of::<f32>(), core: &[1] },
            CoreOperand { name: "out", element: Component::of::<f32>(), core: &[0] },
        ],
        inputs: 2,
        extent_parameters: &[],
    };

    static CROSS: Signature = Signature {
        text: "(3),(3)->(3)",
        dimensions: &[Dimension { name: "3", extent: Some(3) }],
        operands: &[
            CoreOperand { name: "a", element: Component::of::<f64>(), core: &[0] },
            CoreOperand { name: "b", element: Component::of::<f64>(), core: &[0] },
            CoreOperand { name: "out", element: Component::of::<f64>(), core: &[0] },
        ],
        inputs: 2,
        extent_parameters: &[],
    };

    #[test]
    fn loop_axes_broadcast_and_core_axes_are_matched_by_name() {
        let bound = bind("matvec", &MATVEC, &[[150, 100].into(), [10, 100].into()], Location::caller()).unwrap();
        assert_eq!(bound, Bound { extents: vec![150, 100], shape: 10.into(), outputs: vec![[10, 150].into()] });
        let bound = bind("matvec", &MATVEC, &[[5, 1, 2, 3].into(), [4, 3].into()], Location::caller()).unwrap();
        assert_eq!((bound.shape, bound.outputs[0]), (Shape::from([5, 4]), Shape::from([5, 4, 2])));
    }

    #[test]
    fn what_does_not_match_is_named() {
        let error = |signature, shapes: &[Shape]| bind("f", signature, shapes, Location::caller()).unwrap_err().to_string();
        let message = error(&MATVEC, &[[2, 3].into(), [4].into()]);
        for part in ["`f`", "(m,n),(n)->(m)", "`n` is 3 in `a` of shape (2, 3), but 4 in `x` of shape (4,)"] {
            assert!(message.contains(part), "{message}");
        }
        assert!(error(&MATVEC, &[[2].into(), [4].into()]).contains("`a` has shape (2,), but needs at least 2 axes for (m,n)"));
        assert!(error(&CROSS, &[[2].into(), [3].into()]).contains("must be 3 but is 2"));
        assert!(error(&CROSS, &[[3].into(), [5, 4].into()]).contains("must be 3 but is 4"));
        assert!(error(&CROSS, &[[2, 3].into(), [5, 3].into()]).contains("(2,) and (5,)"));
    }

    #[test]
    fn core_axes_must_lie_in_c_order() {
        let transposed = Layout::new([4, 2, 3].into(), &[6, 1, 2]);
        assert_eq!(loop_layout(&transposed, 2), None);
        assert_eq!(loop_layout(&transposed, 0), Some(transposed));
        let every_other = Layout::new([4, 2, 3].into(), &[12, 3, 1]);
        assert_eq!(loop_layout(&every_other, 2), Some(Layout::new([4].into(), &[12])));
    }
}
