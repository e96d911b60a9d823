//! Random chains of view operations, against the same operations of the crate `ndarray`.

use std::collections::HashSet;

use gpu_runtime::prelude::*;
use gpu_runtime::{MAX_RANK, Shape};
use ndarray::{ArrayD, Axis, IxDyn, Slice};
use proptest::prelude::*;

/// One operation, with numbers that are brought into the range that the view at hand allows.
#[derive(Debug, Clone)]
enum Operation {
    Transpose,
    Permute(Vec<usize>),
    SwapAxes(usize, usize),
    SliceStep { axis: usize, from: usize, to: usize, step: isize },
    Reverse(usize),
    Index { axis: usize, index: usize },
    Insert(usize),
    Broadcast { repeats: Vec<usize> },
    Reshape { cut: usize, axis: usize },
}

fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let step = prop_oneof![1..4isize, -3..0isize, Just(isize::MAX), Just(isize::MIN)];
    let number = 0..usize::MAX;
    let operation = prop_oneof![
        Just(Operation::Transpose),
        Just((0..MAX_RANK).collect::<Vec<_>>()).prop_shuffle().prop_map(Operation::Permute),
        (number.clone(), number.clone()).prop_map(|(a, b)| Operation::SwapAxes(a, b)),
        (number.clone(), number.clone(), number.clone(), step).prop_map(|(axis, from, to, step)| Operation::SliceStep {
            axis,
            from,
            to,
            step
        }),
        number.clone().prop_map(Operation::Reverse),
        (number.clone(), number.clone()).prop_map(|(axis, index)| Operation::Index { axis, index }),
        number.clone().prop_map(Operation::Insert),
        prop::collection::vec(0..4usize, MAX_RANK).prop_map(|repeats| Operation::Broadcast { repeats }),
        (number.clone(), number).prop_map(|(cut, axis)| Operation::Reshape { cut, axis }),
    ];
    prop::collection::vec(operation, 0..8)
}

/// Extents of arrays small enough to look at every element often.
fn extents() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(prop_oneof![8 => 1..5usize, 1 => Just(0)], 0..=4)
}

/// An operation that the view allows, with its numbers in range.
enum Valid {
    Permute(Vec<usize>),
    SliceStep { axis: usize, from: usize, to: usize, step: isize },
    Index { axis: usize, index: usize },
    Insert(usize),
    Broadcast(Vec<usize>),
    Reshape(Vec<usize>),
}

impl Operation {
    /// What it comes down to for a view of that shape, if anything.
    fn on(&self, extents: &[usize]) -> Option<Valid> {
        let rank = extents.len();
        let axis_of = |number: usize| (rank > 0).then(|| number % rank);
        Some(match *self {
            Self::Transpose => Valid::Permute((0..rank).rev().collect()),
            Self::Permute(ref axes) => Valid::Permute(axes.iter().copied().filter(|&axis| axis < rank).collect()),
            Self::SwapAxes(a, b) => {
                let mut axes: Vec<_> = (0..rank).collect();
                axes.swap(axis_of(a)?, axis_of(b)?);
                Valid::Permute(axes)
            }
            Self::SliceStep { axis, from, to, step } => {
                let axis = axis_of(axis)?;
                let from = from % (extents[axis] + 1);
                Valid::SliceStep { axis, from, to: from + to % (extents[axis] - from + 1), step }
            }
            Self::Reverse(axis) => {
                let axis = axis_of(axis)?;
                Valid::SliceStep { axis, from: 0, to: extents[axis], step: -1 }
            }
            Self::Index { axis, index } => {
                let axis = axis_of(axis)?;
                Valid::Index { axis, index: index.checked_rem(extents[axis])? }
            }
            Self::Insert(axis) => (rank < MAX_RANK).then_some(Valid::Insert(axis % (rank + 1)))?,
            Self::Broadcast { ref repeats } => {
                // One new axis in front, and the axes of one element repeated, while that stays small.
                let mut wanted: Vec<_> = extents.iter().zip(repeats).map(|(&extent, &n)| if extent == 1 { n } else { extent }).collect();
                if rank < MAX_RANK {
                    wanted.insert(0, repeats[MAX_RANK - 1]);
                }
                (wanted.iter().product::<usize>() < 10_000).then_some(Valid::Broadcast(wanted))?
            }
            Self::Reshape { cut, axis } => {
                // All axes from one on become two.
                let axis = axis % (rank + 1);
                let len: usize = extents[axis..].iter().product();
                let inner = (1..=len).filter(|inner| len.is_multiple_of(*inner)).nth(cut % 3).unwrap_or(1);
                let wanted = [&extents[..axis], &[len / inner, inner]].concat();
                (wanted.len() <= MAX_RANK).then_some(Valid::Reshape(wanted))?
            }
        })
    }
}

