//! Array expressions on a GPU: the CUDA C of their elements, and the kernels around it.
//!
//! A kernel of an expression has the inputs in one struct parameter, `gr_inputs`, and a function `gr_element(in, i)` that
//! computes the element with index `i` in C order ([`element`]). Its text depends on how the operands are accessed ([`access`]). The
//! surrounding code is up to the kernel: here a loop that stores the elements ([`map`]), in tiles where that is faster ([`tiles`]) and behind a product of matrices ([`product`]), and reductions and scans have their own. All are
//! compiled and launched in the same way ([`generated`]).

mod access;
mod element;
mod generated;
mod map;
mod product;
mod tiles;

pub(crate) use access::{AccessPattern, index_text, write_coordinates};
pub(crate) use element::{ElementText, ElementWriter, input_words};
pub(in crate::ufunc) use element::{component_alias, write_element};
pub(crate) use generated::{Generated, KernelParameters, Launcher, Purpose, leak, unit, unit_with_sites, write_kernel};
pub(in crate::ufunc) use generated::{GeneratedKernel, Subject};
pub(super) use map::{MapKernel, map, map_unit};
pub(super) use product::ProductKernel;

/// Threads of a block.
pub(crate) const BLOCK: u32 = 256;
