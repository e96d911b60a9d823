//! What generated code names. Not for anyone else: it changes with the macros, without notice.

pub use crate::__kernel_tools as kernel_tools;
pub use crate::backend::cpu::{
    AxesOfElements, Blocks, IntoSlice, IntoSliceMut, IntoSliceRef, Lines, STOPPED, Shared, SharedArray, SharedElement, SharedSliceMut,
    SharedViewMut, SliceMut, SliceRef, Stop, Thread, on_host, outside_kernel,
};
pub use crate::backend::cuda::pipeline::Settings as PipelineSettings;
pub use crate::compile::Variant;
pub use crate::constant::{
    Constant, ConstantText, ConstantValue, EnumValue, FieldValue, RefuseField, TableElement, WriteField, constant, equals, literal, table,
    table_type, variant, variant_like, variant_test,
};
pub use crate::dims::{ELEMENTS_PER_THREAD, FORALL_BLOCK, LaunchDims, ProvedFor};
pub use crate::foreign::Elementary;
pub use crate::kernel::{Argument, ArgumentBinder, Arguments, KernelDefinition, KernelMeta, Pointer, Ranked, Shown, Unmet};
pub use crate::memory::{AtomicParts, AtomicsArgument, IntoDeviceAtomics, IntoDeviceSlice, IntoDeviceSliceMut};
pub use crate::scalar::Ordered;
pub use crate::source::{
    CType, EnumUnit, Features, InstanceName, KernelOptions, NoArray, PrintFormat, Printable, Region, Segment, Site, SiteKind, Sites,
    SourceUnit, StructUnit, VariantUnit, c_type, check_no_array, element_name, lent, template,
};
pub use crate::tile::twin as tiles;
pub use crate::ufunc::{
    AppendAxes, Apply, ArrayFunction, Batch, Component, CoreOperand, Dimension, ElementArgument, Expression, GeneralizedFunction, IntoLazy,
    Lazy, ReduceFunction, ScalarInput, Signature, accumulate, accumulate_exclusive, accumulate_last, at, core_slice, core_slice_mut, outer,
    reduce, reduce_axis, reduce_by,
};
#[cfg(feature = "half")]
pub use half::{bf16, f16};

pub use crate::ops::array_length;

pub mod ops {
    //! Operators with the semantics of release-mode Rust.
    pub use crate::ops::*;
}

pub mod macros {
    //! What the names of macros in kernels are taken for.
    pub use std::{
        assert, assert_eq, assert_ne, debug_assert, debug_assert_eq, debug_assert_ne, matches, panic, print, println, todo, unimplemented,
        unreachable,
    };
}

pub use std::format;
pub use std::string::String;

use std::mem::MaybeUninit;

use crate::backend::cpu::DYNAMIC_ALIGNMENT;
use crate::backend::cuda::pipeline::{self, Chunk, HostInput, HostOutput};
use crate::backend::pages;
use crate::compile::{self, Options, Program};
use crate::{Device, DeviceSlice, DeviceSliceMut, DeviceType, DeviceView, Element, KernelHandle, Result};

/// The bytes of dynamic shared arrays that lie one after the other, each given by its length and the size of an element.
/// `usize::MAX` where they overflow, `None` where a length is none.
#[inline]
#[must_use]
pub fn dynamic_bytes(arrays: &[(Option<usize>, usize)]) -> Option<usize> {
    arrays.iter().try_fold(0usize, |sum, &(len, size)| {
        let bytes = len?.saturating_mul(size).checked_next_multiple_of(DYNAMIC_ALIGNMENT).unwrap_or(usize::MAX);
        Some(sum.saturating_add(bytes))
    })
}

/// A kernel's CUDA C in one of its variants, for tests that compile and run it by other means than NVRTC and a GPU.
#[derive(Debug)]
pub struct LinkedSource {
    /// The helper functions, which other kernels may share.
    pub helpers: String,
    /// The functions of the kernel, which follow.
    pub functions: String,
    /// What the failure sites stand for.
    pub sites: Vec<Site>,
}

/// The kernel whose source unit is `root`, in this variant. `None` where the kernel has no such variant.
#[must_use]
pub fn linked_source(root: &'static SourceUnit, variant: Variant) -> Option<LinkedSource> {
    if variant.available(root) != variant {
        return None;
    }
    let (helpers, functions) = compile::readable_parts(root, variant);
    Some(LinkedSource { helpers, functions, sites: compile::assemble(root, variant).sites })
}

/// Where the first element of a view is: for tests that run kernels by other means than a launch.
#[must_use]
pub fn view_address<T: DeviceType>(view: &DeviceView<'_, T>) -> u64 {
    view.pointer().addr() as u64
}

/// The SASS of machine code, if a disassembler is installed.
#[must_use]
pub fn sass_of(cubin: Vec<u8>) -> Option<String> {
    compile::sass(|| Some(cubin))
}

/// The kernel's PTX in one of its variants, for an architecture such as `sm_90`.
pub fn ptx_of<K: KernelDefinition>(variant: Variant, architecture: &str) -> Result<String> {
    KernelHandle::of::<K>().compile(variant, architecture, compile::ptx)
}

/// The kernel's machine code in one of its variants, for an architecture such as `sm_90`.
pub fn cubin_of<K: KernelDefinition>(variant: Variant, architecture: &str) -> Result<Vec<u8>> {
    KernelHandle::of::<K>().compile(variant, architecture, compile::cubin)
}

