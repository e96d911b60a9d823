//! What is known about a kernel's machine code and proofs, for people who tune it.

use std::fmt;

use super::code_report::{CodeReport, with_every_line};
use super::handle::KernelHandle;
use super::tile_report::TileReport;
use crate::Result;
use crate::backend::cuda::{Gpu, KernelAttributes};
use crate::compile::{self, Architecture, Options, Program, Resources, Target, Variant};
use crate::device::Device;
use crate::source::KernelOptions;

/// The block sizes of a report.
const BLOCKS: [u32; 6] = [32, 64, 128, 256, 512, 1024];

/// The architecture of a report without a GPU.
const WITHOUT_GPU: Architecture = Architecture { major: 9, minor: 0 };

/// What a kernel needs on a device, and what is not proved of it: the result of `kernel::report(&device)`. `{}` prints it.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[gpu_kernel]
/// fn gather(x: &[f32], from: &[u32], out: &mut [f32]) {
///     let i = grid_1d();
///     if i < out.len() {
///         out[i] = x[from[i] as usize];
///     }
/// }
///
/// # if let gpu_runtime::NvrtcStatus::Found { .. } = gpu_runtime::nvrtc_status() {
/// let report = gather::report(&Device::best()?)?;
/// println!("{report}");
/// assert!(report.remaining_checks[0].contains("the index is read from `from`"));
/// assert!(report.variants[0].attributes.registers > 0);
/// # }
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct KernelReport {
    /// The name of the kernel.
    pub kernel: &'static str,
    /// What the machine code is for: the name of the device, or of an architecture on the CPU.
    pub target: String,
    /// What is not proved: see `kernel::findings()`.
    pub findings: &'static [&'static str],
    /// The bounds checks that every launch makes, each with its line and the reason.
    pub remaining_checks: &'static [&'static str],
    /// The conditions under which a launch makes no other bounds check, each with the first access that needs it. Where one does not hold, the
    /// checks remain that need it.
    pub conditions: &'static [&'static str],
    /// How many bits a `usize` has in the fastest program: 32, and then what a launch must have for that; or 64, with the line of what keeps it at
    /// that. Empty for kernels with tiles or in CUDA C.
    pub index_width: &'static [&'static str],
    /// The programs of which a launch runs one.
    pub variants: Vec<VariantReport>,
}

/// The report of one variant of a kernel.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct VariantReport {
    /// `checked`; `proved`, for launches that show all indices to be in bounds; or `four elements a thread`, for large launches by `forall`.
    pub name: &'static str,
    /// What it needs. On the CPU, the maximum number of threads is that of all kernels.
    pub attributes: KernelAttributes,
    /// How it computes with [tiles](crate::Tile), if it does and a compiler is installed.
    pub tiles: Option<TileReport>,
    /// The lines of loops that the compiler has not unrolled, each with the reason, if a compiler is installed. A loop may be unrolled in part.
    pub loops: Vec<String>,
    /// The lines with several accesses of global or shared memory of fewer than 16 bytes each, which the compiler has not joined to wider ones:
    /// because the addresses are not adjacent, or are not known to be aligned, or because an index is checked between.
    pub accesses: Vec<String>,
    /// The machine code as text, if `nvdisasm` or `cuobjdump` is installed: on the `PATH`, or in a CUDA toolkit. `{:#}` prints it.
    pub sass: Option<String>,
    /// Block sizes, each with its occupancy: the share of a multiprocessor's threads that are resident at a time, from 0 to 1.
    pub occupancy: Vec<(u32, f64)>,
}

impl VariantReport {
    /// The block size to try first: the smallest of at least 128 threads that no other exceeds in occupancy.
    #[must_use]
    pub fn suggested_block(&self) -> u32 {
        let from_128 = || self.occupancy.iter().filter(|(block, _)| *block >= 128);
        let most = from_128().map(|(_, occupancy)| *occupancy).fold(0.0, f64::max);
        // With too many registers for 128 threads, there is none.
        from_128().find(|(_, occupancy)| *occupancy >= most && most > 0.0).map_or(32, |(block, _)| *block)
    }
}

impl KernelHandle {
    /// What the kernel needs on that device: registers, memory, occupancy; and the checks that remain, with the reason. On the CPU, what it
    /// needs on an `sm_90`, as NVRTC reports.
    ///
    /// # Errors
    ///
    /// The kernel does not compile for it, or NVRTC was not found.
    // Compiled only where it is used.
    #[inline]
    pub fn report(&self, device: &Device) -> Result<KernelReport> {
        let (target, variants) = device.queue().dispatch(
            || {
                let target = self.options().target_for(WITHOUT_GPU);
                Ok((target.to_string(), self.programs().iter().map(|program| self.assembled(program, target)).collect::<Result<_>>()?))
            },
            |queue| {
                let variants = self.programs().into_iter().map(|program| self.loaded(queue.gpu(), &program));
                Ok::<_, crate::Error>((device.to_string(), variants.collect::<Result<_>>()?))
            },
        )?;
        Ok(KernelReport {
            kernel: self.name(),
            target,
            findings: self.findings(),
            remaining_checks: self.0.meta.remaining_checks,
            conditions: self.0.meta.conditions,
            index_width: self.0.meta.index_width,
            variants,
        })
    }

