use std::fs;

use super::*;
use crate::compile::nvrtc::{Compiler, Compilers, NVRTC};

/// A made-up machine below a temporary folder, where `variable` is the whole environment.
fn machine(root: &Path, variable: fn(&str) -> Option<OsString>) -> Machine {
    Machine { root: root.to_path_buf(), variable, home: Some(root.join("home/user")), has_loader: false }
}

fn put(root: &Path, file: &str) {
    let file = root.join(file);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, b"").unwrap();
}

/// What a search finds, relative to `root`.
fn found(machine: &Machine) -> Vec<String> {
    let root = machine.root.canonicalize().unwrap();
    let compilers = Compilers::at(search(machine, &NVRTC));
    let relative = |compiler: &Compiler| compiler.place.path().strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
    compilers.iter().map(relative).collect()
}

#[test]
fn file_names_tell_versions() {
    assert_eq!(NVRTC.version("libnvrtc.so.13"), Some(vec![13]));
    assert_eq!(NVRTC.version("libnvrtc.so.12.4.127"), Some(vec![12, 4, 127]));
    assert_eq!(NVRTC.version("libnvrtc.so"), Some(vec![]));
    assert_eq!(NVRTC.version("nvrtc64_130_0.dll"), Some(vec![13, 0]));
    assert_eq!(NVRTC.version("nvrtc64_120_0.dll"), Some(vec![12, 0]));
    let cublas = LibraryName { stem: "cublas", ..NVRTC };
    assert_eq!(cublas.version("cublas64_13.dll"), Some(vec![13]));
    assert_eq!(cublas.version("libcublas.so.13.1.0.3"), Some(vec![13, 1, 0, 3]));
    assert_eq!(cublas.version("libcublasLt.so.13"), None);
    for other in ["libnvrtc.alt.so.13", "libnvrtc-builtins.so.13.0", "libnvrtc.so.13.bak", "libnvrtc.a", "nvrtc-builtins64_130.dll"] {
        assert_eq!(NVRTC.version(other), None, "{other}");
    }
}

#[test]
fn of_one_folder_the_newest_supported_library_counts() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "libnvrtc.so.11.8.89");
    assert_eq!(library_in(folder.path(), &NVRTC), None);
    put(folder.path(), "libnvrtc.so");
    assert_eq!(library_in(folder.path(), &NVRTC), Some(folder.path().join("libnvrtc.so")));
    put(folder.path(), "libnvrtc.so.9");
    put(folder.path(), "libnvrtc.so.12.4.127");
    put(folder.path(), "libnvrtc.so.12.10.1");
    put(folder.path(), "libnvrtc.alt.so.13");
    assert_eq!(library_in(folder.path(), &NVRTC), Some(folder.path().join("libnvrtc.so.12.10.1")));
}

