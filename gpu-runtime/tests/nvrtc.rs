//! The search for NVRTC as a user sees it. The environment is read once per process, so each case has a process of its own.

use std::path::Path;
use std::process::Command;

use gpu_runtime::prelude::*;

const CHILD: &str = "GPU_RUNTIME_TEST_PRINT_STATUS";

/// What `nvrtc_status` says in a process with these variables, and with none that this process happens to have.
fn status_with(variables: &[(&str, &Path)]) -> String {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--ignored", "--exact", "--nocapture", "print_status"]).env(CHILD, "1");
    for name in ["GPU_RUNTIME_NVRTC", "CUDA_PATH", "CUDA_HOME", "VIRTUAL_ENV", "CONDA_PREFIX"] {
        child.env_remove(name);
    }
    let output = child.envs(variables.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
#[ignore = "run by the other tests, in processes of its own"]
fn print_status() {
    assert!(std::env::var_os(CHILD).is_some(), "only the other tests run this one");
    println!("{}", gpu_runtime::nvrtc_status());
}

/// The file of this machine's NVRTC; else `None`, after saying that `test` was skipped.
fn installed(test: &str) -> Option<std::path::PathBuf> {
    let status = gpu_runtime::nvrtc_status();
    if let gpu_runtime::NvrtcStatus::Found { path, .. } = &status {
        if path.is_absolute() {
            return Some(path.clone());
        }
        eprintln!("skipped `{test}`: only the loader knows where {status} is");
        return None;
    }
    let required = std::env::var("GPU_RUNTIME_REQUIRE").is_ok_and(|what| what.contains("nvrtc") || what.contains("cuda"));
    assert!(!required, "`{test}` needs NVRTC: {status}");
    eprintln!("skipped `{test}`: {status}");
    None
}

#[test]
fn a_missing_nvrtc_is_reported_with_the_places_searched_and_what_to_install() {
    let folder = tempfile::tempdir().unwrap();
    let status = status_with(&[("GPU_RUNTIME_NVRTC", folder.path())]);
    for part in ["not found", &format!("GPU_RUNTIME_NVRTC={}: no NVRTC", folder.path().display()), "pip install nvidia-cuda-nvrtc"] {
        assert!(status.contains(part), "`{part}` is not in:\n{status}");
    }
}

#[test]
fn a_file_that_is_not_a_library_is_reported_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("libnvrtc.so.13");
    std::fs::write(&file, "not a library").unwrap();
    let status = status_with(&[("GPU_RUNTIME_NVRTC", &file)]);
    assert!(status.contains("not found") && status.contains(file.canonicalize().unwrap().to_str().unwrap()), "{status}");
}

#[test]
fn a_file_and_its_folder_name_the_same_library() {
    let Some(path) = installed("a_file_and_its_folder_name_the_same_library") else { return };
    let by_file = status_with(&[("GPU_RUNTIME_NVRTC", &path)]);
    let by_folder = status_with(&[("GPU_RUNTIME_NVRTC", path.parent().unwrap())]);
    let expected = format!("NVRTC {}", path.display());
    let without_version = |status: &str| {
        let line = status.lines().find(|line| line.contains("NVRTC ")).unwrap().to_owned();
        let (_, place) = line.split_once(": ").unwrap();
        format!("NVRTC {place}")
    };
    assert_eq!(without_version(&by_file), expected);
    assert_eq!(without_version(&by_folder), expected);
}

#[cfg(unix)]
#[test]
fn a_wheel_in_the_active_virtual_environment_is_found() {
    let Some(path) = installed("a_wheel_in_the_active_virtual_environment_is_found") else { return };
    let environment = tempfile::tempdir().unwrap();
    let packages = environment.path().join("lib/python3.12/site-packages/nvidia/cu13");
    std::fs::create_dir_all(&packages).unwrap();
    std::os::unix::fs::symlink(path.parent().unwrap(), packages.join("lib")).unwrap();
    let status = status_with(&[("VIRTUAL_ENV", environment.path())]);
    assert!(status.contains("NVRTC ") && !status.contains("not found"), "{status}");
}

/// Fails before it begins, whatever it is given.
#[gpu_kernel]
#[allow(dead_code, reason = "it is compiled, and not launched")]
fn fails_always(x: &[u64], out: &mut [u64]) {
    let none: Option<u64> = None;
    assert!(none.is_some());
    for i in 0..x.len() {
        out[0] += x[i];
    }
}

#[test]
fn a_loop_behind_a_failure_that_is_certain_compiles() {
    if installed("a_loop_behind_a_failure_that_is_certain_compiles").is_some() {
        fails_always::handle().cubin("sm_90").unwrap();
    }
}

#[vectorize]
fn été(x: f32) -> f32 {
    x + 1.0
}

#[reduce(identity = f32::NEG_INFINITY)]
fn größte(a: f32, b: f32) -> f32 {
    a.max(b)
}

#[test]
fn array_functions_may_have_names_with_letters_outside_ascii() -> gpu_runtime::Result<()> {
    let x = Device::cpu().to_device(&[3.0f32, 4.0, -1.0, 0.0])?.reshape([2, 2])?;
    let kernels = gpu_runtime::kernels_of(|| {
        assert_eq!(été::map(&x).to_host()?, [4.0, 5.0, 0.0, 1.0]);
        assert_eq!(größte::reduce(été::map(&x))?, 5.0);
        assert_eq!(größte::reduce_axis(&x, 0)?.to_host()?, [3.0, 4.0]);
        assert_eq!(größte::accumulate(&x)?.to_host()?, [3.0, 4.0, -1.0, 0.0]);
        assert_eq!(größte::reduce_by(&x, &[1u32, 1], 3)?.to_host()?, [f32::NEG_INFINITY, 4.0, f32::NEG_INFINITY]);
        Ok(())
    })?;
    assert!(kernels.len() >= 5 && kernels.iter().any(|kernel| kernel.name() == "map_été"), "{kernels:?}");
    if installed("array_functions_may_have_names_with_letters_outside_ascii").is_some() {
        for kernel in kernels {
            assert!(!kernel.cubin("sm_90")?.is_empty(), "{}", kernel.name());
        }
    }
    Ok(())
}
