//! The code that reads the partial results of a first pass.

use std::marker::PhantomData;

use crate::backend::cpu::{Stop, Thread};
use crate::ufunc::code::{Row, Rows};
use crate::ufunc::cuda::ElementWriter;
use crate::ufunc::{Code, Item};

/// Reads items whose components are in an array each.
pub(super) struct LoadItem<I>(PhantomData<I>);

// SAFETY: an array for each component, in order.
unsafe impl<I: Item> Code for LoadItem<I> {
    type Item = I;
    type Row = ItemRow;
    const NAME: &'static str = "copy";
    const FMAD: bool = true;

    fn write(writer: &mut ElementWriter) -> Vec<String> {
        I::COMPONENTS.iter().map(|component| writer.load(*component)).collect()
    }

    unsafe fn row(rows: &mut Rows<'_>) -> ItemRow {
        let mut row = ItemRow([std::ptr::null_mut(); 4]);
        for first in &mut row.0[..I::COMPONENTS.len()] {
            match rows.next() {
                Row::Elements(elements) => *first = elements.cast_mut(),
                Row::Value(_) => unreachable!("an array is a row of elements"),
            }
        }
        row
    }

    #[inline(always)]
    unsafe fn at(row: ItemRow, i: usize, _: &Thread<'_>) -> Result<I, Stop> {
        // SAFETY: the caller guarantees the rows.
        Ok(unsafe { I::load(&row.0, i) })
    }
}

/// Where the components of a run of items are; they are only read.
#[derive(Clone, Copy)]
pub(super) struct ItemRow([*mut u8; 4]);
