//! Copies of what operands have of a block of rows, if the operand follows the other axis: a transpose of a small part.

use std::ops::Range;

use super::blocks::{COLUMNS, ROWS};

/// From a row of a copy to the next, in elements. With a power of two, the elements of a column would be in the same sets of the cache.
const ROW_LEN: usize = COLUMNS + 16;

/// Room for the elements of a block, row by row.
pub(super) struct Turned(Vec<u64>);

impl Turned {
    /// For elements with so many bytes.
    pub(super) fn new(size: usize) -> Self {
        Self(vec![0; (ROWS * ROW_LEN * size).div_ceil(size_of::<u64>())])
    }

    pub(super) fn row(&self, row: usize, size: usize) -> *const u8 {
        self.0.as_ptr().cast::<u8>().wrapping_add(row * ROW_LEN * size)
    }

    /// Copies the elements of a block with so many rows and columns. The first is at `first`; from a row to the next, and from a column to the
    /// next, are so many elements.
    ///
    /// # Safety
    ///
    /// The elements have `size` bytes, 1, 2, 4, 8 or 16, as many as there is room for, and can be read.
    pub(super) unsafe fn fill(&mut self, first: *const u8, size: usize, [rows, columns]: [usize; 2], strides: [isize; 2]) {
        debug_assert!(rows <= ROWS && columns <= COLUMNS);
        let target = self.0.as_mut_ptr();
        // SAFETY: there is room for a block; the caller guarantees the elements.
        unsafe {
            match size {
                1 => copy(first, target.cast(), 0..columns, 0..rows, strides),
                2 => copy(first.cast::<u16>(), target.cast(), 0..columns, 0..rows, strides),
                4 => copy_words(first.cast(), target.cast(), columns, rows, strides),
                // Aligned as complex numbers are.
                8 => copy(first.cast::<[u32; 2]>(), target.cast(), 0..columns, 0..rows, strides),
                _ => copy(first.cast::<[u64; 2]>(), target.cast(), 0..columns, 0..rows, strides),
            }
        }
    }
}

/// # Safety
///
/// As for [`Turned::fill`], and the target has room.
unsafe fn copy<W: Copy>(source: *const W, target: *mut W, columns: Range<usize>, rows: Range<usize>, [of_rows, of_columns]: [isize; 2]) {
    for column in columns {
        let source = source.wrapping_offset(column as isize * of_columns);
        for row in rows.clone() {
            // SAFETY: the caller guarantees both.
            unsafe { target.add(row * ROW_LEN + column).write(source.wrapping_offset(row as isize * of_rows).read()) };
        }
    }
}

/// As [`copy`], with the vector instructions that every processor of an architecture has.
///
/// # Safety
///
/// As for [`copy`].
unsafe fn copy_words(source: *const u32, target: *mut u32, columns: usize, rows: usize, strides: [isize; 2]) {
    #[cfg(target_arch = "x86_64")]
    let (done_columns, done_rows) = {
        use std::arch::x86_64::{_MM_TRANSPOSE4_PS, _mm_loadu_ps, _mm_storeu_ps};
        let whole = if strides[0] == 1 { (columns / 4 * 4, rows / 4 * 4) } else { (0, 0) };
        for column in (0..whole.0).step_by(4) {
            for row in (0..whole.1).step_by(4) {
                let from = |k: usize| source.wrapping_offset((column + k) as isize * strides[1] + row as isize).cast::<f32>();
                let to = |k: usize| target.wrapping_add((row + k) * ROW_LEN + column).cast::<f32>();
                // SAFETY: the caller guarantees four elements from each of these places on, and room for them.
                unsafe {
                    let [mut a, mut b, mut c, mut d] = [0, 1, 2, 3].map(|k| _mm_loadu_ps(from(k)));
                    _MM_TRANSPOSE4_PS(&mut a, &mut b, &mut c, &mut d);
                    for (k, line) in [a, b, c, d].into_iter().enumerate() {
                        _mm_storeu_ps(to(k), line);
                    }
                }
            }
        }
        whole
    };
    #[cfg(not(target_arch = "x86_64"))]
    let (done_columns, done_rows) = (0, 0);
    // SAFETY: the caller guarantees the same.
    unsafe {
        copy(source, target, 0..done_columns, done_rows..rows, strides);
        copy(source, target, done_columns..columns, 0..rows, strides);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_a_block_has_what_is_one_apart_in_the_operand() {
        for (rows, columns) in [(ROWS, COLUMNS), (ROWS, 7), (5, 40), (7, 3), (1, 1)] {
            for of_rows in [1, -1] {
                let (width, first) = (ROWS as isize + 3, if of_rows == 1 { 0 } else { ROWS - 1 });
                let words: Vec<u32> = (0..(width as u32) * COLUMNS as u32).map(|i| i.wrapping_mul(0x9E37_79B9)).collect();
                let longs: Vec<u64> = words.iter().map(|&word| u64::from(word) << 7).collect();
                let pairs: Vec<[u64; 2]> = longs.iter().map(|&long| [long, !long]).collect();
                let bytes: Vec<u8> = words.iter().map(|&word| word as u8).collect();
                let mut turned = Turned::new(16);
                for row in 0..rows {
                    let at = |column: usize| (first as isize + row as isize * of_rows + column as isize * width) as usize;
                    // SAFETY: the elements are in the vectors, and rows of a block have room for so many columns.
                    unsafe {
                        turned.fill(words.as_ptr().wrapping_add(first).cast(), 4, [rows, columns], [of_rows, width]);
                        let found = std::slice::from_raw_parts(turned.row(row, 4).cast::<u32>(), columns);
                        assert!(found.iter().enumerate().all(|(column, &word)| word == words[at(column)]));
                        turned.fill(longs.as_ptr().wrapping_add(first).cast(), 8, [rows, columns], [of_rows, width]);
                        let found = std::slice::from_raw_parts(turned.row(row, 8).cast::<u64>(), columns);
                        assert!(found.iter().enumerate().all(|(column, &long)| long == longs[at(column)]));
                        turned.fill(pairs.as_ptr().wrapping_add(first).cast(), 16, [rows, columns], [of_rows, width]);
                        let found = std::slice::from_raw_parts(turned.row(row, 16).cast::<[u64; 2]>(), columns);
                        assert!(found.iter().enumerate().all(|(column, pair)| *pair == pairs[at(column)]));
                        turned.fill(bytes.as_ptr().wrapping_add(first), 1, [rows, columns], [of_rows, width]);
                        let found = std::slice::from_raw_parts(turned.row(row, 1), columns);
                        assert!(found.iter().enumerate().all(|(column, &byte)| byte == bytes[at(column)]));
                    }
                }
            }
        }
    }
}
