//! Kernels that are one product of tiles: what a block of the grid does is a function of the block, which a block of the GPU calls for each of several.
//!
//! ```c
//! gr_tile_run_tasks(gr_launch, steps, [&](const gr_tile_grid blockIdx, const usize k) {
//!   return gr_tile_task_of(the tile of a, the tile of b, the place of the sum);
//! });
//! ```

use super::Emitter;
use super::text::{CText, c};
use crate::emit::Piece;
use crate::model::*;

impl Emitter<'_> {
    /// The parameter after those of such a kernel: the grid that the program asked for.
    pub(super) fn tasks_param(&self) -> CText {
        if self.function.product_of_tiles().is_some() { ", const gr_tile_grid gr_launch".into() } else { CText::default() }
    }

    /// The body of the kernel.
    pub(super) fn write_tasks(&mut self, product: &ProductOfTiles<'_>) {
        let ProductOfTiles { variables, counter, steps, factors, place } = product;
        self.need("tile_tasks");
        self.use_memory_of_product("tasks", [&factors[0], &factors[1]], Precision::Full);
        let (steps, counter) = (self.value(steps).text, self.name(*counter).to_owned());
        self.writer.line(c!["gr_tile_run_tasks(gr_launch, ", steps, ", [&](const gr_tile_grid blockIdx, const usize ", counter, ") {"]);
        self.writer.indent();
        variables.iter().for_each(|stmt| self.write_stmt(stmt));
        self.origin(factors[0].span);
        let operands = self.factors(factors, Precision::Full);
        let size = [&factors[0], &factors[1]].map(|factor| factor.ty.tile());
        let size = [size[0].map(|tile| &tile.rows), size[1].and_then(|tile| tile.columns.as_ref())];
        let index = place[1..].iter().map(|index| self.value(index).text).collect();
        let place = self.place(&place[0], size, index);
        self.writer.line(c!["return gr_tile_task_of(", operands, ", ", place, ");"]);
        self.writer.dedent();
        self.writer.line("});");
    }

    /// What tells the runtime that the kernel has that parameter, and whether a block does the tasks of several.
    pub(super) fn write_tasks_constant(&self) -> CText {
        let own_name = CText::hole(Piece::OwnName);
        if self.function.product_of_tiles().is_none() {
            return CText::default();
        }
        c!["extern \"C\" __device__ const u32 gr_tile_tasks_of_", own_name.clone(), " = gr_tile_uses_of_", own_name, "::runs_on;\n"]
    }
}
