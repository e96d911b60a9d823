//! Random expressions of arrays of random shapes and strides, against loops over arrays of the crate `ndarray`.

use std::cmp::Ordering;

use gpu_runtime::prelude::*;
use gpu_runtime::{Result, Shape, einsum, functions};
use ndarray::{ArrayD, Axis, IxDyn, Slice};
use proptest::prelude::*;

const MOST_AXES: usize = 4;

/// An array that goes with others whose shape is that of the test, and how it lies in memory.
#[derive(Debug, Clone)]
struct Operand {
    /// How many of the first axes it lacks.
    missing_axes: usize,
    /// Along which axes it has a single element, which is repeated.
    repeated: Vec<bool>,
    /// Whether it says so itself.
    broadcasts: bool,
    /// The steps from element to element along each axis.
    steps: Vec<isize>,
    /// The order of the axes in memory.
    order: Vec<usize>,
    /// What the elements are.
    seed: i32,
}

/// An expression of arrays: of three results of others, each in an array of its own, or of an operand.
#[derive(Debug, Clone)]
enum Tree {
    Operand(Operand),
    Formula { number: usize, children: Box<[Tree; 3]> },
}

fn operands() -> impl Strategy<Value = Operand> {
    let step = prop_oneof![4 => Just(1isize), 1 => Just(2), 1 => Just(3), 1 => Just(-1), 1 => Just(-2)];
    (
        0..=MOST_AXES,
        prop::collection::vec(prop::bool::weighted(0.25), MOST_AXES),
        any::<bool>(),
        prop::collection::vec(step, MOST_AXES),
        Just((0..MOST_AXES).collect::<Vec<_>>()).prop_shuffle(),
        0..1000,
    )
        .prop_map(|(missing, repeated, broadcasts, steps, order, seed)| Operand {
            // Most have all axes.
            missing_axes: if missing > 2 { 0 } else { missing },
            repeated,
            broadcasts,
            steps,
            order,
            seed,
        })
}

fn trees() -> impl Strategy<Value = Tree> {
    let formula = |children: BoxedStrategy<Tree>| {
        (0..FORMULAS, children.clone(), children.clone(), children)
            .prop_map(|(number, a, b, c)| Tree::Formula { number, children: Box::new([a, b, c]) })
    };
    let leaf = || operands().prop_map(Tree::Operand).boxed();
    formula(prop_oneof![2 => leaf(), 1 => formula(leaf())].boxed())
}

fn extents() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(prop_oneof![8 => 1..6usize, 1 => Just(0)], 0..=MOST_AXES)
}

/// A device array, and how to look at it.
struct Placed {
    array: DeviceArray<f64>,
    /// What it shows.
    expected: ArrayD<f64>,
    order: Vec<usize>,
    steps: Vec<isize>,
    broadcast: Option<Vec<usize>>,
}

impl Operand {
    fn place(&self, device: &Device, extents: &[usize]) -> Result<Placed> {
        let extents = &extents[self.missing_axes.min(extents.len())..];
        let rank = extents.len();
        let own: Vec<usize> = extents.iter().zip(&self.repeated).map(|(&extent, &one)| if one { 1 } else { extent }).collect();
        // Memory has the axes in another order, and room for the elements that the steps leave out.
        let order: Vec<usize> = self.order.iter().copied().filter(|&axis| axis < rank).collect();
        let mut stored = vec![0; rank];
        for (axis, &place) in order.iter().enumerate() {
            stored[place] = own[axis] * self.steps[axis].unsigned_abs();
        }
        // Small whole numbers: what the formulas make of them is exact.
        let values = (0..).map(|i: i32| f64::from((i * 7919 + self.seed) % 17 - 8)).take(stored.iter().product()).collect();
        let memory = ArrayD::from_shape_vec(IxDyn(&stored), values).expect("as many values as elements");
        let mut shown = memory.view().permuted_axes(IxDyn(&order));
        for axis in 0..rank {
            shown.slice_axis_inplace(Axis(axis), Slice::new(0, None, self.steps[axis]));
        }
        let broadcast = self.broadcasts.then(|| extents.to_vec());
        let expected = shown.broadcast(broadcast.as_deref().unwrap_or(&own)).expect("axes of one element are repeated").to_owned();
        let steps = self.steps[..rank].to_vec();
        Ok(Placed { array: DeviceArray::from_ndarray(device, &memory)?, expected, order, steps, broadcast })
    }
}

impl Placed {
    fn view(&self) -> Result<DeviceView<'_, f64>> {
        let mut view = self.array.view().permute(&self.order);
        for (axis, &step) in self.steps.iter().enumerate() {
            view = view.slice_axis_step(axis, .., step);
        }
        match &self.broadcast {
            Some(extents) => view.broadcast_to(Shape::from_extents(extents).expect("few axes")),
            None => Ok(view),
        }
    }
}

