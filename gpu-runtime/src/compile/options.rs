//! The compiler options of a kernel.

use super::{Architecture, Program, Target};
use crate::source::{Features, KernelOptions};

/// Of one kernel: NVRTC compiles each by itself, so that none is subject to the options of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Options {
    /// Whether `a * b + c` may become one fused multiply-add.
    pub(crate) fmad: bool,
    /// Whether the machine code is to be linked with other, and may call what it does not define.
    pub(crate) linked: bool,
    /// The others.
    pub(crate) kernel: KernelOptions,
}

impl Options {
    /// Those of a kernel that asks for nothing.
    #[cfg(test)]
    pub(crate) const DEFAULT: Self = Self { fmad: true, linked: false, kernel: KernelOptions::DEFAULT };

    /// What a kernel asks for.
    pub(crate) const fn new(fmad: bool, kernel: KernelOptions) -> Self {
        Self { fmad, linked: false, kernel }
    }

    /// Those of generated code, which asks for one thing at most.
    pub(crate) const fn with_fmad(fmad: bool) -> Self {
        Self::new(fmad, KernelOptions::DEFAULT)
    }

    /// Those of generated code that computes with tiles.
    pub(crate) const fn with_tiles(fmad: bool) -> Self {
        Self::new(fmad, KernelOptions { has_tiles: true, ..KernelOptions::DEFAULT })
    }

    /// The same for `program`, which may have to be linked.
    pub(super) fn for_program(self, program: &Program) -> Self {
        Self { linked: !program.linked.is_empty(), ..self }
    }

    /// What to compile for so that the code runs on `device`.
    pub(crate) fn target_for(&self, device: Architecture) -> Target {
        const HOPPER: Architecture = Architecture { major: 9, minor: 0 };

        let of_tiles = (self.kernel.has_tiles && device == HOPPER).then_some(Features::Architecture);
        Target::of(device, self.kernel.features.or(of_tiles))
    }

    /// As NVRTC reads them, without the target. All of them are part of the cache key.
    pub(super) fn arguments(&self) -> Vec<String> {
        // Warnings about generated code help nobody and would hide the errors in the log.
        let mut arguments = vec!["--std=c++17".to_owned(), "--disable-warnings".to_owned()];
        let KernelOptions { max_threads: _, max_registers, fast_math, opt, lineinfo, features: _, has_tiles: _ } = self.kernel;
        if fast_math {
            // It turns contraction on, so what the kernel says about that comes after it.
            // NVRTC defines nothing that would tell our snippets of it.
            arguments.extend(["--use_fast_math", "--define-macro=GR_FAST_MATH"].map(str::to_owned));
        }
        arguments.push(format!("--fmad={}", self.fmad));
        arguments.extend(max_registers.map(|most| format!("--maxrregcount={most}")));
        arguments.extend(opt.map(|level| format!("--ptxas-options=-O{level}")));
        if self.linked {
            arguments.push("--relocatable-device-code=true".to_owned());
        }
        if lineinfo {
            arguments.push("--generate-line-info".to_owned());
        }
        arguments
    }

    /// Whether the time that the kernel runs matters more than the time that it takes to compile.
    pub(super) fn optimizes(&self) -> bool {
        self.kernel.opt != Some(0)
    }

    /// Whether the numbers of lines are part of the machine code.
    pub(super) fn keep_lines(&self) -> bool {
        self.kernel.lineinfo
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_asks_for_nothing_is_compiled_with_contraction_alone() {
        assert_eq!(Options::DEFAULT.arguments(), ["--std=c++17", "--disable-warnings", "--fmad=true"]);
    }

    #[test]
    fn what_is_said_about_contraction_outlasts_fast_math() {
        let options = Options { fmad: false, linked: false, kernel: KernelOptions { fast_math: true, ..KernelOptions::DEFAULT } };
        assert_eq!(
            options.arguments(),
            ["--std=c++17", "--disable-warnings", "--use_fast_math", "--define-macro=GR_FAST_MATH", "--fmad=false"]
        );
    }

    #[test]
    fn each_option_is_an_argument() {
        let kernel = KernelOptions {
            max_threads: Some(256),
            max_registers: Some(32),
            fast_math: false,
            opt: Some(1),
            lineinfo: true,
            features: None,
            has_tiles: false,
        };
        let arguments = Options { fmad: true, linked: true, kernel }.arguments();
        assert_eq!(arguments[3..], ["--maxrregcount=32", "--ptxas-options=-O1", "--relocatable-device-code=true", "--generate-line-info"]);
    }
}
