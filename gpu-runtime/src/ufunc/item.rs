//! The elements of a lazy array: a number, or a tuple of numbers that becomes one array per component.

use std::any::TypeId;

use super::cuda::leak;
use crate::Result;
use crate::device::Device;
use crate::memory::{DeviceArray, Shape, reserve};
use crate::source::{CType, Element, Segment};

/// One element of a lazy array: an [`Element`], or a tuple of up to four, which is collected into as many arrays.
///
/// # Safety
///
/// `COMPONENTS` are the element types in order, and `store` writes and `load` reads one value of each.
pub unsafe trait Item: sealed::Sealed + Copy + Send + Sync + 'static {
    /// The arrays that hold such elements: [`DeviceArray<T>`], or a tuple of those.
    type Arrays;
    /// The vectors that hold such elements: `Vec<T>`, or a tuple of those.
    type Vecs;
    /// Its element types.
    #[doc(hidden)]
    const COMPONENTS: &'static [Component];

    /// Arrays of these shapes, one per component, with any contents, and the address of each.
    #[doc(hidden)]
    fn allocate_each(device: &Device, shapes: &[Shape]) -> Result<(Self::Arrays, Vec<*mut u8>)>;

    /// Arrays of that shape, with any contents, and the address of each.
    #[doc(hidden)]
    fn allocate(device: &Device, shape: Shape) -> Result<(Self::Arrays, Vec<*mut u8>)> {
        Self::allocate_each(device, &[shape; MAX_COMPONENTS])
    }

    /// Vectors with room for `len` elements, and the address of each.
    #[doc(hidden)]
    fn reserve(len: usize) -> Result<(Self::Vecs, Vec<*mut u8>)>;

    /// Says that the vectors hold `len` elements.
    ///
    /// # Safety
    ///
    /// They come from `reserve(len)`, and every element was written.
    #[doc(hidden)]
    unsafe fn set_len(vecs: &mut Self::Vecs, len: usize);

    /// Writes the components to index `index` of the arrays at the first `targets`.
    ///
    /// # Safety
    ///
    /// Each target holds more than `index` elements of its component, and nothing else uses that one.
    #[doc(hidden)]
    unsafe fn store(self, targets: &[*mut u8; 4], index: usize);

    /// Reads the components from index `index` of the arrays at the first `sources`.
    ///
    /// # Safety
    ///
    /// Each source holds more than `index` elements of its component.
    #[doc(hidden)]
    unsafe fn load(sources: &[*mut u8; 4], index: usize) -> Self;
}

mod sealed {
    pub trait Sealed {}
    impl<T: crate::source::Element> Sealed for T {}
}

/// The most components of an item.
pub(crate) const MAX_COMPONENTS: usize = 4;

/// Memory for `len` items of such components, and the address of each component's. They have values also if a function fails, which stores
/// nothing: not any bytes are a `bool` or an enum.
pub(super) fn allocate_values(device: &Device, components: &[Component], len: usize) -> Result<(Vec<DeviceArray<u8>>, Vec<*mut u8>)> {
    let allocate = |component: &Component| {
        let bytes = len.saturating_mul(component.size);
        if component.any_bits { DeviceArray::unspecified(device, bytes.into()) } else { device.zeros(bytes) }
    };
    let mut arrays = components.iter().map(allocate).collect::<Result<Vec<_>>>()?;
    let addresses = arrays.iter_mut().map(|array| array.slice_mut(..).pointer()).collect();
    Ok((arrays, addresses))
}

/// A component on its way to the host or to a kernel takes whole ones of these.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(16))]
#[expect(dead_code, reason = "read and written by its address")]
pub(super) struct Bits(pub(super) [u64; 2]);

/// The components of an item as a kernel and the host exchange them.
pub(super) type ItemBits = [Bits; MAX_COMPONENTS];

/// Where a component is among the words of an item: after those before it.
pub(super) fn first_word(components: &[Component], number: usize) -> usize {
    components[..number].iter().map(|component| component.size.div_ceil(size_of::<Bits>())).sum::<usize>() * 2
}

/// Where each component is.
pub(super) fn addresses(bits: &mut ItemBits, components: &[Component]) -> Targets {
    let first: *mut u64 = bits.as_mut_ptr().cast();
    std::array::from_fn(|number| match number < components.len() {
        true => first.wrapping_add(first_word(components, number)).cast(),
        false => std::ptr::null_mut(),
    })
}

/// Asserts that reductions and scans can combine such items: they fit into 64 bytes, and what a thread that failed has left of one in
/// shared memory or in a register is a value too. (A `bool` by itself is read as a byte.)
pub const fn assert_combinable<I: Item>() {
    let (mut number, mut words) = (0, 0);
    while number < I::COMPONENTS.len() {
        let Component { c_type, any_bits, size, .. } = I::COMPONENTS[number];
        assert!(any_bits || c_type.is_some(), "a reduction combines numbers: this struct has a `bool`, an enum or an `Option`");
        words += size.div_ceil(size_of::<Bits>());
        number += 1;
    }
    assert!(words <= MAX_COMPONENTS, "a reduction combines up to 64 bytes, 16 for each component of a tuple");
    assert!(align_of::<I>() <= align_of::<Bits>(), "a reduction combines elements with an alignment of up to 16 bytes");
}

/// Where the components of items go; by value, so that the optimiser sees that no store changes them.
pub(crate) type Targets = [*mut u8; MAX_COMPONENTS];

