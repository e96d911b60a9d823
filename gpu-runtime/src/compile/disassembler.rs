//! Machine code as text, SASS, by the disassembler of a CUDA toolkit, where one is installed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The programs, each with the argument before the file: the first one that is found is used.
const PROGRAMS: [(&str, &str); 2] = [("nvdisasm", "--print-code"), ("cuobjdump", "-sass")];

/// The SASS of machine code, which is only made if there is a disassembler. `None` without one, or if it fails.
// Compiled only where it is used, as what it calls.
#[inline]
pub(crate) fn sass(cubin: impl FnOnce() -> Option<Vec<u8>>) -> Option<String> {
    static FOUND: OnceLock<Option<(PathBuf, &str)>> = OnceLock::new();
    let (program, argument) = FOUND.get_or_init(|| find(&folders())).as_ref()?;
    disassemble(program, argument, &cubin()?)
}

/// Where the programs may be: in a toolkit that is named, on the `PATH`, in the usual toolkit.
#[inline]
fn folders() -> Vec<PathBuf> {
    let toolkit = |name| std::env::var_os(name).map(|toolkit| Path::new(&toolkit).join("bin"));
    let mut folders: Vec<PathBuf> = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(toolkit).collect();
    folders.extend(std::env::var_os("PATH").iter().flat_map(std::env::split_paths));
    folders.push(PathBuf::from("/usr/local/cuda/bin"));
    folders
}

#[inline]
fn find(folders: &[PathBuf]) -> Option<(PathBuf, &'static str)> {
    let file = |folder: &PathBuf, name| Some(folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))).filter(|file| file.is_file());
    PROGRAMS.into_iter().find_map(|(name, argument)| Some((folders.iter().find_map(|folder| file(folder, name))?, argument)))
}

#[inline]
fn disassemble(program: &Path, argument: &str, cubin: &[u8]) -> Option<String> {
    // The programs read files only. The name is this process's own.
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("gpu-runtime-{}-{}.cubin", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let file = std::env::temp_dir().join(name);
    let mut options = std::fs::OpenOptions::new();
    // Not through a link that somebody else has put there.
    let mut target = options.write(true).create_new(true).open(&file).ok()?;
    let output = std::io::Write::write_all(&mut target, cubin).and_then(|()| Command::new(program).arg(argument).arg(&file).output());
    drop(target);
    let _ = std::fs::remove_file(&file);
    let output = output.ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn machine_code_goes_through_the_first_program_that_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let folders = [folder.path().join("none"), folder.path().to_owned()];
        assert!(find(&folders).is_none());
        for (name, text) in [("cuobjdump", "#!/bin/sh\nexit 1\n"), ("nvdisasm", "#!/bin/sh\necho \"$1\"\ncat \"$2\"\n")] {
            let program = folder.path().join(name);
            std::fs::write(&program, text).unwrap();
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let (program, argument) = find(&folders).unwrap();
        assert_eq!(disassemble(&program, argument, b"machine code").unwrap(), "--print-code\nmachine code");
        assert!(disassemble(&folder.path().join("cuobjdump"), "-sass", b"").is_none(), "it fails");
    }
}