/// Formulas of three arrays or lazy arrays, and of three numbers.
macro_rules! formulas {
    ($(|$a:ident, $b:ident, $c:ident| $formula:expr, $plain:expr;)*) => {
        const FORMULAS: usize = [$(stringify!($formula)),*].len();

        fn compute(number: usize, [a, b, c]: [DeviceView<'_, f64>; 3]) -> Result<DeviceArray<f64>> {
            let formulas = [$(|$a: DeviceView<'_, f64>, $b: DeviceView<'_, f64>, $c: DeviceView<'_, f64>| $formula.collect()),*];
            formulas[number](a, b, c)
        }

        fn compute_plain(number: usize, [a, b, c]: [f64; 3]) -> f64 {
            let formulas: [fn(f64, f64, f64) -> f64; FORMULAS] = [$(|$a, $b, $c| $plain),*];
            formulas[number](a, b, c)
        }
    };
}

formulas! {
    |a, b, c| (a + b) * c, (a + b) * c;
    |a, b, c| 2.0 * a - b * c, 2.0 * a - b * c;
    |a, b, c| a.lazy().lt(b).select(c, -a), if a < b { c } else { -a };
    |a, b, c| -(a - b).max_with(c), -(a - b).max(c);
    |a, b, c| (a * a - 3.0).abs() + lazy(&b).min_with(c), (a * a - 3.0).abs() + b.min(c);
    |a, b, c| (a.lazy().ge(b) & !b.lazy().eq(c)).select(a, 1.0) - c, if a >= b && b != c { a } else { 1.0 } - c;
    |a, b, c| (a % 4.0) / 0.5 + (b - c).clamp(-3.0, 3.0), (a % 4.0) / 0.5 + (b - c).clamp(-3.0, 3.0);
    |a, b, c| 1.0 - (a + 0.5).floor().mul_add(b, c), 1.0 - (a + 0.5).floor().mul_add(b, c);
}

/// The shape that arrays of these shapes have together.
fn together(arrays: [&ArrayD<f64>; 3]) -> Vec<usize> {
    let rank = arrays.iter().map(|array| array.ndim()).max().unwrap_or(0);
    let mut extents = vec![1; rank];
    for array in arrays {
        for (extent, own) in extents.iter_mut().rev().zip(array.shape().iter().rev()) {
            *extent = if *extent == 1 { *own } else { *extent };
        }
    }
    extents
}

impl Tree {
    fn evaluate(&self, device: &Device, extents: &[usize]) -> Result<Placed> {
        let (number, children) = match self {
            Self::Operand(operand) => return operand.place(device, extents),
            Self::Formula { number, children } => (*number, children),
        };
        let [a, b, c] = [&children[0], &children[1], &children[2]].map(|child| child.evaluate(device, extents));
        let (a, b, c) = (a?, b?, c?);
        let array = compute(number, [a.view()?, b.view()?, c.view()?])?;
        let shape = together([&a.expected, &b.expected, &c.expected]);
        let whole =
            |placed: &Placed| -> ArrayD<f64> { placed.expected.broadcast(IxDyn(&shape)).expect("the shapes go together").to_owned() };
        let (a, b, c) = (whole(&a), whole(&b), whole(&c));
        let elements = a.iter().zip(&b).zip(&c).map(|((a, b), c)| compute_plain(number, [*a, *b, *c])).collect();
        let expected = ArrayD::from_shape_vec(IxDyn(&shape), elements).expect("as many elements as the shape says");
        Ok(Placed { array, expected, order: (0..shape.len()).collect(), steps: vec![1; shape.len()], broadcast: None })
    }
}

/// An array with `len` results along an axis: what `f` makes of each lane.
fn each_lane(x: &ArrayD<f64>, axis: usize, len: usize, f: impl Fn(&[f64]) -> Vec<f64>) -> ArrayD<f64> {
    let mut shape = x.shape().to_vec();
    shape[axis] = len;
    let mut results = ArrayD::zeros(IxDyn(&shape));
    for (lane, mut result) in x.lanes(Axis(axis)).into_iter().zip(results.lanes_mut(Axis(axis))) {
        result.assign(&ndarray::Array1::from(f(&lane.to_vec())));
    }
    results
}

/// Both are the same up to rounding, with NaN in the same places.
fn check(what: &str, found: Result<DeviceArray<f64>>, expected: &ArrayD<f64>) -> std::result::Result<(), TestCaseError> {
    let found = found.and_then(|found| found.to_ndarray()).unwrap();
    prop_assert_eq!(found.shape(), expected.shape(), "{}", what);
    let same = |(a, b): (&f64, &f64)| a == b || a.is_nan() && b.is_nan() || (a - b).abs() < 1e-12 * b.abs().max(1.0);
    prop_assert!(found.iter().zip(expected).all(same), "{}: {:?}, not {:?}", what, found, expected);
    Ok(())
}

/// The indices that sort a lane, with NaN last.
fn order(lane: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lane.len()).collect();
    order.sort_by(|&a, &b| lane[a].is_nan().cmp(&lane[b].is_nan()).then(lane[a].partial_cmp(&lane[b]).unwrap_or(Ordering::Equal)));
    order
}

fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let len = numbers.len() as f64;
    numbers.sum::<f64>() / len
}

/// What is computed along an axis of an operand in which the largest numbers are missing.
fn compare_lanes(device: &Device, placed: &Placed, axis: usize) -> std::result::Result<(), TestCaseError> {
    let (view, len) = (placed.view().unwrap(), placed.expected.shape()[axis]);
    let x = view.lazy().gt(6.0).select(f64::NAN, view);
    let expected = placed.expected.mapv(|number| if number > 6.0 { f64::NAN } else { number });
    let lanes = |len: usize, f: &dyn Fn(&[f64]) -> Vec<f64>| each_lane(&expected, axis, len, f);

    check("sort", x.sort_axis(axis), &lanes(len, &|lane| order(lane).into_iter().map(|i| lane[i]).collect()))?;
    let indices = x.argsort_axis(axis).and_then(|indices| indices.cast::<f64>().collect());
    check("argsort", indices, &lanes(len, &|lane| order(lane).into_iter().map(|i| i as f64).collect()))?;
    let running = |lane: &[f64]| (0..lane.len()).map(|i| lane[..=i].iter().sum()).collect();
    check("cumsum", x.cumsum_axis(axis), &lanes(len, &running))?;
    check("sum", x.sum_axis(keep_dims(axis)), &lanes(1, &|lane| vec![lane.iter().sum()]))?;
    if len > 0 {
        let variance = |lane: &[f64]| mean(lane.iter().map(|x| (x - mean(lane.iter().copied())).powi(2)));
        check("mean", x.mean_axis(keep_dims(axis)), &lanes(1, &|lane| vec![mean(lane.iter().copied())]))?;
        check("var", x.var_axis(keep_dims(axis), 0), &lanes(1, &|lane| vec![variance(lane)]))?;
        let indices = [len - 1, 0, len / 2];
        let taken = device.to_device(&indices).and_then(|indices| x.take_axis(&indices, axis));
        check("take", taken, &expected.select(Axis(axis), &indices))?;
    }
    Ok(())
}

/// The products of all pairs of rows, and sums of the elements at each of three indices.
fn compare_products(device: &Device, placed: &Placed) -> std::result::Result<(), TestCaseError> {
    let (x, expected) = (placed.view().unwrap(), &placed.expected);
    if let &[rows, columns] = expected.shape() {
        let product = |i: usize, j: usize| (0..columns).map(|k| expected[[i, k]] * expected[[j, k]]).sum();
        let products = ArrayD::from_shape_fn(IxDyn(&[rows, rows]), |at| product(at[0], at[1]));
        check("einsum", einsum("ij,kj->ik", x, x), &products)?;
        check("matmul", x.matmul(x.t()), &products)?;
    }
    let len = expected.len();
    let keys: Vec<u32> = (0..len as u32).map(|i| i * 7 % 3).collect();
    let mut sums = ArrayD::zeros(IxDyn(&[3]));
    expected.iter().zip(&keys).for_each(|(number, &key)| sums[[key as usize]] += number);
    let mut found = device.zeros::<f64>(3).unwrap();
    let (keys, numbers) = (device.to_device(&keys).unwrap(), lazy(x).collect().and_then(|x| x.reshape(len)).unwrap());
    functions::add::at(&mut found, &keys, &numbers).unwrap();
    check("add::at", Ok(found), &sums)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn expressions_are_what_loops_compute(extents in extents(), tree in trees()) {
        for device in Device::all() {
            let result = tree.evaluate(&device, &extents).unwrap();
            let found: ArrayD<f64> = result.array.to_ndarray().unwrap();
            prop_assert_eq!(found, &result.expected, "on {}", device);
        }
    }

    #[test]
    fn lanes_and_products_are_what_loops_compute(extents in extents(), operand in operands(), axis in 0..MOST_AXES) {
        for device in Device::all() {
            let placed = operand.place(&device, &extents).unwrap();
            compare_products(&device, &placed)?;
            match placed.expected.ndim() {
                // One number is its own sum and extreme.
                0 => {
                    let (x, number) = (placed.view().unwrap(), placed.expected.sum());
                    prop_assert_eq!([x.sum().unwrap(), x.max().unwrap(), x.mean().unwrap()], [number; 3]);
                }
                axes => compare_lanes(&device, &placed, axis % axes)?,
            }
        }
    }
}
