//! Loaded kernels: found again in nanoseconds, compiled and loaded once.
//!
//! A kernel is known by its type and variant. (Not by the address of its metadata: constants of equal content may share
//! one, or have several.) Each thread keeps a small table of the kernels it launched last, which a launch consults without
//! lock or allocation; behind it is a map, and behind that the compiler.

use std::any::TypeId;
use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

use super::{KernelDefinition, KernelMeta};
use crate::advice::warn_of_failed_conditions;
use crate::backend::cuda::{Gpu, LoadedKernel, Slots};
use crate::compile::{self, Options, Variant};
use crate::failure::Work;
use crate::source::KernelOptions;
use crate::{Error, Result};

/// An entry of the calling thread's table.
#[derive(Clone, Copy)]
struct Recent {
    kernel: TypeId,
    variant: Variant,
    gpu: &'static Gpu,
    loaded: &'static LoadedKernel,
}

/// Entries in the calling thread's table: more kernels than an inner loop launches, few enough to stay in its cache.
const RECENT: usize = 32;

thread_local! {
    static RECENTLY_LAUNCHED: [Cell<Option<Recent>>; RECENT] = const { [const { Cell::new(None) }; RECENT] };
}

/// One slot per GPU, by its number, and kernel, so that compiling one makes nobody wait for another.
static LOADED: LazyLock<Slots<(usize, TypeId, Variant), &'static LoadedKernel>> = LazyLock::new(Slots::default);

/// What there is to know about a kernel without its arguments. The functions below take it instead of the kernel's type, so that they are
/// compiled once, and not for each kernel.
#[derive(Clone, Copy)]
pub(crate) struct Kernel {
    kernel: TypeId,
    pub(super) meta: &'static KernelMeta,
    pub(super) options: KernelOptions,
    pub(super) cooperative: bool,
}

impl Kernel {
    pub(crate) fn of<K: KernelDefinition>() -> Self {
        Self { kernel: TypeId::of::<K>(), meta: K::META, options: K::OPTIONS, cooperative: K::COOPERATIVE }
    }

    /// Refuses a kernel with tiles that calls what not all threads of a block can run together.
    pub(super) fn check_callees(&self) -> Result<()> {
        let refused = if self.options.has_tiles { compile::callee_of_single_threads(self.meta.unit) } else { None };
        match refused {
            Some((function, does)) => Err(Error::NotForTiles { kernel: self.meta.name, function, does }),
            None => Ok(()),
        }
    }

    /// The kernel as `variant`, or the variant that is [available](Variant::available) or the same program, compiled and loaded if
    /// this is its first use on `gpu`.
    pub(crate) fn load(&self, gpu: &'static Gpu, variant: Variant) -> Result<&'static LoadedKernel> {
        let kernel = self.kernel;
        RECENTLY_LAUNCHED.with(|table| {
            let entry = &table[table_index(kernel, variant)];
            match entry.get() {
                Some(recent) if recent.kernel == kernel && recent.variant == variant && std::ptr::eq(recent.gpu, gpu) => Ok(recent.loaded),
                _ => {
                    let loaded = find_or_load(self, gpu, variant)?;
                    entry.set(Some(Recent { kernel, variant, gpu, loaded }));
                    Ok(loaded)
                }
            }
        })
    }
}

#[cold]
fn find_or_load(code: &Kernel, gpu: &'static Gpu, variant: Variant) -> Result<&'static LoadedKernel> {
    let asked = variant;
    let variant = asked.distinct(code.meta.unit);
    LOADED.find_or_make(&(gpu.ordinal(), code.kernel, variant), || {
        if let Variant::Partly(holding) | Variant::Narrow(holding) = asked {
            warn_of_failed_conditions(code.meta.name, code.meta.failed_conditions(holding));
        }
        code.check_callees()?;
        let load = |variant| {
            let program = compile::assemble(code.meta.unit, variant);
            let work = Work::of_kernel_in(code.meta.unit.sites.file());
            gpu.load_program(program, &Options::new(code.meta.fmad, code.options), code.meta.name, work)
        };
        match variant {
            Variant::Narrow(u32::MAX) => load(variant),
            // A bundle has no programs for some of the conditions, and there may be no compiler.
            Variant::Partly(_) | Variant::Narrow(_) => load(variant).or_else(|_| find_or_load(code, gpu, Variant::Checked)),
            variant => load(variant),
        }
    })
}

/// Where a kernel is kept in the calling thread's table. A `TypeId` is a hash already; take what it feeds to a hasher.
#[inline]
fn table_index(kernel: TypeId, variant: Variant) -> usize {
    struct Taken(u64);

    impl Hasher for Taken {
        fn write(&mut self, bytes: &[u8]) {
            for &byte in bytes {
                self.0 = self.0.rotate_left(8) ^ u64::from(byte);
            }
        }

        fn write_u64(&mut self, value: u64) {
            self.0 ^= value;
        }

        fn finish(&self) -> u64 {
            self.0
        }
    }

    let mut taken = Taken(0);
    kernel.hash(&mut taken);
    // The variants of a kernel may alternate, so they do not share an entry.
    (taken.finish() as usize ^ variant.number()) % RECENT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variants_of_a_kernel_have_entries_of_their_own() {
        let kernel = TypeId::of::<u8>();
        let variants = [
            Variant::Checked,
            Variant::Unchecked,
            Variant::SeveralElements,
            Variant::Narrow(u32::MAX),
            Variant::Narrow(u32::MAX - 1),
            Variant::Partly(u32::MAX - 1),
        ];
        let entries: std::collections::HashSet<usize> = variants.iter().map(|&variant| table_index(kernel, variant)).collect();
        assert_eq!(entries.len(), variants.len());
    }
}