/// Machine code of `text`, named `kernel` in messages, without optimization: for tests that compile several kernels in one text.
pub fn unoptimized_cubin(kernel: &str, text: String, fmad: bool, options: KernelOptions, architecture: &str) -> Result<Vec<u8>> {
    let program = Program {
        entry: kernel.to_owned(),
        key_text: text.clone(),
        text,
        sites: Vec::new(),
        root: &SourceUnit::NONE,
        variant: Variant::Checked,
        cooperative: false,
        waits_for_previous: false,
        linked: Vec::new(),
        ptx: None,
    };
    let options = Options::new(fmad, KernelOptions { opt: Some(0), ..options });
    Ok(compile::cubin(&program, architecture.parse()?, &options)?)
}

/// A host array that [`stream_through`] writes.
#[derive(Debug)]
pub enum StreamedOutput<'a, T: Element> {
    /// One whose pages may not exist yet.
    Fresh(&'a mut [MaybeUninit<T>]),
    /// One that holds values already.
    Written(&'a mut [T]),
}

/// Streams host arrays through a GPU, with settings to compare: for benchmarks. `launch` gets the index of the first element,
/// the inputs and the outputs of one chunk after the other. Elements that it does not write are any bits, so those must be values of `T`.
///
/// # Panics
///
/// If `device` is no GPU, or the arrays differ in length.
///
/// # Safety
///
/// `launch` must use the chunks on the stream of their arrays only, and not after it has returned: they are the memory of later chunks, which
/// nothing orders after the work of other streams.
pub unsafe fn stream_through<T: Element>(
    device: &Device,
    settings: Option<PipelineSettings>,
    inputs: &[&[T]],
    outputs: &mut [StreamedOutput<'_, T>],
    mut launch: impl FnMut(usize, &[DeviceSlice<'_, T>], &mut [DeviceSliceMut<'_, T>]) -> Result<()>,
) -> Result<()> {
    const { assert!(T::ANY_BITS) };
    let queue = device.queue().dispatch(|| panic!("host arrays are streamed through GPUs only, not through {device}"), |queue| queue);
    let output_lens = outputs.iter().map(|output| match output {
        StreamedOutput::Fresh(host) => host.len(),
        StreamedOutput::Written(host) => host.len(),
    });
    let lens: Vec<usize> = inputs.iter().map(|input| input.len()).chain(output_lens).collect();
    let len = lens.first().copied().unwrap_or(0);
    assert!(lens.iter().all(|&other| other == len), "the arrays have different lengths: {lens:?}");

    let mut on_chunk = |chunk: Chunk<'_>| {
        // SAFETY: every array is one of `T`.
        let inputs: Vec<_> = (0..chunk.inputs.len()).map(|index| unsafe { chunk.input(device, index) }).collect();
        // SAFETY: as above, and each has one view.
        let mut outputs: Vec<_> = (0..chunk.outputs.len()).map(|index| unsafe { chunk.output(device, index) }).collect();
        launch(chunk.first, &inputs, &mut outputs)
    };
    let inputs: Vec<_> = inputs.iter().map(|input| HostInput::new(input)).collect();
    let outputs: Vec<_> = outputs
        .iter_mut()
        .map(|output| match output {
            StreamedOutput::Fresh(host) => HostOutput::uninitialised(host),
            StreamedOutput::Written(host) => HostOutput::new(host),
        })
        .collect();
    // SAFETY: the arrays have that many elements, and exclusive ones do not overlap with others.
    unsafe {
        match settings {
            None => pipeline::stream_through(queue, len, &inputs, &outputs, &mut on_chunk),
            Some(settings) => pipeline::stream_through_with(settings, queue, len, &inputs, &outputs, &mut on_chunk),
        }
    }
}

/// An empty vector for a result of `len` elements that is streamed from a GPU.
#[must_use]
pub fn uninitialised_vec<T: Element>(len: usize) -> Vec<T> {
    pages::uninitialised_vec(len)
}

/// Does nothing. It stands for PTX, which needs `unsafe`, in the twin, so that the user's `unsafe` block is not unnecessary there.
///
/// # Safety
///
/// None of it is needed here.
#[inline]
pub unsafe fn requires_unsafe() {}

/// The second of two orderings that ought to be the same: the first is the user's path, for rustc to resolve.
#[inline]
#[must_use]
pub fn ordering(_users: std::sync::atomic::Ordering, ours: std::sync::atomic::Ordering) -> std::sync::atomic::Ordering {
    ours
}

/// A literal of the type of a constant, which is not evaluated.
#[inline]
pub fn number_like<T>(_constant: impl FnOnce() -> T, number: T) -> T {
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dynamic_arrays_begin_at_multiples_of_16_bytes() {
        assert_eq!(dynamic_bytes(&[(Some(3), 4), (Some(0), 8), (Some(16), 1)]), Some(32));
        assert_eq!(dynamic_bytes(&[(Some(5), 4), (Some(2), 8)]), Some(48));
        assert_eq!(dynamic_bytes(&[(Some(5), 4), (None, 8)]), None);
        assert_eq!(dynamic_bytes(&[(Some(1 << 62), 8), (Some(1), 8)]), Some(usize::MAX));
        assert_eq!(dynamic_bytes(&[(Some(usize::MAX), 1)]), Some(usize::MAX));
    }
}
