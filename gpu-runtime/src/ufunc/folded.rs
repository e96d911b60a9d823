//! The elements of an expression, as inputs of an operation that does not store them one by one.

use std::marker::PhantomData;

use super::code::Rows;
use super::cuda::{ElementWriter, leak};
use super::formula::Folding;
use super::item::Component;
use super::{ArrayFunction, Code};
use crate::backend::cpu::{Stop, Thread};
use crate::source::Segment;

/// What takes elements: its name, and what it asks of the compiler.
pub(super) trait Consumer: 'static {
    /// What messages and profilers call it.
    const NAME: &'static str;
    /// Whether NVRTC may contract `a * b + c` into a fused multiply-add.
    const FMAD: bool;
}

impl<F: ArrayFunction> Consumer for F {
    const NAME: &'static str = F::NAME;
    const FMAD: bool = F::FMAD;
}

/// The CUDA C for each component of an item.
pub(super) fn fields(item: &str, count: usize) -> Vec<String> {
    if count == 1 { vec![item.to_owned()] } else { (0..count).map(|number| format!("{item}._{number}")).collect() }
}

/// `gr_combine`, the function of two items.
pub(super) fn write_combine(folding: Folding, body: &mut Vec<Segment>) {
    body.push(Segment::Text("static __device__ __forceinline__ gr_item gr_combine(const gr_item& a, const gr_item& b) {\n  return "));
    body.push(Segment::Function(folding.function));
    let arguments: Vec<String> = ["a", "b"].iter().flat_map(|item| fields(item, folding.formula.components.len())).collect();
    body.push(Segment::Text(leak(format!("({});\n}}\n\n", arguments.join(", ")))));
}

/// The CUDA C that reads a component from `place`, whose thread may have failed before it wrote there. Any other type than
/// `bool` takes whatever bits there are; a `bool` that is read as a byte is 0 or 1 again, wherever it goes.
pub(super) fn read(component: &Component, place: &str) -> String {
    if component.is_bool() { format!("*(const u8*)&{place} != 0") } else { place.to_owned() }
}

/// The CUDA C of `gr_read`, which reads an item that another thread left in shared memory: see [`read`].
pub(super) fn shared_read(components: &[Component]) -> String {
    let item = match components {
        [component] => read(component, "place"),
        _ => {
            let parts: Vec<String> =
                components.iter().enumerate().map(|(number, component)| read(component, &format!("place._{number}"))).collect();
            format!("{{{}}}", parts.join(", "))
        }
    };
    format!("static __device__ __forceinline__ gr_item gr_read(const gr_item& place) {{\n  return {item};\n}}\n\n")
}

/// The elements of `C`, under the name of `F`: messages name the function that was asked for, and kernels of the same
/// expression for different functions are different kernels.
pub(super) struct Folded<C, F>(PhantomData<(C, F)>);

// SAFETY: everything about the inputs is that of `C`.
unsafe impl<C: Code, F: Consumer> Code for Folded<C, F> {
    type Item = C::Item;
    type Row = C::Row;
    const NAME: &'static str = F::NAME;
    const FMAD: bool = C::FMAD && F::FMAD;

    fn write(writer: &mut ElementWriter) -> Vec<String> {
        C::write(writer)
    }

    unsafe fn row(rows: &mut Rows<'_>) -> C::Row {
        // SAFETY: the caller guarantees the same.
        unsafe { C::row(rows) }
    }

    #[inline(always)]
    unsafe fn at(row: C::Row, i: usize, thread: &Thread<'_>) -> Result<C::Item, Stop> {
        // SAFETY: the caller guarantees the same.
        unsafe { C::at(row, i, thread) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_truth_values_are_read_as_bytes() {
        let (flag, number) = (Component::of::<bool>(), Component::of::<f32>());
        assert!(shared_read(&[flag]).contains("  return *(const u8*)&place != 0;\n"));
        assert!(shared_read(&[number]).contains("  return place;\n"));
        assert!(shared_read(&[number, flag]).contains("  return {place._0, *(const u8*)&place._1 != 0};\n"));
    }
}
