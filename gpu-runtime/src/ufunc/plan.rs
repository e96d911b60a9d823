//! From the shapes of inputs to the loop that runs: broadcasting, and merging axes.

use std::panic::Location;

use super::input::{Input, InputKind, Inputs};
use crate::memory::{Layout, MAX_RANK, Shape};
use crate::{Error, Result};

/// The shape that inputs have together, by NumPy's rule: shapes are aligned at their last axes, and on each axis extents
/// are equal or 1.
pub(crate) fn broadcast(function: &'static str, inputs: &Inputs<'_>, place: &'static Location<'static>) -> Result<Shape> {
    inputs.check(function, place)?;
    let shapes: Vec<Shape> = inputs.list.iter().map(|input| input.layout.shape).collect();
    broadcast_shapes(&shapes).map_err(|shapes| mismatch(function, *shapes, place))
}

/// The error for the shapes that `broadcast_shapes` refuses.
pub(crate) fn mismatch(function: &'static str, (first, second): (Shape, Shape), location: &'static Location<'static>) -> Error {
    Error::BroadcastMismatch { function, first: first.into(), second: second.into(), location }
}

/// The shape that these have together, or the one that those before have together and the first that does not fit.
pub(crate) fn broadcast_shapes(shapes: &[Shape]) -> std::result::Result<Shape, Box<(Shape, Shape)>> {
    let mut extents = [1; MAX_RANK];
    let mut rank = 0;
    for &shape in shapes {
        let before = from_last(&extents[..rank]);
        rank = rank.max(shape.rank());
        // Extents are kept from the last axis backwards, so that shapes of different rank are aligned.
        for (axis, &extent) in shape.extents().iter().rev().enumerate() {
            if extents[axis] == 1 {
                extents[axis] = extent;
            } else if extent != 1 && extents[axis] != extent {
                return Err((before, shape).into());
            }
        }
    }
    Ok(from_last(&extents[..rank]))
}

fn from_last(extents: &[usize]) -> Shape {
    let mut extents = extents.to_vec();
    extents.reverse();
    Shape::from_extents(&extents).expect("no input has more axes than there can be")
}

/// How one operand, an input or output, follows the index of the elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Access {
    /// Element `i` of the loop is element `i` of the operand.
    Flat,
    /// The operand has one element.
    Fixed,
    /// The operand has a stride along each axis of the plan.
    Strided,
}

/// The loop over all elements: its shape after merging axes, and the strides of every operand along these.
#[derive(Debug)]
pub(crate) struct Plan {
    /// How many elements there are.
    pub(crate) len: usize,
    /// The extents of the merged axes, the outermost first. No extent is 1.
    pub(crate) extents: Vec<usize>,
    pub(crate) operands: Vec<Operand>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Operand {
    pub(crate) access: Access,
    /// Along the axes of the plan, in elements.
    pub(crate) strides: Vec<isize>,
}

impl Plan {
    /// The loop over `shape`, whose elements can be counted, for operands with these layouts, each of which broadcasts to it.
    pub(crate) fn new(shape: Shape, layouts: &[Layout]) -> Self {
        if shape.checked_len() == Some(0) {
            // The other extents may be anything: nothing is looked at.
            let operand = |_| Operand { access: Access::Flat, strides: vec![1] };
            return Self { len: 0, extents: vec![0], operands: layouts.iter().map(operand).collect() };
        }
        let mut extents: Vec<usize> = Vec::with_capacity(MAX_RANK);
        let all: Vec<[isize; MAX_RANK]> = layouts.iter().map(|layout| broadcast_strides(shape, layout)).collect();
        let mut merged: Vec<Vec<isize>> = vec![Vec::with_capacity(MAX_RANK); all.len()];
        for (axis, &extent) in shape.extents().iter().enumerate().filter(|&(_, &extent)| extent != 1) {
            let continues = |(strides, merged): (&[isize; MAX_RANK], &Vec<isize>)| {
                merged.last() == Some(&(strides[axis].wrapping_mul(extent as isize)))
            };
            if !extents.is_empty() && all.iter().zip(&merged).all(continues) {
                *extents.last_mut().expect("there is an axis") *= extent;
                all.iter().zip(&mut merged).for_each(|(strides, merged)| *merged.last_mut().expect("there is an axis") = strides[axis]);
            } else {
                extents.push(extent);
                all.iter().zip(&mut merged).for_each(|(strides, merged)| merged.push(strides[axis]));
            }
        }
        let len = extents.iter().product();
        let operands = merged.into_iter().map(|strides| Operand { access: access(&extents, &strides), strides }).collect();
        Self { len, extents, operands }
    }

