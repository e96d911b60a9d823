//! The parameters of a launch as the driver takes them, on the stack: those of kernels, and those of the kernels of array functions.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use super::arguments::MAX_PARAMETERS;

/// The most bytes of parameters that every driver and GPU passes to a kernel.
pub(crate) const MAX_BYTES: usize = 4096;

/// An array is two values, its address and its length or layout. The state of a grid whose threads wait for each other comes on top.
const MAX_VALUES: usize = 2 * MAX_PARAMETERS + 1;

/// Values, one after the other as the driver lays them out, and where each begins.
///
/// What does not fit `CAPACITY` bytes is only counted: whoever launches compares [`bytes`](Self::bytes).
pub(crate) struct Parameters<const CAPACITY: usize = MAX_BYTES> {
    memory: Aligned<[MaybeUninit<u8>; CAPACITY]>,
    /// How much of the memory is needed.
    bytes: usize,
    offsets: [MaybeUninit<u16>; MAX_VALUES],
    len: usize,
}

/// As much as any parameter is aligned.
#[repr(align(64))]
struct Aligned<T>(T);

impl<const CAPACITY: usize> Parameters<CAPACITY> {
    #[inline]
    pub(crate) fn new() -> Self {
        const { assert!(CAPACITY <= u16::MAX as usize) };
        Self { memory: Aligned([MaybeUninit::uninit(); CAPACITY]), bytes: 0, offsets: [MaybeUninit::uninit(); MAX_VALUES], len: 0 }
    }

    /// How many bytes the values take.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether there is room for all of them.
    pub(crate) fn fit(&self) -> bool {
        self.bytes <= CAPACITY
    }

    /// How many values there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Appends a value of any size.
    #[inline]
    pub(crate) fn push<T: Copy>(&mut self, value: T) {
        const { assert!(align_of::<T>() <= align_of::<Aligned<()>>()) };
        if let Some(place) = self.place(size_of::<T>(), align_of::<T>()) {
            // SAFETY: the place has room for the value, and is aligned for it.
            unsafe { place.cast::<T>().write(value) };
        }
    }

    /// Appends two values, as most arrays are.
    #[inline]
    pub(crate) fn push_pair(&mut self, pair: [u64; 2]) {
        if let Some(place) = self.places(size_of_val(&pair), align_of::<u64>(), [0, size_of::<u64>()]) {
            // SAFETY: the place has room for the values, and is aligned for them.
            unsafe { place.cast::<[u64; 2]>().write(pair) };
        }
    }

    /// Appends one value that consists of these words, whose bytes need not all have values.
    pub(crate) fn push_words<W: Copy>(&mut self, words: &[W]) {
        const { assert!(size_of::<W>() == size_of::<u64>()) };
        if let Some(place) = self.place(size_of_val(words), align_of::<u64>()) {
            // SAFETY: the place has room for the words, which lie elsewhere.
            unsafe { place.cast::<W>().copy_from_nonoverlapping(words.as_ptr(), words.len()) };
        }
    }

    /// Where the next value goes, if there is room for it.
    #[inline]
    fn place(&mut self, size: usize, align: usize) -> Option<*mut u8> {
        self.places(size, align, [0])
    }

    /// Where the next values go, each so many bytes after the first one, if there is room for all.
    #[inline]
    fn places<const N: usize>(&mut self, size: usize, align: usize, distances: [usize; N]) -> Option<*mut u8> {
        let offset = self.bytes.next_multiple_of(align);
        self.bytes = offset + size;
        if self.bytes > CAPACITY {
            return None;
        }
        self.offsets[self.len..][..N].copy_from_slice(&distances.map(|distance| MaybeUninit::new((offset + distance) as u16)));
        self.len += N;
        // SAFETY: the offset lies in the memory.
        Some(unsafe { self.memory.0.as_mut_ptr().add(offset) }.cast())
    }

    /// Calls `launch` with the values as the driver takes them: an array with a pointer to each.
    #[inline]
    pub(crate) fn with_pointers<R>(&mut self, launch: impl FnOnce(*mut *mut c_void) -> R) -> R {
        let mut pointers = [const { MaybeUninit::<*mut c_void>::uninit() }; MAX_VALUES];
        let memory = self.memory.0.as_mut_ptr();
        for (pointer, offset) in pointers.iter_mut().zip(&self.offsets[..self.len]) {
            // SAFETY: the first `len` offsets are written, and lie in the memory.
            pointer.write(unsafe { memory.add(offset.assume_init().into()) }.cast());
        }
        launch(pointers.as_mut_ptr().cast())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_struct_is_aligned_as_its_type() {
        #[derive(Clone, Copy)]
        #[repr(align(64))]
        struct Line([f64; 8]);

        let mut values = Parameters::<MAX_BYTES>::new();
        values.push(7u8);
        values.push(Line([1.5; 8]));
        assert_eq!(values.bytes, 128);
        values.with_pointers(|pointers| {
            // SAFETY: there are two pointers, to a byte and a line.
            unsafe {
                assert_eq!(pointers.read().cast::<u8>().read(), 7);
                assert_eq!(pointers.add(1).read().cast::<Line>().read().0, [1.5; 8]);
            }
        });
    }

    #[test]
    fn words_are_one_value_behind_what_was_there() {
        let mut values = Parameters::<64>::new();
        values.push(7u8);
        values.push_words(&[1u64, 2, 3]);
        values.push(0.5f32);
        assert_eq!(values.bytes(), 36);
        values.with_pointers(|pointers| {
            // SAFETY: there are three pointers, to a byte, three words and an f32.
            unsafe {
                assert_eq!(pointers.add(1).read().cast::<[u64; 3]>().read(), [1, 2, 3]);
                assert_eq!(pointers.add(2).read().cast::<f32>().read(), 0.5);
            }
        });
        values.push_words(&[0u64; 4]);
        assert_eq!((values.bytes(), values.len()), (72, 3), "what does not fit is counted");
    }
}