/// What ndarray makes of it.
fn with_ndarray(array: &ArrayD<i32>, operation: &Valid) -> ArrayD<i32> {
    match operation {
        Valid::Permute(axes) => array.view().permuted_axes(IxDyn(axes)).to_owned(),
        &Valid::SliceStep { axis, from, to, step } => {
            array.slice_axis(Axis(axis), Slice::new(from as isize, Some(to as isize), step)).to_owned()
        }
        &Valid::Index { axis, index } => array.index_axis(Axis(axis), index).to_owned(),
        &Valid::Insert(axis) => array.clone().insert_axis(Axis(axis)),
        Valid::Broadcast(extents) => array.broadcast(IxDyn(extents)).unwrap().to_owned(),
        Valid::Reshape(extents) => array.to_shape(IxDyn(extents)).unwrap().to_owned(),
    }
}

fn shape(extents: &[usize]) -> Shape {
    Shape::from_extents(extents).unwrap()
}

/// The array `1, 2, 3, …` of that shape.
fn counted(extents: &[usize]) -> ArrayD<i32> {
    ArrayD::from_shape_vec(IxDyn(extents), (1..).take(extents.iter().product()).collect()).unwrap()
}

mod kernels {
    //! One thread that goes through a view in C order of its indices.

    use gpu_runtime::prelude::*;

    #[gpu_kernel]
    pub(super) fn read_1(a: View<i32, 1>, out: &mut [i32]) {
        if grid_1d() == 0 {
            let mut n = 0;
            let [first] = a.shape();
            for i in 0..first {
                out[n] = a[[i]];
                n += 1;
            }
        }
    }

    #[gpu_kernel]
    pub(super) fn read_2(a: View<i32, 2>, out: &mut [i32]) {
        if grid_1d() == 0 {
            let mut n = 0;
            let [first, second] = a.shape();
            for i in 0..first {
                for j in 0..second {
                    out[n] = a[[i, j]];
                    n += 1;
                }
            }
        }
    }

    #[gpu_kernel]
    pub(super) fn read_3(a: View<i32, 3>, out: &mut [i32]) {
        if grid_1d() == 0 {
            let mut n = 0;
            let [first, second, third] = a.shape();
            for i in 0..first {
                for j in 0..second {
                    for k in 0..third {
                        out[n] = a[[i, j, k]];
                        n += 1;
                    }
                }
            }
        }
    }

    #[gpu_kernel]
    pub(super) fn read_4(a: View<i32, 4>, out: &mut [i32]) {
        if grid_1d() == 0 {
            let mut n = 0;
            let [first, second, third, fourth] = a.shape();
            for i in 0..first {
                for j in 0..second {
                    for k in 0..third {
                        for l in 0..fourth {
                            out[n] = a[[i, j, k, l]];
                            n += 1;
                        }
                    }
                }
            }
        }
    }

    #[gpu_kernel]
    pub(super) fn add_1(values: &[i32], a: ViewMut<i32, 1>) {
        if grid_1d() == 0 {
            let mut n = 0;
            let [first] = a.shape();
            for i in 0..first {
                a[[i]] += values[n];
                n += 1;
            }
        }
    }

    #[gpu_kernel]
    pub(super) fn add_2(values: &[i32], a: ViewMut<i32, 2>) {
        if grid_1d() == 0 {
            let mut n = 0;
            let [first, second] = a.shape();
            for i in 0..first {
                for j in 0..second {
                    a[[i, j]] += values[n];
                    n += 1;
                }
            }
        }
    }

    #[gpu_kernel]
    pub(super) fn add_3(values: &[i32], a: ViewMut<i32, 3>) {
        if grid_1d() == 0 {
            let mut n = 0;
            let [first, second, third] = a.shape();
            for i in 0..first {
                for j in 0..second {
                    for k in 0..third {
                        a[[i, j, k]] += values[n];
                        n += 1;
                    }
                }
            }
        }
    }

