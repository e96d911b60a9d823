//! How a kernel computes with tiles on an architecture, as its program says.

use std::fmt;

/// How a kernel with [tiles](crate::Tile) computes on an architecture: a part of its [report](crate::VariantReport).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TileReport {
    /// Bytes of dynamic shared memory of each block, which a launch gets without asking.
    pub shared_bytes: u32,
    /// What multiplies in its products: `wgmma`, `mma.sync` or `FMA`, and several if its products are of different kinds.
    pub products: Vec<&'static str>,
    /// How many steps of a product are in shared memory at a time: the one that is multiplied, and those that are copied meanwhile.
    pub stages: u32,
    /// Whether a launch starts at most as many blocks as there are multiprocessors, each of which computes the tiles of several blocks of its grid.
    pub several_blocks: bool,
    /// Why products by `wgmma` wait for each other, in the words of NVIDIA's assembler, if they do: then the kernel is slow.
    pub serialized: Option<String>,
}

/// The numbers of `tile_dot.cu`, the fastest first.
const KINDS: [(u32, &str); 3] = [(4, "wgmma"), (2, "mma.sync"), (1, "FMA")];

impl TileReport {
    /// Of the kernel `entry`, from the values of its constants.
    // Compiled only where it is used.
    #[inline]
    pub(super) fn of(ptx: &str, entry: &str) -> Option<Self> {
        let shared_bytes = constant(ptx, &format!("gr_tile_bytes_of_{entry}"))?;
        let products = constant(ptx, &format!("gr_tile_products_of_{entry}"))?;
        let kinds = KINDS.into_iter().filter(|(kind, _)| products & kind != 0).map(|(_, name)| name);
        let several_blocks = constant(ptx, &format!("gr_tile_tasks_of_{entry}")).is_some_and(|does| does != 0);
        Some(Self { shared_bytes, products: kinds.collect(), stages: products >> 8, several_blocks, serialized: None })
    }
}

/// The value in `.global .align 4 .u32 name = 7;`. What is zero has no value there.
// Compiled only where it is used.
#[inline]
fn constant(ptx: &str, name: &str) -> Option<u32> {
    let values = ptx.lines().filter_map(|line| Some(line.strip_suffix(';')?.split_once(&format!(".u32 {name}"))?.1));
    values.into_iter().find_map(|value| if value.is_empty() { Some(0) } else { value.strip_prefix(" = ")?.parse().ok() })
}

impl fmt::Display for TileReport {
    // Compiled only where it is used.
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shared_bytes, products, stages, several_blocks, serialized } = self;
        write!(f, "{shared_bytes} bytes of dynamic shared memory")?;
        match (products.is_empty(), stages) {
            (true, _) => {}
            (false, ..2) => write!(f, "; products by {}, each step copied before it", products.join(" and "))?,
            (false, _) => write!(f, "; products by {}, of {stages} steps in shared memory", products.join(" and "))?,
        }
        if *several_blocks {
            f.write_str("; a block computes the tiles of several blocks of the grid")?;
        }
        serialized.iter().try_for_each(|reason| write!(f, "; slow: {reason}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = ".visible .global .align 4 .u32 gr_tile_bytes_of_k = 196608;\n.global .align 4 .u32 gr_tile_products_of_k = 1030;\n\
        .global .align 4 .u32 gr_tile_tasks_of_k = 1;\n.global .align 4 .u32 gr_tile_bytes_of_add_two = 5;\n.global .align 4 .u32 gr_tile_bytes_of_add;\n.global .align 4 .u32 gr_tile_products_of_add;\n";

    #[test]
    fn constants_are_read_from_ptx() {
        let report = TileReport::of(PTX, "k").unwrap();
        assert_eq!(
            report,
            TileReport { shared_bytes: 196_608, products: vec!["wgmma", "mma.sync"], stages: 4, several_blocks: true, serialized: None }
        );
        let serialized = Some("wgmma.mma_async instructions are serialized".to_owned());
        assert_eq!(
            TileReport { serialized, ..report }.to_string(),
            "196608 bytes of dynamic shared memory; products by wgmma and mma.sync, of 4 steps in shared memory; \
             a block computes the tiles of several blocks of the grid; slow: wgmma.mma_async instructions are serialized"
        );
        assert_eq!(TileReport::of(PTX, "add").unwrap().to_string(), "0 bytes of dynamic shared memory");
        assert_eq!(TileReport::of(PTX, "other"), None);
    }
}