/// An element type as untyped code sees it.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Component {
    /// Its name in CUDA C, if it is a number or `bool`.
    c_type: Option<&'static str>,
    /// Its type in CUDA C.
    ty: fn() -> CType,
    /// Its identity: no other has the same.
    pub(super) id: fn() -> TypeId,
    /// Whether any bits are a value of it.
    any_bits: bool,
    /// Its size in bytes.
    pub(crate) size: usize,
    /// The snippet that declares its name, if the preamble does not.
    snippet: Option<&'static str>,
}

impl Component {
    /// That of `T`.
    #[must_use]
    pub const fn of<T: Element>() -> Self {
        Self { c_type: T::C_TYPE, ty: T::c_type, id: TypeId::of::<T>, any_bits: T::ANY_BITS, size: size_of::<T>(), snippet: T::SNIPPET }
    }

    /// Whether it is a number or `bool`.
    pub(super) fn is_number(&self) -> bool {
        self.c_type.is_some()
    }

    /// Its name in CUDA C, of a number or `bool`: what reductions combine.
    pub(crate) fn number(&self) -> &'static str {
        self.c_type.expect("only numbers are combined")
    }

    /// Whether it is `bool`, whose bytes are 0 or 1.
    pub(super) fn is_bool(&self) -> bool {
        self.c_type == Some("bool")
    }

    /// The same, after the declaration of that name, if the type needs one, and the snippet of the type.
    pub(super) fn declare(
        &self,
        alias: impl FnOnce() -> String,
        declarations: &mut Vec<Segment>,
        snippets: &mut Vec<&'static str>,
    ) -> &'static str {
        let name = self.name(alias);
        snippets.extend(self.snippet);
        if !self.is_number() {
            let end = leak(format!(" {name};\n\n"));
            declarations.extend([Segment::Text("typedef "), Segment::Type(self.ty), Segment::Text(end)]);
        }
        name
    }

    /// Its name in a kernel, which declares `alias` for a type that each program names.
    pub(super) fn name(&self, alias: impl FnOnce() -> String) -> &'static str {
        self.c_type.unwrap_or_else(|| leak(alias()))
    }

    /// Whether it is no number of C's, but a class: a float of 16 bits or a complex number.
    pub(crate) fn is_class(&self) -> bool {
        self.c_type.is_none_or(|name| name.starts_with("gr_"))
    }
}

// SAFETY: one component, stored as itself.
unsafe impl<T: Element> Item for T {
    type Arrays = DeviceArray<T>;
    type Vecs = Vec<T>;
    const COMPONENTS: &'static [Component] = &[Component::of::<T>()];

    fn allocate_each(device: &Device, shapes: &[Shape]) -> Result<(Self::Arrays, Vec<*mut u8>)> {
        let mut array = DeviceArray::<T>::unspecified(device, shapes[0])?;
        let pointer = array.slice_mut(..).pointer().cast();
        Ok((array, vec![pointer]))
    }

    fn reserve(len: usize) -> Result<(Self::Vecs, Vec<*mut u8>)> {
        let mut vec: Vec<T> = reserve(len)?;
        let pointer = vec.as_mut_ptr().cast();
        Ok((vec, vec![pointer]))
    }

    unsafe fn set_len(vecs: &mut Self::Vecs, len: usize) {
        // SAFETY: the caller guarantees the elements.
        unsafe { vecs.set_len(len) };
    }

    #[inline(always)]
    unsafe fn store(self, targets: &[*mut u8; 4], index: usize) {
        // SAFETY: the caller guarantees the target.
        unsafe { targets[0].cast::<T>().add(index).write(self) };
    }

    #[inline(always)]
    unsafe fn load(sources: &[*mut u8; 4], index: usize) -> Self {
        // SAFETY: the caller guarantees the source.
        unsafe { sources[0].cast::<T>().add(index).read() }
    }
}

macro_rules! tuple_items {
    ($($T:ident $index:tt),*) => {
        impl<$($T: Element),*> sealed::Sealed for ($($T,)*) {}

        // SAFETY: the components in order, each stored in its own array.
        unsafe impl<$($T: Element),*> Item for ($($T,)*) {
            type Arrays = ($(DeviceArray<$T>,)*);
            type Vecs = ($(Vec<$T>,)*);
            const COMPONENTS: &'static [Component] = &[$(Component::of::<$T>()),*];

            fn allocate_each(device: &Device, shapes: &[Shape]) -> Result<(Self::Arrays, Vec<*mut u8>)> {
                let mut arrays = ($(DeviceArray::<$T>::unspecified(device, shapes[$index])?,)*);
                let pointers = vec![$(arrays.$index.slice_mut(..).pointer().cast()),*];
                Ok((arrays, pointers))
            }

            fn reserve(len: usize) -> Result<(Self::Vecs, Vec<*mut u8>)> {
                let mut vecs = ($(reserve::<$T>(len)?,)*);
                let pointers = vec![$(vecs.$index.as_mut_ptr().cast()),*];
                Ok((vecs, pointers))
            }

            unsafe fn set_len(vecs: &mut Self::Vecs, len: usize) {
                // SAFETY: the caller guarantees the elements of each.
                unsafe { $(vecs.$index.set_len(len);)* }
            }

            #[inline(always)]
            unsafe fn store(self, targets: &[*mut u8; 4], index: usize) {
                // SAFETY: the caller guarantees the targets.
                unsafe { $(targets[$index].cast::<$T>().add(index).write(self.$index);)* }
            }

            #[inline(always)]
            unsafe fn load(sources: &[*mut u8; 4], index: usize) -> Self {
                // SAFETY: the caller guarantees the sources.
                unsafe { ($(sources[$index].cast::<$T>().add(index).read(),)*) }
            }
        }
    };
}

tuple_items!(A 0, B 1);
tuple_items!(A 0, B 1, C 2);
tuple_items!(A 0, B 1, C 2, D 3);
