//! The disk cache of cubins as a user sees it: shared by processes, repaired when broken, and never in the way.

#[path = "support/messages.rs"]
mod messages;
#[path = "support/nvrtc.rs"]
mod nvrtc;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{env, fs};

use gpu_runtime::__private::{Blocks, KernelDefinition, KernelMeta, ProvedFor, Segment, Sites, SourceUnit, Stop};
use gpu_runtime::KernelHandle;
use gpu_runtime::aot::Bundle;

use nvrtc::has_nvrtc;

/// A kernel that writes its thread numbers, as the macro would define it. It never runs here.
struct Numbers;

// SAFETY: source and twin take the arguments that `Args` binds, and check their indices.
unsafe impl KernelDefinition for Numbers {
    type Args<'a> = ();
    const META: &'static KernelMeta = &KernelMeta {
        name: "numbers",
        params: &["out"],
        proved_for: ProvedFor { grid_axes: 1, block_axes: 1 },
        unit: &SourceUnit {
            name: "numbers",
            prototype: &[],
            body: &[Segment::Text("extern \"C\" __global__ void numbers(u32* out) { out[threadIdx.x] = threadIdx.x; }\n")],
            snippets: &[],
            sites: &Sites::NONE,
            several_elements: false,
        },
        ..KernelMeta::NONE
    };

    fn run_blocks(&(): &(), _: Blocks<'_>) -> Result<(), Stop> {
        Ok(())
    }
}

/// Where the process puts its warnings.
const WARNINGS_FILE: &str = "GPU_RUNTIME_TEST_WARNINGS_FILE";
const RESULT_FILE: &str = "GPU_RUNTIME_TEST_RESULT_FILE";

/// Compiles the kernel in a process of its own and writes the cubin, or the error, where the parent says.
#[test]
#[ignore = "run by the other tests, in processes of its own"]
fn compile_once() {
    let file = env::var_os(RESULT_FILE).expect("the parent names the file");
    let warnings = messages::Messages::default();
    let compile = || KernelHandle::of::<Numbers>().cubin("sm_90").unwrap_or_else(|error| error.to_string().into_bytes());
    let result = tracing::subscriber::with_default(warnings.clone(), || {
        compile();
        compile()
    });
    fs::write(file, result).unwrap();
    if let Some(file) = env::var_os(WARNINGS_FILE) {
        fs::write(file, warnings.take().join("\n")).unwrap();
    }
}

#[test]
fn a_bundle_has_each_program_once_for_each_target() {
    if !has_nvrtc("a_bundle_has_each_program_once_for_each_target") {
        return;
    }
    let kernel = KernelHandle::of::<Numbers>();
    let bundle = Bundle::compile(&[kernel, kernel], &["sm_80", "sm_90a", "compute_90"]).unwrap();
    let count = |name: &[u8]| bundle.as_bytes().windows(name.len()).filter(|bytes| *bytes == name).count();
    let counts = [&b"sm_80\0"[..], b"sm_90a\0", b"compute_90\0", b"\x7fELF", b".target sm_90\n"].map(count);
    assert_eq!(counts, [1, 1, 1, 2, 1], "three entries: two of machine code and one of PTX");
    // SAFETY: `compile` wrote the bytes.
    unsafe { Bundle::load(bundle.as_bytes().to_vec()) }.unwrap();
    let error = Bundle::compile(&[kernel], &["sm_80a"]).unwrap_err().to_string();
    assert!(error.contains("`sm_80a` is not a GPU architecture"), "{error}");
}

/// A process that compiles the kernel with `variables` set.
struct Compilation {
    process: Child,
    result: PathBuf,
}

impl Compilation {
    fn start(result: PathBuf, variables: &[(&str, &Path)]) -> Self {
        let process = Command::new(env::current_exe().unwrap())
            .args(["--ignored", "--exact", "compile_once"])
            .env_remove("GPU_RUNTIME_CACHE")
            .env_remove("GPU_RUNTIME_CACHE_MAX_MB")
            .env(RESULT_FILE, &result)
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Self { process, result }
    }

    fn result(mut self) -> Vec<u8> {
        assert!(self.process.wait().unwrap().success());
        fs::read(self.result).unwrap()
    }
}

fn compile(folder: &Path, variables: &[(&str, &Path)]) -> Vec<u8> {
    Compilation::start(folder.join("result"), variables).result()
}