    /// As the assembler reports.
    // Compiled only where it is used.
    #[inline]
    fn assembled(&self, program: &Program, target: Target) -> Result<VariantReport> {
        let log = compile::assembler_log(program, target, &self.options())?;
        let needs = Resources::of(&log);
        let tiles = self.tiles(program, target, || Some(log));
        let shared_bytes = needs.shared_bytes + tiles.as_ref().map_or(0, |tiles| tiles.shared_bytes);
        let occupancy = BLOCKS.map(|block| {
            let (resident, of) = Resources { shared_bytes, ..needs }.resident_threads(target.architecture, block);
            (block, f64::from(resident) / f64::from(of))
        });
        let attributes = KernelAttributes {
            registers: needs.registers,
            shared_bytes: needs.shared_bytes,
            local_bytes: needs.local_bytes,
            constant_bytes: needs.constant_bytes,
            max_threads: 1024,
        };
        Ok(self.variant_report(program, target, (attributes, tiles, occupancy.to_vec())))
    }

    /// As the driver reports.
    // Compiled only where it is used.
    #[inline]
    fn loaded(&self, gpu: &'static Gpu, program: &Program) -> Result<VariantReport> {
        let variant = program.variant;
        let loaded = self.load(gpu, variant)?;
        let attributes = loaded.attributes(gpu)?;
        let all = f64::from(gpu.resident_threads());
        let occupancy = |block| {
            let blocks = gpu.resident_blocks(loaded, [block, 1, 1], 0)?;
            Ok((block, (blocks * u64::from(block)) as f64 / all))
        };
        let occupancy = BLOCKS.into_iter().filter(|block| *block <= attributes.max_threads).map(occupancy).collect::<Result<_>>()?;
        let target = self.options().target_for(gpu.architecture());
        let tiles = self.tiles(program, target, || compile::assembler_log(program, target, &self.options()).ok());
        Ok(self.variant_report(program, target, (attributes, tiles, occupancy)))
    }

    /// The report with what the code of the program shows. A kernel that was compiled ahead of time may have no compiler for it.
    // Compiled only where it is used.
    #[inline]
    fn variant_report(
        &self,
        program: &Program,
        target: Target,
        (attributes, tiles, occupancy): (KernelAttributes, Option<TileReport>, Vec<(u32, f64)>),
    ) -> VariantReport {
        let options = self.options();
        let with_lines = Options { kernel: KernelOptions { lineinfo: true, ..options.kernel }, ..options };
        let shown = |ptx: String| CodeReport::of(&ptx, &program.entry, self.0.meta.loops, self.0.meta.remaining_checks);
        let program_with_lines = Program { text: with_every_line(&program.text), ..program.clone() };
        let CodeReport { loops, accesses } = compile::ptx(&program_with_lines, target, &with_lines).map(shown).unwrap_or_default();
        VariantReport { name: name(program.variant), attributes, tiles, loops, accesses, sass: self.sass(program, target), occupancy }
    }

    /// What the program says in its PTX, and the assembler of it. A kernel that was compiled ahead of time may have no compiler for it.
    // Compiled only where it is used.
    #[inline]
    fn tiles(&self, program: &Program, target: Target, log: impl FnOnce() -> Option<String>) -> Option<TileReport> {
        let options = self.options();
        if !options.kernel.has_tiles {
            return None;
        }
        let tiles = TileReport::of(&compile::ptx(program, target, &options).ok()?, &program.entry)?;
        Some(TileReport { serialized: log().as_deref().and_then(compile::serialization), ..tiles })
    }

    /// What the disassembler prints, where there is one. A kernel that was compiled ahead of time may have no compiler for it.
    // Compiled only where it is used.
    #[inline]
    fn sass(&self, program: &Program, target: Target) -> Option<String> {
        compile::sass(|| compile::cubin(program, target, &self.options()).ok())
    }
}

const fn name(variant: Variant) -> &'static str {
    match variant {
        Variant::Checked => "checked",
        Variant::Partly(_) => "partly proved",
        Variant::Unchecked => "proved",
        Variant::SeveralElements => "four elements a thread",
        Variant::Narrow(u32::MAX) => "proved, 32-bit indices",
        Variant::Narrow(_) => "partly proved, 32-bit indices",
    }
}

