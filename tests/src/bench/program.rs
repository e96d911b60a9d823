//! The kernels that cases launch, taken down while they run.

use std::any::TypeId;
use std::sync::{Mutex, PoisonError};

use gpu_runtime::__private::{self, KernelDefinition, Site};

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
    /// What its failure sites stand for.
    pub sites: Vec<&'static Site>,
    /// Compiles the kernel to machine code for an architecture.
    pub cubin: fn(&str) -> gpu_runtime::Result<Vec<u8>>,
}

/// A growing list of programs, each once.
#[derive(Default)]
pub struct Programs(Mutex<Vec<Program>>);

impl Programs {
    pub fn record<K: KernelDefinition>(&self) {
        let mut programs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if programs.iter().all(|program| program.id != TypeId::of::<K>()) {
            let (checked, sites) = __private::linked_source::<K>(true);
            let (unchecked, _) = __private::linked_source::<K>(false);
            programs.push(Program {
                id: TypeId::of::<K>(),
                kernel: K::META.name,
                entry: K::source().name,
                checked,
                unchecked,
                sites,
                cubin: __private::cubin::<K>,
            });
        }
    }

    pub fn into_vec(self) -> Vec<Program> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