    #[gpu_kernel]
    pub(super) fn add_4(values: &[i32], a: ViewMut<i32, 4>) {
        if grid_1d() == 0 {
            let mut n = 0;
            let [first, second, third, fourth] = a.shape();
            for i in 0..first {
                for j in 0..second {
                    for k in 0..third {
                        for l in 0..fourth {
                            a[[i, j, k, l]] += values[n];
                            n += 1;
                        }
                    }
                }
            }
        }
    }
}

/// What a kernel reads in the view, if it has as many axes as kernels take.
fn read_by_kernel(view: &DeviceView<'_, i32>) -> Option<Vec<i32>> {
    let mut out = view.device().zeros::<i32>(view.len()).unwrap();
    let launched = match view.rank() {
        1 => kernels::read_1(view, &mut out).launch(1, 1),
        2 => kernels::read_2(view, &mut out).launch(1, 1),
        3 => kernels::read_3(view, &mut out).launch(1, 1),
        4 => kernels::read_4(view, &mut out).launch(1, 1),
        _ => return None,
    };
    launched.unwrap();
    Some(out.to_host().unwrap())
}

/// Adds `values` to the elements, if a kernel takes as many axes.
fn add_by_kernel(values: &[i32], view: DeviceViewMut<'_, i32>) -> bool {
    let values = view.device().to_device(values).unwrap();
    let launched = match view.rank() {
        1 => kernels::add_1(&values, view).launch(1, 1),
        2 => kernels::add_2(&values, view).launch(1, 1),
        3 => kernels::add_3(&values, view).launch(1, 1),
        4 => kernels::add_4(&values, view).launch(1, 1),
        _ => return false,
    };
    launched.unwrap();
    true
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn views_are_those_of_ndarray(extents in extents(), operations in operations()) {
        let mut expected = counted(&extents);
        let array = DeviceArray::from_ndarray(&Device::cpu(), &expected).unwrap();
        let mut view = array.view();
        for operation in &operations {
            let Some(valid) = operation.on(expected.shape()) else { continue };
            view = match &valid {
                Valid::Permute(axes) => view.permute(axes),
                &Valid::SliceStep { axis, from, to, step } => view.slice_axis_step(axis, from..to, step),
                &Valid::Index { axis, index } => view.index_axis(axis, index),
                &Valid::Insert(axis) => view.insert_axis(axis),
                Valid::Broadcast(wanted) => view.broadcast_to(shape(wanted)).unwrap(),
                Valid::Reshape(wanted) => match view.reshape(shape(wanted)) {
                    Ok(view) => view,
                    Err(_) => {
                        prop_assert!(!view.is_contiguous(), "{view:?} cannot be reshaped to {wanted:?}");
                        continue;
                    }
                }
            };
            expected = with_ndarray(&expected, &valid);
            prop_assert_eq!(view.to_ndarray().unwrap(), &expected);
            if let Some(slice) = view.as_slice() {
                prop_assert_eq!(slice.to_host().unwrap(), view.to_host().unwrap());
            }
        }
        if let Some(read) = read_by_kernel(&view) {
            prop_assert_eq!(read, expected.iter().copied().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_mutable_view_has_each_element_once(extents in extents(), operations in operations()) {
        let mut array = DeviceArray::from_ndarray(&Device::cpu(), &counted(&extents)).unwrap();
        let mut view = array.view_mut();
        for operation in &operations {
            let Some(valid) = operation.on(view.shape().extents()) else { continue };
            view = match &valid {
                Valid::Permute(axes) => view.permute(axes),
                &Valid::SliceStep { axis, from, to, step } => view.slice_axis_step(axis, from..to, step),
                &Valid::Index { axis, index } => view.index_axis(axis, index),
                &Valid::Insert(axis) => view.insert_axis(axis),
                Valid::Broadcast(_) => continue,
                Valid::Reshape(wanted) if view.is_contiguous() => view.reshape(shape(wanted)).unwrap(),
                Valid::Reshape(_) => continue,
            };
        }
        let elements = view.to_host().unwrap();
        prop_assert_eq!(elements.iter().collect::<HashSet<_>>().len(), view.len());
        prop_assert!(elements.iter().all(|element| (1..=extents.iter().product::<usize>() as i32).contains(element)));

        let values: Vec<i32> = (1..).map(|i| i * 1000).take(elements.len()).collect();
        if add_by_kernel(&values, view) {
            let mut expected: Vec<i32> = counted(&extents).iter().copied().collect();
            for (element, value) in elements.iter().zip(&values) {
                // Each element is its number in the array.
                expected[*element as usize - 1] += value;
            }
            prop_assert_eq!(array.to_host().unwrap(), expected);
        }
    }
}
