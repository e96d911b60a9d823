//! Copies of elements on the CPU from any strides to any others, in rows and columns: what the loops over runs need as consecutive
//! elements.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use super::cpu::{VectorLoop, vectorised};

/// The first of some elements, and how many elements there are from each row, and from each column, to the next.
#[derive(Clone, Copy)]
pub(super) struct Place<P> {
    pub(super) first: P,
    pub(super) strides: [isize; 2],
}

/// Copies the elements of so many rows and columns, which have `size` bytes each.
///
/// # Safety
///
/// The elements can be read, and be written at other places, which do not overlap.
pub(super) unsafe fn copy(size: usize, from: Place<*const u8>, to: Place<*mut u8>, extents: [usize; 2]) {
    // SAFETY: the caller guarantees the places.
    unsafe {
        match size {
            1 => vectorised(Copies::<Bytes<u8>>(from, to, extents, PhantomData)),
            2 => vectorised(Copies::<Bytes<u16>>(from, to, extents, PhantomData)),
            4 => vectorised(Copies::<Bytes<u32>>(from, to, extents, PhantomData)),
            8 => vectorised(Copies::<Bytes<u64>>(from, to, extents, PhantomData)),
            16 => vectorised(Copies::<Bytes<u128>>(from, to, extents, PhantomData)),
            _ => copy_large(size, from, to, extents),
        }
    }
}

/// [`copy`] of elements of any size, one after the other.
///
/// # Safety
///
/// As for [`copy`].
unsafe fn copy_large(size: usize, from: Place<*const u8>, to: Place<*mut u8>, [rows, columns]: [usize; 2]) {
    let offset =
        |strides: [isize; 2], row: usize, column: usize| (row as isize * strides[0] + column as isize * strides[1]) * size as isize;
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let source = from.first.wrapping_offset(offset(from.strides, row, column));
        // SAFETY: the caller guarantees both elements.
        unsafe { to.first.wrapping_offset(offset(to.strides, row, column)).copy_from_nonoverlapping(source, size) };
    }
}

/// As many bytes as a `W` has, of any alignment, which need not have values: those between the fields of a struct do not.
#[derive(Clone, Copy)]
#[repr(C, packed)]
struct Bytes<W>(MaybeUninit<W>);

/// [`copy`] of elements that have the size of `W`, and no smaller alignment.
struct Copies<W>(Place<*const u8>, Place<*mut u8>, [usize; 2], PhantomData<W>);

impl<W: Copy> VectorLoop for Copies<W> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Self(mut from, mut to, [mut rows, mut columns], _) = self;
        if to.strides[0] == 1 && to.strides[1] != 1 {
            from.strides.reverse();
            to.strides.reverse();
            (rows, columns) = (columns, rows);
        }
        let (mut source, mut target) = (from.first.cast::<W>(), to.first.cast::<W>());
        if from.strides[0] == -1 {
            // From the last row to the first.
            let last = rows as isize - 1;
            (source, target) = (source.wrapping_offset(-last), target.wrapping_offset(last * to.strides[0]));
            (from.strides[0], to.strides[0]) = (1, -to.strides[0]);
        }
        let (source, target) = (Place { first: source, strides: from.strides }, Place { first: target, strides: to.strides });
        // SAFETY: the caller guarantees the elements. Those of a row of the target follow each other, and nothing else uses them.
        unsafe {
            match (from.strides, to.strides[1]) {
                ([_, 1], 1) => each_row(source, target, [rows, columns], |from, to, len| to.copy_from_nonoverlapping(from, len)),
                ([_, 0], 1) => each_row(source, target, [rows, columns], |from, to, len| {
                    std::slice::from_raw_parts_mut(to.cast::<MaybeUninit<W>>(), len).fill(MaybeUninit::new(from.read()));
                }),
                // With a constant, rustc makes vector instructions of it.
                ([_, -1], 1) => each_row(source, target, [rows, columns], |from, to, len| {
                    (0..len).for_each(|i| to.add(i).write(from.sub(i).read()));
                }),
                ([_, 2], 1) => each_row(source, target, [rows, columns], |from, to, len| {
                    (0..len).for_each(|i| to.add(i).write(from.add(2 * i).read()));
                }),
                ([1, _], 1) => turn(source, target, [rows, columns]),
                ([_, of_source], of_target) => each_row(source, target, [rows, columns], |from, to, len| {
                    (0..len as isize).for_each(|i| to.wrapping_offset(i * of_target).write(from.wrapping_offset(i * of_source).read()));
                }),
            }
        }
    }
}

