//! Elements that are only moved, as unsigned integers of their size, or of a part of it.

use crate::memory::{DeviceArray, DeviceSlice, DeviceSliceMut};
use crate::source::Element;

/// Unsigned integers of one of four sizes; `Bits8` holds `u8`s, and so on.
pub(super) enum Words<A, B, C, D> {
    Bits8(A),
    Bits16(B),
    Bits32(C),
    Bits64(D),
}

type Read<'a> = Words<DeviceSlice<'a, u8>, DeviceSlice<'a, u16>, DeviceSlice<'a, u32>, DeviceSlice<'a, u64>>;
type Write<'a> = Words<DeviceSliceMut<'a, u8>, DeviceSliceMut<'a, u16>, DeviceSliceMut<'a, u32>, DeviceSliceMut<'a, u64>>;

/// How many words an element is: more than one if there is no word of its size and alignment.
pub(super) const fn words_of<T: Element>() -> usize {
    const {
        // A byte without a value is no integer.
        assert!(!T::MAY_HAVE_PADDING, "`take` and `filter` copy elements as integers: add a field for each byte of padding of the struct");
    };
    // A word is as large as the elements are aligned: memory of others may have no better alignment.
    size_of::<T>() / if align_of::<T>() < size_of::<u64>() { align_of::<T>() } else { size_of::<u64>() }
}

/// Elements as words, to read.
pub(super) fn as_words<T: Element>(slice: DeviceSlice<'_, T>) -> Read<'_> {
    let len = slice.len() * words_of::<T>();
    // SAFETY: as many words as the elements have, for which any bits are values; elements are aligned to their words.
    unsafe {
        match size_of::<T>() / words_of::<T>() {
            1 => Words::Bits8(slice.cast(len)),
            2 => Words::Bits16(slice.cast(len)),
            4 => Words::Bits32(slice.cast(len)),
            _ => Words::Bits64(slice.cast(len)),
        }
    }
}

/// Elements as words, for those of other arrays of the same type.
pub(super) fn as_words_mut<T: Element>(array: &mut DeviceArray<T>) -> Write<'_> {
    let slice = array.slice_mut(..);
    let len = slice.len() * words_of::<T>();
    // SAFETY: as above; what is stored are elements.
    unsafe {
        match size_of::<T>() / words_of::<T>() {
            1 => Words::Bits8(slice.cast(len)),
            2 => Words::Bits16(slice.cast(len)),
            4 => Words::Bits32(slice.cast(len)),
            _ => Words::Bits64(slice.cast(len)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_aligned_as_the_elements_are() {
        // Memory of others holds them wherever their type may be.
        assert_eq!((words_of::<u8>(), words_of::<f32>(), words_of::<f64>()), (1, 1, 1));
        #[cfg(feature = "complex")]
        assert_eq!((words_of::<num_complex::Complex<f32>>(), words_of::<num_complex::Complex<f64>>()), (2, 2));
    }
}