impl fmt::Display for KernelReport {
    // Compiled only where it is used.
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "kernel `{}` on {}", self.kernel, self.target)?;
        for VariantReport { name, attributes, tiles, .. } in &self.variants {
            let KernelAttributes { registers, shared_bytes, local_bytes, .. } = attributes;
            writeln!(f, "  {name}: {registers} registers, {shared_bytes} bytes of shared memory, {local_bytes} bytes of local memory")?;
            tiles.iter().try_for_each(|tiles| writeln!(f, "    tiles: {tiles}"))?;
        }
        if let Some(first) = self.variants.first() {
            write!(f, "  occupancy by block:")?;
            first.occupancy.iter().try_for_each(|(block, occupancy)| write!(f, " {block}: {:.0} %", occupancy * 100.0))?;
            writeln!(f, "; try {} first", first.suggested_block())?;
        }
        if let Some((bits, conditions)) = self.index_width.split_first() {
            writeln!(f, "  indices: {bits}")?;
            conditions.iter().try_for_each(|condition| writeln!(f, "    {condition}"))?;
        }
        list(f, "bounds checks that every launch makes", self.remaining_checks)?;
        list(f, "checks that a launch makes unless", self.conditions)?;
        if let Some(VariantReport { name, loops, accesses, .. }) = self.variants.last() {
            list(f, &format!("loops that are not unrolled, {name}"), loops)?;
            list(f, &format!("accesses that are not joined to wider ones, {name}"), accesses)?;
        }
        list(f, "not proved", self.findings)?;
        let sass = |variant: &VariantReport| Some(format!("  SASS, {}:\n{}\n", variant.name, variant.sass.as_ref()?.trim_end()));
        if f.alternate() { self.variants.iter().filter_map(sass).try_for_each(|text| f.write_str(&text)) } else { Ok(()) }
    }
}

fn list(f: &mut fmt::Formatter<'_>, title: &str, lines: &[impl fmt::Display]) -> fmt::Result {
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(f, "  {title}:")?;
    lines.iter().try_for_each(|line| writeln!(f, "    {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(occupancy: &[(u32, f64)]) -> VariantReport {
        let attributes = KernelAttributes { registers: 40, shared_bytes: 256, local_bytes: 0, constant_bytes: 380, max_threads: 1024 };
        let loops = vec!["line 6: the number of iterations is not constant".to_owned()];
        let accesses = vec!["line 8: 2 reads of global memory, of 4 bytes each".to_owned()];
        VariantReport {
            name: "checked",
            attributes,
            tiles: None,
            loops,
            accesses,
            sass: Some("        EXIT ;\n".to_owned()),
            occupancy: occupancy.to_vec(),
        }
    }

    #[test]
    fn the_suggested_block_is_the_smallest_with_the_most_occupancy() {
        assert_eq!(variant(&[(64, 1.0), (128, 0.75), (256, 0.75), (512, 0.5)]).suggested_block(), 128);
        assert_eq!(variant(&[(128, 0.5), (256, 0.75), (512, 0.75)]).suggested_block(), 256);
        assert_eq!(variant(&[(32, 0.1), (64, 0.1)]).suggested_block(), 32);
    }

    #[test]
    fn a_report_names_what_remains_and_what_is_not_proved() {
        let report = KernelReport {
            kernel: "gather",
            target: "sm_90".to_owned(),
            findings: &["line 9: `out[i]`: the index is the same for all threads"],
            remaining_checks: &["line 8: `x`: the index is read from `from`"],
            conditions: &["`w <= out.len()`, for line 7: `out[i]`"],
            index_width: &["64 bits: line 8: `x + y`: not known to be below 2^32"],
            variants: vec![variant(&[(128, 0.75), (256, 0.75)])],
        };
        assert_eq!(format!("{report:#}"), format!("{report}  SASS, checked:\n        EXIT ;\n"));
        assert_eq!(
            report.to_string(),
            "kernel `gather` on sm_90\n  checked: 40 registers, 256 bytes of shared memory, 0 bytes of local memory\n  \
             occupancy by block: 128: 75 % 256: 75 %; try 128 first\n  indices: 64 bits: line 8: `x + y`: not known to be below 2^32\n  bounds checks that every launch makes:\n    \
             line 8: `x`: the index is read from `from`\n  checks that a launch makes unless:\n    `w <= out.len()`, for line 7: `out[i]`\n  loops that are not unrolled, checked:\n    \
             line 6: the number of iterations is not constant\n  accesses that are not joined to wider ones, checked:\n    \
             line 8: 2 reads of global memory, of 4 bytes each\n  not proved:\n    line 9: `out[i]`: the index is the same for all threads\n"
        );
    }
}
