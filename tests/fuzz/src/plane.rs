//! What plain Rust has for a view with two axes.

use std::marker::PhantomData;

/// An array with rows and columns, which may be turned.
#[derive(Clone, Copy)]
pub(crate) struct Plane<'a, T> {
    elements: *mut T,
    shape: [usize; 2],
    strides: [usize; 2],
    borrowed: PhantomData<&'a mut [T]>,
}

impl<'a, T> Plane<'a, T> {
    /// Of elements in C order; `turned`: rows become columns.
    pub(crate) fn new(elements: &'a mut [T], [rows, columns]: [usize; 2], turned: bool) -> Self {
        assert_eq!(elements.len(), rows * columns);
        let (shape, strides) = if turned { ([columns, rows], [1, columns]) } else { ([rows, columns], [columns, 1]) };
        Self { elements: elements.as_mut_ptr(), shape, strides, borrowed: PhantomData }
    }

    /// The rows and columns from `first` on.
    pub(crate) fn part(self, first: [usize; 2], shape: [usize; 2]) -> Self {
        assert!(first[0] + shape[0] <= self.shape[0] && first[1] + shape[1] <= self.shape[1]);
        // SAFETY: the first element of the part is one of this, or the part is empty.
        let elements = unsafe { self.elements.add(first[0] * self.strides[0] + first[1] * self.strides[1]) };
        Self { elements, shape, ..self }
    }

    pub(crate) fn shape(&self) -> [usize; 2] {
        self.shape
    }

    pub(crate) fn has(&self, index: [usize; 2]) -> bool {
        index[0] < self.shape[0] && index[1] < self.shape[1]
    }

    /// An element, as a place: indices are evaluated before anything is borrowed, as for slices.
    #[track_caller]
    #[allow(clippy::mut_from_ref, reason = "generated code reads or writes the place, and keeps no reference to it")]
    pub(crate) fn at(&self, index: [usize; 2]) -> &'a mut T {
        assert!(self.has(index), "out of bounds");
        // SAFETY: the elements are borrowed for `'a`, the index is in bounds, and no reference to an element outlives its expression.
        unsafe { &mut *self.elements.add(index[0] * self.strides[0] + index[1] * self.strides[1]) }
    }
}