    /// The loop over `shape` for these inputs, and for outputs with these layouts.
    pub(crate) fn of(shape: Shape, inputs: &[Input<'_>], outputs: &[Layout]) -> Self {
        let layouts: Vec<Layout> = inputs.iter().map(|input| input.layout).chain(outputs.iter().copied()).collect();
        Self::new(shape, &layouts)
    }

    /// The loop over a run of `len` elements. No operand may need coordinates.
    pub(crate) fn chunk(&self, len: usize) -> Self {
        debug_assert!(!self.needs_coordinates());
        Self { len, extents: vec![len], operands: self.operands.clone() }
    }

    /// What a kernel needs in order to find strided operands, as 64-bit words: the extents, what divides by each, the strides of each
    /// strided operand, and a zero.
    pub(crate) fn coordinate_words(&self) -> Vec<u64> {
        let mut words = Vec::new();
        if self.needs_coordinates() {
            words.extend(self.extents.iter().map(|&extent| extent as u64));
            words.extend(self.extents.iter().map(|&extent| divider(extent)));
            let strided = self.operands.iter().filter(|operand| operand.access == Access::Strided);
            words.extend(strided.flat_map(|operand| &operand.strides).map(|&stride| stride as u64));
        }
        words.push(0);
        words
    }

    /// After how many elements a strided operand repeats them, if it does: the length of a broadcast row.
    pub(crate) fn period(&self, operand: &Operand) -> Option<usize> {
        let first = operand.strides.iter().position(|&stride| stride != 0)?;
        (operand.access == Access::Strided && first > 0).then(|| self.extents[first..].iter().product())
    }

    /// Whether any operand needs the coordinates of an element.
    pub(crate) fn needs_coordinates(&self) -> bool {
        self.operands.iter().any(|operand| operand.access == Access::Strided)
    }
}

/// What divides 32-bit numbers by `divisor`, if that has 32 bits and is greater than 1: a factor, and by how many bits to shift. The
/// quotient of `n` is `(high + (n - high) / 2) >> shift`, where `high` is the upper half of the product of `n` and the factor. This is the
/// usual division by a constant, with a factor of 33 bits of which the highest is always set.
pub(crate) fn divider(divisor: usize) -> u64 {
    match u32::try_from(divisor) {
        Ok(divisor @ 2..) => {
            let bits = 32 - (divisor - 1).leading_zeros();
            let factor = (((1u64 << bits) - u64::from(divisor)) << 32) / u64::from(divisor) + 1;
            u64::from(bits - 1) << 32 | factor
        }
        _ => 0,
    }
}

/// The strides of a layout that is repeated to fill `shape`.
fn broadcast_strides(shape: Shape, layout: &Layout) -> [isize; MAX_RANK] {
    let mut strides = [0; MAX_RANK];
    let missing = shape.rank() - layout.shape.rank();
    for (axis, (&extent, &stride)) in layout.shape.extents().iter().zip(layout.strides()).enumerate() {
        if extent != 1 {
            strides[missing + axis] = stride;
        }
    }
    strides
}

fn access(extents: &[usize], strides: &[isize]) -> Access {
    if strides.iter().all(|&stride| stride == 0) {
        return Access::Fixed;
    }
    let mut expected = 1;
    for (&extent, &stride) in extents.iter().zip(strides).rev() {
        if stride != expected {
            return Access::Strided;
        }
        expected = expected.wrapping_mul(extent as isize);
    }
    Access::Flat
}

/// Which earlier input, if any, is the same memory seen the same way, or the same value: it need not be read twice, nor what is computed from it
/// be computed twice.
pub(crate) fn same_as(inputs: &[Input<'_>], index: usize) -> Option<usize> {
    let identity = |input: &Input<'_>| {
        let place = match input.kind {
            InputKind::Scalar { pointer } => (true, pointer),
            kind => (false, kind.pointer()?),
        };
        Some((place, input.layout, input.element))
    };
    let this = identity(&inputs[index])?;
    inputs[..index].iter().position(|other| identity(other) == Some(this))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(shapes: &[&[usize]]) -> Result<Shape> {
        let mut inputs = Inputs::default();
        for shape in shapes {
            inputs.index(Layout::c_order(Shape::from_extents(shape).unwrap()));
        }
        broadcast("f", &inputs, Location::caller())
    }

    #[test]
    fn shapes_broadcast_as_in_numpy() {
        assert_eq!(shapes(&[]).unwrap(), []);
        assert_eq!(shapes(&[&[3, 4], &[4]]).unwrap(), [3, 4]);
        assert_eq!(shapes(&[&[3, 1], &[4], &[]]).unwrap(), [3, 4]);
        assert_eq!(shapes(&[&[8, 1, 6, 1], &[7, 1, 5]]).unwrap(), [8, 7, 6, 5]);
        assert_eq!(shapes(&[&[0], &[1]]).unwrap(), [0]);
    }

    #[test]
    fn shapes_that_do_not_fit_are_named_both() {
        let error = shapes(&[&[3, 4], &[3]]).unwrap_err().to_string();
        assert!(error.contains("`f`") && error.contains("(3, 4)") && error.contains("(3,)"), "{error}");
        assert!(shapes(&[&[2, 1], &[8, 4, 3]]).is_err());
        assert!(shapes(&[&[0], &[2]]).is_err());
    }

    #[test]
    fn every_number_is_divided_exactly() {
        let quotient = |n: u32, divider: u64| {
            let high = ((u64::from(divider as u32) * u64::from(n)) >> 32) as u32;
            (high + (n - high) / 2) >> (divider >> 32)
        };
        let near = |n: u32| (n.saturating_sub(3)..=n).chain(n..=n.saturating_add(3));
        for divisor in (0..32).flat_map(|bit| near(1 << bit)).chain(near(u32::MAX)).chain([641, 1000, 6_700_417]).filter(|&d| d > 1) {
            let multiples = [0, divisor, u32::MAX / divisor * divisor, u32::MAX / 2 / divisor * divisor, u32::MAX];
            for n in multiples.into_iter().flat_map(near).chain((0..32).flat_map(|bit| near(1 << bit))) {
                assert_eq!(quotient(n, divider(divisor as usize)), n / divisor, "{n} / {divisor}");
            }
        }
    }

    fn plan(shape: &[usize], layouts: &[Layout]) -> Plan {
        Plan::new(Shape::from_extents(shape).unwrap(), layouts)
    }

    #[test]
    fn contiguous_operands_are_one_axis() {
        let c = Layout::c_order([2, 3, 4].into());
        let plan = plan(&[2, 3, 4], &[c, c, Layout::c_order([].into())]);
        assert_eq!((plan.len, &plan.extents[..]), (24, &[24][..]));
        let accesses: Vec<Access> = plan.operands.iter().map(|operand| operand.access).collect();
        assert_eq!(accesses, [Access::Flat, Access::Flat, Access::Fixed]);
        assert!(!plan.needs_coordinates());
    }

    #[test]
    fn a_row_that_is_repeated_keeps_two_axes() {
        let plan = plan(&[2, 3, 4], &[Layout::c_order([2, 3, 4].into()), Layout::c_order([4].into())]);
        assert_eq!(plan.extents, [6, 4]);
        assert_eq!(plan.operands[0].access, Access::Flat);
        assert_eq!(plan.operands[1], Operand { access: Access::Strided, strides: vec![0, 1] });
    }

    #[test]
    fn a_transposed_array_is_strided_and_a_single_axis_of_it_flat() {
        let transposed = Layout::new([4, 3].into(), &[1, 4]);
        let strided = plan(&[4, 3], &[Layout::c_order([4, 3].into()), transposed]);
        assert_eq!(strided.extents, [4, 3]);
        assert_eq!(strided.operands[1].access, Access::Strided);
        // One column: the other axis does not count.
        let column = Layout::new([4, 1].into(), &[1, 4]);
        assert_eq!(plan(&[4, 1], &[column]).operands[0].access, Access::Flat);
    }

    #[test]
    fn the_same_memory_as_another_type_is_another_input() {
        let memory = [1.0f32; 4];
        let mut inputs = Inputs::default();
        inputs.host(memory.as_ptr(), Layout::c_order(4.into()));
        inputs.host(memory.as_ptr().cast::<u32>(), Layout::c_order(4.into()));
        inputs.host(memory.as_ptr(), Layout::c_order(4.into()));
        assert_eq!([same_as(&inputs.list, 1), same_as(&inputs.list, 2)], [None, Some(0)]);
    }

    #[test]
    fn an_empty_axis_makes_an_empty_plan_whatever_the_others_are() {
        let huge = Shape::from([usize::MAX, 1, 0]);
        let plan = Plan::new(huge, &[Layout::c_order(huge)]);
        assert_eq!((plan.len, plan.needs_coordinates()), (0, false));
    }

    #[test]
    fn empty_and_single_arrays_have_plans() {
        assert_eq!(plan(&[0, 3], &[Layout::c_order([0, 3].into())]).len, 0);
        assert_eq!(plan(&[1, 1], &[Layout::c_order([1, 1].into())]).len, 1);
        assert_eq!(plan(&[], &[]).len, 1);
    }
}
