//! Dynamic shared arrays: they are placed in one piece of memory, one after the other, each at a multiple of 16 bytes.
//!
//! ```c
//! f32* const sums = (f32*)gr_dynamic;
//! const usize sums_len = blockDim.x;
//! const usize gr_dynamic_1 = (sums_len * sizeof(f32) + 15) / 16 * 16;
//! gr_atomic<u32>* const bins = (gr_atomic<u32>*)(gr_dynamic + gr_dynamic_1);
//! ```

use super::Emitter;
use super::text::{CText, c};
use crate::model::*;

impl Emitter<'_> {
    /// Declares the `index`-th array as `local`. They stand at the top of the body, in order.
    pub(super) fn write_dynamic_shared(&mut self, local: LocalId, index: usize, element: &Type, length: &Expr) {
        self.need("dynamic_shared");
        let length = self.value(length).text;
        let element = self.shared_type_name(element);
        let (name, length_name) = (self.name(local).to_owned(), self.lengths[local.0].clone());
        let start = match (index, self.dynamic_end.take()) {
            (0, _) | (_, None) => "gr_dynamic".into(),
            (_, Some(end)) => {
                self.writer.line(c!["const usize gr_dynamic_", index, " = ", end, ";"]);
                c!["(gr_dynamic + gr_dynamic_", index, ")"]
            }
        };
        self.writer.line(c![element, "* const ", name, " = (", element, "*)", start, ";"]);
        self.writer.line(c!["const usize ", length_name, " = ", length, ";"]);
        let before = if index == 0 { CText::default() } else { c!["gr_dynamic_", index, " + "] };
        self.dynamic_end = Some(c![before, "(", length_name, " * sizeof(", element, ") + 15) / 16 * 16"]);
    }
}
