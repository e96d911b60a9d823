//! The host's C++ compiler.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A C++ compiler that takes GCC's options.
pub struct Compiler(&'static str);

/// Whether undefined behaviour ends the process with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sanitizer {
    Off,
    UndefinedBehaviour,
}

impl Compiler {
    /// The first of `c++`, `g++` and `clang++` that is installed and builds shared libraries with this `sanitizer`.
    pub fn find(sanitizer: Sanitizer) -> Option<Self> {
        ["c++", "g++", "clang++"].into_iter().map(Self).find(|compiler| compiler.works(sanitizer))
    }

    fn works(&self, sanitizer: Sanitizer) -> bool {
        let Ok(folder) = tempfile::tempdir() else { return false };
        let (source, library) = (folder.path().join("probe.cpp"), folder.path().join("probe.so"));
        std::fs::write(&source, "#include <ucontext.h>\nextern \"C\" int probe(int a) { return a + 1; }\n").is_ok()
            && self
                .command(sanitizer)
                .arg(&source)
                .args([OsStr::new("-shared"), OsStr::new("-o"), library.as_os_str()])
                .status()
                .is_ok_and(|status| status.success())
    }

    /// The compiler with the options that all of the code needs. `-Og` optimizes enough for the sanitizer to know how large objects are.
    fn command(&self, sanitizer: Sanitizer) -> Command {
        let mut command = Command::new(self.0);
        command.args(["-std=c++17", "-Og", "-fPIC", "-w", "-ffp-contract=off", "-pthread"]);
        if sanitizer == Sanitizer::UndefinedBehaviour {
            command.args(["-fsanitize=undefined", "-fsanitize=float-cast-overflow", "-fno-sanitize-recover=all"]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    /// Compiles `sources` (C++ files in `folder`, as many at a time as there are processors) into the shared library `library`.
    ///
    /// # Panics
    ///
    /// With the compiler's messages if it refuses a source.
    pub fn build(&self, folder: &Path, sources: &[String], sanitizer: Sanitizer, library: &Path) {
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
                let output = self.command(sanitizer).current_dir(folder).args(["-c", source]).output().expect("the compiler starts");
                assert!(output.status.success(), "{} does not compile {source}:\n{}", self.0, String::from_utf8_lossy(&output.stderr));
            }
        };
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(work);
            }
        });
        let objects = sources.iter().map(|source| Path::new(source).with_extension("o"));
        let mut command = self.command(sanitizer);
        let output = command.current_dir(folder).args(["-shared", "-o"]).arg(library).args(objects).output().expect("the linker starts");
        assert!(output.status.success(), "{} does not link:\n{}", self.0, String::from_utf8_lossy(&output.stderr));
    }
}