#[cfg(unix)]
#[test]
fn a_compiler_newer_than_the_driver_comes_last() {
    let root = tempfile::tempdir().unwrap();
    for file in ["usr/local/cuda-13.0/lib64/libnvrtc.so.13", "usr/local/cuda-12.8/lib64/libnvrtc.so.12", "usr/lib64/libnvrtc.so.13"] {
        put(root.path(), file);
    }
    let majors = |driver| {
        let mut compilers = Compilers::at(search(&machine(root.path(), |_| None), &NVRTC));
        compilers.prefer_for_driver(driver);
        compilers.iter().map(|compiler| compiler.major().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(majors(13), [13, 12, 13]);
    assert_eq!(majors(12), [12, 13, 13]);
}

#[cfg(unix)]
#[test]
fn toolkits_come_before_wheels_and_wheels_before_the_system() {
    let root = tempfile::tempdir().unwrap();
    let files = [
        "usr/local/cuda-13.0/lib64/libnvrtc.so.13",
        "usr/local/cuda-12.8/lib64/libnvrtc.so.12",
        "usr/local/lib/python3.9/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
        "usr/lib/python3/dist-packages/nvidia/cu13/lib/libnvrtc.so.13",
        "home/user/.local/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
        "usr/lib/x86_64-linux-gnu/libnvrtc.so.12",
    ];
    for file in files.iter().rev() {
        put(root.path(), file);
    }
    assert_eq!(found(&machine(root.path(), |_| None)), files);

    // The administrator's choice goes first, and is not listed again under its other name.
    std::os::unix::fs::symlink(root.path().join("usr/local/cuda-12.8"), root.path().join("usr/local/cuda")).unwrap();
    assert_eq!(found(&machine(root.path(), |_| None))[..2], [files[1], files[0]]);
}

#[cfg(unix)]
#[test]
fn the_pythons_on_the_path_are_searched_without_running_them() {
    let root = tempfile::tempdir().unwrap();
    let wheel = |prefix: &str| format!("{prefix}/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13");
    put(root.path(), "venv/bin/python3");
    put(root.path(), &wheel("venv"));
    put(root.path(), "pyenv/shims/python3");
    put(root.path(), &wheel("pyenv/versions/3.9.1"));
    put(root.path(), &wheel("pyenv/versions/3.11.7"));
    put(root.path(), "opt/python/bin/python3.11");
    put(root.path(), &wheel("opt/python"));
    put(root.path(), "bin/other");
    std::os::unix::fs::symlink(root.path().join("opt/python/bin/python3.11"), root.path().join("bin/python3")).unwrap();
    let path = ["venv/bin", "pyenv/shims", "bin", "missing"].map(|folder| root.path().join(folder));
    let expected = ["venv", "pyenv/versions/3.11.7", "pyenv/versions/3.9.1", "opt/python"].map(wheel);

    // A `fn` cannot capture: hand the list over through a thread-local.
    thread_local!(static PATH: std::cell::RefCell<OsString> = const { std::cell::RefCell::new(OsString::new()) });
    PATH.set(std::env::join_paths(path).unwrap());
    let machine = machine(root.path(), |name| (name == "PATH").then(|| PATH.with_borrow(Clone::clone)));
    assert_eq!(found(&machine), expected);
}

#[test]
fn a_missing_nvrtc_lists_every_place_and_what_to_install() {
    let root = tempfile::tempdir().unwrap();
    let compilers =
        Compilers::at(search(&machine(root.path(), |name| (name == "CUDA_PATH").then(|| OsString::from("/no/such/toolkit"))), &NVRTC));
    assert_eq!(compilers.iter().count(), 0);
    let message = compilers.status().to_string();
    let mut places =
        vec!["GPU_RUNTIME_NVRTC: not set", "CUDA_PATH=/no/such/toolkit: no NVRTC", "CUDA_HOME: not set", "/usr/local/cuda*: no NVRTC"];
    if cfg!(unix) {
        places.extend([".local: no NVRTC", "usr/lib64: no NVRTC"]);
    }
    for place in places.into_iter().chain(["pip install nvidia-cuda-nvrtc", "CUDA toolkit"]) {
        assert!(message.contains(place), "`{place}` is not in:\n{message}");
    }
}

#[test]
fn the_chosen_library_is_the_only_one_tried() {
    let root = tempfile::tempdir().unwrap();
    put(root.path(), "usr/local/cuda/lib64/libnvrtc.so.13");
    let compilers =
        Compilers::at(search(&machine(root.path(), |name| (name == "GPU_RUNTIME_NVRTC").then(|| OsString::from("/no/such/file"))), &NVRTC));
    assert_eq!(compilers.iter().count(), 0);
    assert_eq!(compilers.searched(), ["GPU_RUNTIME_NVRTC=/no/such/file: does not exist"]);
}

#[test]
fn a_file_that_is_no_library_is_named_with_the_reason() {
    let root = tempfile::tempdir().unwrap();
    put(root.path(), "libnvrtc.so.13");
    let file = root.path().join("libnvrtc.so.13").canonicalize().unwrap();
    let mut found = Found::of(&NVRTC);
    found.add_chosen(&file);
    let compilers = Compilers::at(found.into_searched(&[]));
    let message = compilers.status().to_string();
    assert!(message.contains(file.to_str().unwrap()), "{message}");
    assert_eq!(compilers.iter().next().unwrap().library().err(), compilers.iter().next().unwrap().library().err());
}
