//! Random expressions of arrays of random shapes and strides, against loops over arrays of the crate `ndarray`.

use gpu_runtime::prelude::*;
use gpu_runtime::{Result, Shape};
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
}