/// Calls `copy` for every row, with the first element there and here, and the number of columns.
#[inline(always)]
fn each_row<W>(from: Place<*const W>, to: Place<*mut W>, [rows, columns]: [usize; 2], copy: impl Fn(*const W, *mut W, usize)) {
    for row in 0..rows as isize {
        copy(from.first.wrapping_offset(row * from.strides[0]), to.first.wrapping_offset(row * to.strides[0]), columns);
    }
}

/// Copies rows that are columns of the source, in tiles, which fill whole lines of the cache in the target.
///
/// # Safety
///
/// As for [`copy`].
#[inline(always)]
unsafe fn turn<W: Copy>(source: Place<*const W>, target: Place<*mut W>, [rows, columns]: [usize; 2]) {
    let from = |row: usize, column: usize| source.first.wrapping_offset(column as isize * source.strides[1] + row as isize);
    let to = |row: usize, column: usize| target.first.wrapping_offset(row as isize * target.strides[0] + column as isize);
    let width = (64 / size_of::<W>()).max(1);
    let tiles = (0..columns).step_by(width).flat_map(|column| (0..rows).step_by(HEIGHT).map(move |row| (row, column)));
    for (row, column) in tiles {
        let (below, beside) = (rows.min(row + HEIGHT), columns.min(column + width));
        #[cfg(target_arch = "x86_64")]
        if size_of::<W>() == 4 && (below - row) % 4 == 0 && (beside - column) % 4 == 0 {
            for (column, row) in (column..beside).step_by(4).flat_map(|column| (row..below).step_by(4).map(move |row| (column, row))) {
                let (columns, rows) =
                    ([0, 1, 2, 3].map(|k| from(row, column + k).cast()), [0, 1, 2, 3].map(|k| to(row + k, column).cast()));
                // SAFETY: the caller guarantees four elements from each of these places on, and room for them.
                unsafe { turn_words(columns, rows) };
            }
            continue;
        }
        for (column, row) in (column..beside).flat_map(|column| (row..below).map(move |row| (column, row))) {
            // SAFETY: the caller guarantees both elements.
            unsafe { to(row, column).write(from(row, column).read()) };
        }
    }
}

/// Rows of a tile.
const HEIGHT: usize = 8;

/// Turns four columns of four words.
///
/// # Safety
///
/// There are four words at each place.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn turn_words(columns: [*const f32; 4], rows: [*mut f32; 4]) {
    use std::arch::x86_64::{_MM_TRANSPOSE4_PS, _mm_loadu_ps, _mm_storeu_ps};
    // SAFETY: the caller guarantees the places, and every processor of this architecture has the instructions.
    unsafe {
        let [mut a, mut b, mut c, mut d] = columns.map(|column| _mm_loadu_ps(column));
        _MM_TRANSPOSE4_PS(&mut a, &mut b, &mut c, &mut d);
        for (row, line) in rows.into_iter().zip([a, b, c, d]) {
            _mm_storeu_ps(row, line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<W: Copy + PartialEq + Default>(numbers: impl Fn(usize) -> W) {
        let memory: Vec<W> = (0..20_000).map(numbers).collect();
        let middle = memory.len() / 2;
        for [rows, columns] in [[64, 70], [5, 40], [7, 3], [1, 9], [1, 1], [9, 1]] {
            for of_source in [[1, 70], [-1, 70], [70, 1], [70, -1], [140, 2], [3, 0], [0, 5], [1, 1]] {
                for of_target in [[columns as isize, 1], [columns as isize + 3, 1], [1, rows as isize]] {
                    let mut found = vec![W::default(); rows * (columns + 3)];
                    let from = Place { first: (&raw const memory[middle]).cast(), strides: of_source };
                    let to = Place { first: found.as_mut_ptr().cast(), strides: of_target };
                    // SAFETY: all elements are in the vectors.
                    unsafe { copy(size_of::<W>(), from, to, [rows, columns]) };
                    for (row, column) in (0..rows as isize).flat_map(|row| (0..columns as isize).map(move |column| (row, column))) {
                        let at = |[of_rows, of_columns]: [isize; 2]| row * of_rows + column * of_columns;
                        let expected = memory[(middle as isize + at(of_source)) as usize];
                        assert!(found[at(of_target) as usize] == expected, "{of_source:?} to {of_target:?}, {row}, {column}");
                    }
                }
            }
        }
    }

    #[test]
    fn elements_of_every_size_are_copied_from_all_strides_to_all_strides() {
        let word = |i: usize| (i as u32).wrapping_mul(0x9E37_79B9);
        check(|i| word(i) as u8);
        check(|i| word(i) as u16);
        check(word);
        check(|i| u64::from(word(i)) << 7);
        check(|i| [u64::from(word(i)), !u64::from(word(i))]);
        check(|i| [word(i), !word(i), i as u32]);
        check(|i| [word(i) as u8, i as u8, 3, 5]);
    }
}