fn is_cubin(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

/// The only file in the cache.
fn only_entry(cache: &Path) -> PathBuf {
    let entries: Vec<PathBuf> = fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [entry] = entries.as_slice() else { panic!("one entry was expected: {entries:?}") };
    entry.clone()
}

#[test]
fn many_processes_that_start_together_agree_and_leave_one_entry() {
    if !has_nvrtc("many_processes_that_start_together_agree_and_leave_one_entry") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let all: Vec<Compilation> =
        (0..8).map(|number| Compilation::start(folder.path().join(number.to_string()), &[("GPU_RUNTIME_CACHE_DIR", &cache)])).collect();
    let cubins: Vec<Vec<u8>> = all.into_iter().map(Compilation::result).collect();
    assert!(is_cubin(&cubins[0]), "{}", String::from_utf8_lossy(&cubins[0]));
    assert!(cubins.iter().all(|cubin| *cubin == cubins[0]));
    only_entry(&cache);
}

#[test]
fn a_broken_entry_is_compiled_again_and_replaced() {
    if !has_nvrtc("a_broken_entry_is_compiled_again_and_replaced") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let variables = [("GPU_RUNTIME_CACHE_DIR", cache.as_path())];
    let cubin = compile(folder.path(), &variables);
    let entry = only_entry(&cache);
    let intact = fs::read(&entry).unwrap();
    let mut flipped = intact.clone();
    flipped[intact.len() - 1] ^= 1;
    for broken in [&intact[..intact.len() - 1], &intact[..10], &flipped, b"", b"something else"] {
        fs::write(&entry, broken).unwrap();
        assert_eq!(compile(folder.path(), &variables), cubin);
        assert_eq!(fs::read(&entry).unwrap(), intact);
    }
    fs::remove_file(&entry).unwrap();
    fs::create_dir(&entry).unwrap();
    assert_eq!(compile(folder.path(), &variables), cubin);
    assert_eq!(fs::read(&entry).unwrap(), intact);
}

#[test]
fn a_cached_kernel_needs_no_nvrtc() {
    if !has_nvrtc("a_cached_kernel_needs_no_nvrtc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let without_nvrtc = [("GPU_RUNTIME_CACHE_DIR", cache.as_path()), ("GPU_RUNTIME_NVRTC", Path::new("/no/such/nvrtc"))];
    let error = String::from_utf8(compile(folder.path(), &without_nvrtc)).unwrap();
    assert!(error.contains("/no/such/nvrtc") && error.contains("pip install nvidia-cuda-nvrtc"), "{error}");
    let cubin = compile(folder.path(), &[("GPU_RUNTIME_CACHE_DIR", &cache)]);
    assert_eq!(compile(folder.path(), &without_nvrtc), cubin);
}

#[test]
fn a_cache_that_is_off_or_cannot_be_written_is_not_an_error() {
    if !has_nvrtc("a_cache_that_is_off_or_cannot_be_written_is_not_an_error") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    assert!(is_cubin(&compile(folder.path(), &[("GPU_RUNTIME_CACHE_DIR", &cache), ("GPU_RUNTIME_CACHE", Path::new("off"))])));
    assert!(!cache.exists());

    fs::write(&cache, b"a file where the folder should be").unwrap();
    assert!(is_cubin(&compile(folder.path(), &[("GPU_RUNTIME_CACHE_DIR", &cache)])));
    assert_eq!(fs::read(&cache).unwrap(), b"a file where the folder should be");
}

#[cfg(unix)]
mod ownership {
    use std::os::unix::fs::{PermissionsExt as _, chown};

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Whether a process without NVRTC finds the kernel in the cache, and the warnings of that process.
    fn find(folder: &Path, cache: &Path) -> (bool, String) {
        let warnings = folder.join("warnings");
        let variables =
            [("GPU_RUNTIME_CACHE_DIR", cache), ("GPU_RUNTIME_NVRTC", Path::new("/no/such/nvrtc")), (WARNINGS_FILE, warnings.as_path())];
        (is_cubin(&compile(folder, &variables)), fs::read_to_string(&warnings).unwrap())
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_not_used_and_the_program_is_warned_once() {
        if !has_nvrtc("a_folder_that_others_can_write_to_is_not_used_and_the_program_is_warned_once") {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        let variables = [("GPU_RUNTIME_CACHE_DIR", cache.as_path())];
        let cubin = compile(folder.path(), &variables);
        let entry = only_entry(&cache);
        assert_eq!(find(folder.path(), &cache), (true, String::new()));

        set_mode(&cache, 0o777);
        let (found, warnings) = find(folder.path(), &cache);
        assert!(!found && warnings.lines().count() == 1, "{warnings}");
        for part in [&*cache.to_string_lossy(), "is writable by other users", "chmod go-w", "GPU_RUNTIME_CACHE_DIR"] {
            assert!(warnings.contains(part), "`{part}` is not in: {warnings}");
        }
        // With NVRTC, the kernel is compiled all the same, and nothing is put into that folder.
        fs::remove_file(&entry).unwrap();
        assert_eq!(compile(folder.path(), &variables), cubin);
        assert_eq!(fs::read_dir(&cache).unwrap().count(), 0);
    }

    #[test]
    fn a_file_that_others_can_write_to_is_compiled_again_and_replaced() {
        if !has_nvrtc("a_file_that_others_can_write_to_is_compiled_again_and_replaced") {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        let cubin = compile(folder.path(), &[("GPU_RUNTIME_CACHE_DIR", &cache)]);
        let entry = only_entry(&cache);
        set_mode(&entry, 0o666);
        assert!(!find(folder.path(), &cache).0);
        assert_eq!(compile(folder.path(), &[("GPU_RUNTIME_CACHE_DIR", &cache)]), cubin);
        assert!(find(folder.path(), &cache).0);
    }

    #[test]
    fn a_folder_or_file_of_another_user_is_not_used() {
        if !has_nvrtc("a_folder_or_file_of_another_user_is_not_used") {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        compile(folder.path(), &[("GPU_RUNTIME_CACHE_DIR", &cache)]);
        const SOMEBODY: Option<u32> = Some(12345);
        if chown(&cache, SOMEBODY, None).is_err() {
            eprintln!("skipped `a_folder_or_file_of_another_user_is_not_used`: only root can give a folder away");
            return;
        }
        let (found, warnings) = find(folder.path(), &cache);
        assert!(!found && warnings.contains("belongs to another user (user ID 12345)"), "{warnings}");

        chown(&cache, Some(0), None).unwrap();
        chown(only_entry(&cache), SOMEBODY, None).unwrap();
        assert_eq!(find(folder.path(), &cache), (false, String::new()));
    }
}
