//! Array functions: scalar functions of arrays, lazily and fused.
//!
//! `f::map(&x, &y)` computes nothing. It makes a [`Lazy`] array: an expression, like an iterator, that other functions take as
//! an argument. What collects, stores or reduces it runs one kernel for the whole of it.
//!
//! ```text
//! Lazy<Apply<f, (ArrayInput, Lazy…)>> ──inputs──▶ [Input]   pointers, shapes and scalars, in order    (input)
//!          │                                         │ broadcast, merge axes                           (plan)
//!          │ type                                    ▼
//!          └────────▶ Code ─────────────────▶ one loop on the CPU (cpu), one kernel on a GPU (cuda)
//! ```
//!
//! An [`Expression`] borrows arrays; its [`Code`] is the same tree without them, a type that lives for `'static`. The code names
//! the generated kernel, writes its CUDA C, and holds the loop body that rustc compiles for the CPU. Everything between,
//! from broadcasting to the launch, knows inputs only by number and is compiled once.

mod array_like;
mod assign;
mod axis;
mod blocks;
mod cast;
mod code;
mod collect;
mod compared;
mod cpu;
mod create;
mod cuda;
mod expression;
mod folded;
mod formula;
mod function;
mod generalized;
mod histogram;
mod input;
mod item;
mod join;
mod lazy;
mod methods;
mod operand;
mod operators;
mod pieces;
mod plan;
pub(crate) mod product;
mod rearrange;
mod reduce;
mod refused;
mod reshape;
mod scan;
mod scatter;
mod show;
mod slope;
mod stored;
mod stream;
mod strided;
mod sum;
mod target;
mod zip;

pub use array_like::ArrayLike;
pub(crate) use array_like::give_to_arrays;
pub use assign::ArrayMut;
pub(crate) use assign::add_to;
#[cfg(feature = "fft")]
pub(crate) use assign::scale;
pub use axis::{Axes, keep_dims};
pub use cast::CastElement;
use code::Code;
pub(crate) use code::Load;
pub(crate) use cpu::{VectorLoop, vectorised};
pub(crate) use expression::IndexInput;
pub use expression::{AppendAxes, Apply, Expression, ScalarInput, iota, outer};
pub use function::{ArrayFunction, ElementArgument, ReduceFunction};
pub use generalized::{Batch, CoreOperand, Dimension, GeneralizedFunction, Signature, core_slice, core_slice_mut};
pub use histogram::{BinElement, Histograms};
pub(crate) use histogram::{bin_edges, count_below};
pub(crate) use input::Inputs;
pub use item::{Component, Item, assert_combinable};
pub use join::{Arrangements, List, Parts, Tuple, concatenate, stack};
pub use lazy::{IntoLazy, Lazy, lazy};
pub use methods::Elementwise;
pub use operand::Operand;
pub(crate) use plan::broadcast_shapes;
pub(crate) use product::Deferred;
pub use reduce::{Accumulator, Flag, Number, Reductions, Summand, reduce, reduce_axis};
#[cfg(feature = "cluster")]
pub(crate) use reduce::{Max, Min, Sum, reduce_each};
#[doc(hidden)]
pub use refused::{MethodsOfViews, OtherNames};
pub use scan::{Scans, accumulate, accumulate_exclusive, accumulate_last};
pub use scatter::{IndexElement, at, reduce_by};
pub use show::{Show, Shown};
pub use slope::Derivative;
pub(crate) use slope::{By, ByBoth, Partial, Partials, Slope};
pub(crate) use stored::Stored;
pub(crate) use sum::{Term, sum_of};
pub use target::{IntoTarget, IntoTargets};
use target::{Target, Targets};

#[cfg(test)]
mod tests;
