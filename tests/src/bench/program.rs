//! The kernels that cases launch, taken down while they run.

use std::any::TypeId;
use std::sync::{Mutex, PoisonError};

use gpu_runtime::__private::{self, KernelDefinition, Site, Variant};

/// A kernel's generated code.
#[derive(Clone)]
pub struct Program {
    pub id: TypeId,
    /// The user's name for the kernel.
    pub kernel: &'static str,
    /// The name of its C function.
    pub entry: &'static str,
    /// CUDA C with every check.
    pub checked: String,
    /// CUDA C without the checks that a launch may make redundant.
    pub unchecked: String,
    /// CUDA C whose threads do several elements, if the kernel has it.
    pub several_elements: Option<String>,
    /// What its failure sites stand for.
    pub sites: Vec<Site>,
    /// Compiles a form of the kernel to machine code for an architecture.
    pub cubin: fn(Variant, &str) -> gpu_runtime::Result<Vec<u8>>,
}

/// A growing list of programs, each once.
#[derive(Default)]
pub struct Programs(Mutex<Vec<Program>>);

impl Programs {
    pub fn record<K: KernelDefinition>(&self) {
        let mut programs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if programs.iter().all(|program| program.id != TypeId::of::<K>()) {
            let text = |variant| __private::linked_source::<K>(variant);
            let (checked, sites) = text(Variant::Checked).expect("every kernel has this form");
            let (unchecked, _) = text(Variant::Unchecked).expect("every kernel has this form");
            programs.push(Program {
                id: TypeId::of::<K>(),
                kernel: K::META.name,
                entry: K::source().name,
                checked,
                unchecked,
                several_elements: text(Variant::SeveralElements).map(|(several_elements, _)| several_elements),
                sites,
                cubin: __private::cubin_of::<K>,
            });
        }
    }

    pub fn into_vec(self) -> Vec<Program> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
