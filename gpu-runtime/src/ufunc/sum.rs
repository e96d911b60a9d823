//! Sums of expressions whose types are forgotten: how many there are is known when they are added, and one kernel adds them.

use std::panic::Location;

use super::code::{Call, Load};
use super::collect::{Loops, Request};
use super::cpu;
use super::formula::Formula;
use super::input::{Inputs, Place};
use super::plan::Plan;
use super::{Expression, Lazy};
use crate::Result;
use crate::backend::Access;
use crate::device::Device;
use crate::failure::KernelFailure;
use crate::functions::add;
use crate::memory::{DeviceArray, DeviceViewMut, Shape};
use crate::scalar::Num;

/// The words of the inputs that one kernel reads, if it has several terms: its parameters, and the time to compile it, are limited.
const MOST_WORDS: usize = 384;

/// A term of a [sum](sum_of): an expression whose type is forgotten.
pub(crate) trait Term {
    /// Its inputs.
    fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>);

    /// Its elements.
    fn loops(&self) -> Loops;

    /// Its elements, each added to that of an array, which is the first input.
    fn loops_of_addition(&self) -> Loops;
}

impl<T: Num, E: Expression<Item = T>> Term for Lazy<E> {
    fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>) {
        self.expression.inputs(inputs);
    }

    fn loops(&self) -> Loops {
        Loops::of::<E::Code>()
    }

    fn loops_of_addition(&self) -> Loops {
        Loops::of::<Call<add::Function<T>, (Load<T>, E::Code)>>()
    }
}

/// The sum of `before`, if there is one, and of terms of this shape, on `device`: from left to right.
#[track_caller]
pub(crate) fn sum_of<T: Num>(
    device: &Device,
    shape: Shape,
    before: Option<DeviceArray<T>>,
    terms: &[Box<dyn Term + '_>],
) -> Result<DeviceArray<T>> {
    let mut is_new = before.is_none();
    let mut sum = match before {
        Some(before) => before,
        None => DeviceArray::unspecified(device, shape)?,
    };
    let mut rest = terms;
    while !rest.is_empty() {
        let (terms, others) = rest.split_at(count_for_a_kernel(rest));
        Addition { sum: sum.view_mut(), is_new, terms }.run(Location::caller())?;
        (rest, is_new) = (others, false);
    }
    Ok(sum)
}

/// How many of the terms the next kernel adds: at least one.
fn count_for_a_kernel(terms: &[Box<dyn Term + '_>]) -> usize {
    let mut inputs = Inputs::default();
    let fit = terms.iter().take_while(|term| {
        term.inputs(&mut inputs);
        // Where each one is, or its value, and its strides.
        let words = inputs.list.iter().map(|input| input.size.div_ceil(size_of::<u64>()) + input.layout.shape.rank());
        words.sum::<usize>() <= MOST_WORDS
    });
    fit.count().max(1)
}

/// One kernel, which adds terms to an array, or stores their sum there.
struct Addition<'t, T> {
    sum: DeviceViewMut<'t, T>,
    is_new: bool,
    terms: &'t [Box<dyn Term + 't>],
}

impl<T: Num> Addition<'_, T> {
    fn run(self, place: &'static Location<'static>) -> Result<()> {
        let mut formulas: Vec<Formula> = self.terms.iter().map(|term| term.loops().formula).collect();
        if !self.is_new {
            formulas.insert(0, Formula::of::<Load<T>>());
        }
        let formula = if let [formula] = formulas[..] { formula } else { Formula::sum::<add::Function<T>>(&formulas)? };
        let mut request = Request::new(formula.name, self.inputs(self.terms, self.is_new), place)?;
        assert_eq!(request.shape, self.sum.shape(), "the terms of a sum have its shape");
        request.targets.push(self.sum.memory_use(Access::Write));
        let (targets, layouts) = ([self.sum.pointer().cast()], [*self.sum.layout()]);
        // SAFETY: the sum is borrowed exclusively, and is as large as its layout says. If it is an input too, it has the same layout there:
        // every element is read before it is written, by the same thread. The terms borrow other memory, and have elements of its type.
        unsafe { request.run_with(formula, |_, _| self.run_on_cpu(targets[0]), &targets, &layouts) }
    }

    /// The inputs of some of the terms, on the device of the sum, which is the first one if it is added to.
    fn inputs<'s>(&'s self, terms: &'s [Box<dyn Term + '_>], is_new: bool) -> Inputs<'s> {
        let mut inputs = Inputs::default();
        inputs.choose(Place::Target, self.sum.device());
        if !is_new {
            inputs.array(&self.sum.view());
        }
        terms.iter().for_each(|term| term.inputs(&mut inputs));
        inputs
    }

    /// Term by term: each is a loop that rustc has compiled.
    ///
    /// # Safety
    ///
    /// The sum is there.
    unsafe fn run_on_cpu(&self, sum: *mut u8) -> std::result::Result<(), KernelFailure> {
        for (number, term) in self.terms.iter().enumerate() {
            let is_new = self.is_new && number == 0;
            let Loops { formula, store } = if is_new { term.loops() } else { term.loops_of_addition() };
            let inputs = self.inputs(&self.terms[number..=number], is_new);
            let plan = Plan::of(self.sum.shape(), &inputs.list, &[*self.sum.layout()]);
            // SAFETY: the caller guarantees the sum; the operands are those of the plan.
            unsafe { cpu::map(formula, store, &plan, &inputs.list, &[sum])? };
        }
        Ok(())
    }
}
