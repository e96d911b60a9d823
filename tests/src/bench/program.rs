//! The kernels that cases launch, taken down while they run.

use std::any::{TypeId, type_name};
use std::sync::{Mutex, PoisonError};

use gpu_runtime::__private::{self, KernelDefinition, KernelOptions, LinkedSource, Site, SourceUnit, Variant};

type Compile = fn(Variant, &str) -> gpu_runtime::Result<Vec<u8>>;

/// A kernel's generated code.
#[derive(Clone)]
pub struct Program {
    pub id: TypeId,
    /// The module of `kernels` that has it.
    pub topic: &'static str,
    /// The user's name for the kernel.
    pub kernel: &'static str,
    /// The name of its C function.
    pub entry: &'static str,
    /// With every check.
    pub checked: Source,
    /// Without the checks that a launch may make redundant.
    pub unchecked: Source,
    /// With threads that do several elements, if the kernel has it.
    pub several_elements: Option<Source>,
    /// With a `usize` of 32 bits, if the kernel has it.
    pub narrow: Option<Source>,
    /// The same with every check.
    pub narrow_checked: Option<Source>,
    /// What its failure sites stand for.
    pub sites: Vec<Site>,
    /// Whether products and sums may be fused, and the other options of the compiler.
    pub options: (bool, KernelOptions),
    /// Compiles a form of the kernel to machine code for an architecture.
    pub cubin: Compile,
}

/// CUDA C: helper functions, which programs share, and a program's own functions.
#[derive(Clone, PartialEq)]
pub struct Source {
    pub helpers: String,
    pub functions: String,
}

impl Source {
    fn of(LinkedSource { helpers, functions, .. }: LinkedSource) -> Self {
        Self { helpers, functions }
    }
}

/// What is known of a kernel by its type.
struct Definition {
    id: TypeId,
    path: &'static str,
    kernel: &'static str,
    options: (bool, KernelOptions),
    unit: &'static SourceUnit,
    cubin: Compile,
}

/// A growing list of programs, each once.
#[derive(Default)]
pub struct Programs(Mutex<Vec<Program>>);

impl Programs {
    pub fn record<K: KernelDefinition>(&self) {
        self.add(Definition {
            id: TypeId::of::<K>(),
            path: type_name::<K>(),
            kernel: K::META.name,
            options: (K::META.fmad, K::OPTIONS),
            unit: K::META.unit,
            cubin: __private::cubin_of::<K>,
        });
    }

    /// What does not depend on the type of the kernel, and so is compiled once.
    fn add(&self, Definition { id, path, kernel, options, unit, cubin }: Definition) {
        let mut programs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if programs.iter().all(|program| program.id != id) {
            let topic = path.split("kernels::").nth(1).and_then(|path| path.split("::").next()).unwrap_or(path);
            let source = |variant| __private::linked_source(unit, variant);
            let checked = source(Variant::Checked).expect("every kernel has this variant");
            let unchecked = source(Variant::Unchecked).expect("every kernel has this variant");
            let (several_elements, narrow) = (source(Variant::SeveralElements), source(Variant::Narrow(u32::MAX)));
            let narrow_checked = source(Variant::Narrow(0));
            programs.push(Program {
                id,
                topic,
                kernel,
                entry: unit.name,
                sites: checked.sites.clone(),
                checked: Source::of(checked),
                unchecked: Source::of(unchecked),
                several_elements: several_elements.map(Source::of),
                narrow: narrow.map(Source::of),
                narrow_checked: narrow_checked.map(Source::of),
                options,
                cubin,
            });
        }
    }

    pub fn into_vec(self) -> Vec<Program> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
