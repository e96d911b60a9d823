//! The search for a library of CUDA, such as NVRTC: the folders, and the names of the files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::insertion_sort::insertion_sort;

/// What a library of CUDA is called.
#[derive(Debug)]
pub(crate) struct LibraryName {
    /// In messages: `NVRTC`.
    pub(crate) title: &'static str,
    /// In the names of its files: `nvrtc` of `libnvrtc.so.13` and `nvrtc64_130_0.dll`.
    pub(crate) stem: &'static str,
    /// The folder of its Python package for CUDA 12. Those for CUDA 13 share one.
    pub(crate) python_package: &'static str,
    /// The environment variable that names a file or folder to take instead of all others.
    pub(crate) variable: &'static str,
    /// The oldest version worth loading, by the number in its file name.
    pub(crate) oldest_major: u32,
    /// Names to try through the system's loader, newest first.
    pub(crate) loader_names: &'static [&'static str],
}

/// Where a library is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// A file that exists, as an absolute path without links.
    File(PathBuf),
    /// A file name that the system's loader may find.
    Loader(&'static str),
}

impl Place {
    pub(crate) fn path(&self) -> PathBuf {
        match self {
            Self::File(path) => path.clone(),
            Self::Loader(name) => PathBuf::from(name),
        }
    }
}

/// What a search finds.
#[derive(Debug, Default)]
pub(crate) struct Searched {
    /// Where there is such a library, the best place first.
    pub(crate) places: Vec<Place>,
    /// The places without one, for messages.
    pub(crate) notes: Vec<String>,
}

/// The part of a machine that a search reads: tests search one that they made up.
pub(crate) struct Machine {
    /// What absolute paths below start from: `/`.
    root: PathBuf,
    /// An environment variable's value.
    variable: fn(&str) -> Option<OsString>,
    /// The user's home folder.
    home: Option<PathBuf>,
    /// Whether the system's loader may find files too.
    has_loader: bool,
}

impl Machine {
    pub(crate) fn this() -> Self {
        Self {
            root: PathBuf::from("/"),
            variable: |name| std::env::var_os(name).filter(|value| !value.is_empty()),
            home: std::env::home_dir(),
            has_loader: true,
        }
    }

    fn folder_variable(&self, name: &str) -> Option<PathBuf> {
        (self.variable)(name).map(PathBuf::from)
    }

    fn list_variable(&self, name: &str) -> Vec<PathBuf> {
        (self.variable)(name).map(|value| std::env::split_paths(&value).collect()).unwrap_or_default()
    }
}

/// Looks in every place, best first. Nothing is loaded, so what the loader knows is only tried when its turn comes.
pub(crate) fn search(machine: &Machine, library: &'static LibraryName) -> Searched {
    let mut found = Found::of(library);
    if let Some(chosen) = machine.folder_variable(library.variable) {
        found.add_chosen(&chosen);
        return found.into_searched(&[]);
    }
    found.notes.push(format!("{}: not set", library.variable));
    for name in ["CUDA_PATH", "CUDA_HOME"] {
        match machine.folder_variable(name) {
            Some(toolkit) => found.add_all(&format!("{name}={}", toolkit.display()), &toolkit_folders(&toolkit)),
            None => found.notes.push(format!("{name}: not set")),
        }
    }
    let mut folders = Vec::new();
    for toolkit in toolkits_in(&machine.root.join("usr/local")) {
        folders.append(&mut toolkit_folders(&toolkit));
    }
    found.add_all("/usr/local/cuda*", &folders);
    for prefix in python_prefixes(machine) {
        found.add_all(&format!("Python packages in {}", prefix.display()), &wheel_folders(&prefix, library));
    }
    for folder in loader_folders(machine) {
        found.add_all(&folder.display().to_string(), std::slice::from_ref(&folder));
    }
    found.into_searched(if machine.has_loader { library.loader_names } else { &[] })
}

/// What a search has found so far.
struct Found {
    library: &'static LibraryName,
    files: Vec<PathBuf>,
    notes: Vec<String>,
}

impl Found {
    fn of(library: &'static LibraryName) -> Self {
        Self { library, files: Vec::new(), notes: Vec::new() }
    }

    /// The user's own choice: a library of any name, or a folder with one.
    fn add_chosen(&mut self, chosen: &Path) {
        let label = format!("{}={}", self.library.variable, chosen.display());
        if chosen.is_file() {
            self.add_file(chosen);
        } else if chosen.is_dir() {
            let mut folders = toolkit_folders(chosen);
            folders.insert(0, chosen.to_path_buf());
            self.add_all(&label, &folders);
        } else {
            self.notes.push(format!("{label}: does not exist"));
        }
    }

    /// The library of each folder; a note under `label` if none has one.
    fn add_all(&mut self, label: &str, folders: &[PathBuf]) {
        let mut any = false;
        for folder in folders {
            if let Some(file) = library_in(folder, self.library) {
                self.add_file(&file);
                any = true;
            }
        }
        if !any {
            self.notes.push(format!("{label}: no {}", self.library.title));
        }
    }

    /// Without links, since `/usr/local/cuda` is one and the same file needs no second try.
    fn add_file(&mut self, file: &Path) {
        let file = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
        if !self.files.contains(&file) {
            self.files.push(file);
        }
    }

    fn into_searched(self, loader_names: &[&'static str]) -> Searched {
        let files = self.files.into_iter().map(Place::File);
        let names = loader_names.iter().copied().map(Place::Loader);
        Searched { places: files.chain(names).collect(), notes: self.notes }
    }
}

/// The newest file of the library in `folder`.
fn library_in(folder: &Path, library: &LibraryName) -> Option<PathBuf> {
    let entries = folder.read_dir().ok()?;
    let versions = entries.flatten().filter_map(|entry| {
        let version = library.version(entry.file_name().to_str()?)?;
        // A name without a number may be anything: it comes last, and its version is checked when it is loaded.
        version.first().is_none_or(|major| *major >= library.oldest_major).then(|| (version, entry.path()))
    });
    versions.filter(|(_, path)| path.is_file()).max().map(|(_, path)| path)
}

impl LibraryName {
    /// The numbers in the name of a file of this library: `[13]` for `libnvrtc.so.13` and `cublas64_13.dll`, `[12, 4, 127]` for
    /// `libnvrtc.so.12.4.127`, `[13, 0]` for `nvrtc64_130_0.dll`, none for `libnvrtc.so`; `None` for any other file, such as
    /// `libnvrtc.alt.so.13`.
    pub(crate) fn version(&self, file: &str) -> Option<Vec<u32>> {
        let name = file.strip_prefix("lib").unwrap_or(file).strip_prefix(self.stem)?;
        if let Some(digits) = name.strip_prefix("64_").and_then(|rest| rest.strip_suffix(".dll")) {
            let (digits, has_minor) = digits.strip_suffix("_0").map_or((digits, false), |digits| (digits, true));
            let number: u32 = digits.parse().ok()?;
            return Some(if has_minor { vec![number / 10, number % 10] } else { vec![number] });
        }
        match name.strip_prefix(".so")? {
            "" => Some(Vec::new()),
            numbers => numbers.strip_prefix('.')?.split('.').map(|number| number.parse().ok()).collect(),
        }
    }
}

/// Where a CUDA toolkit keeps its libraries.
fn toolkit_folders(toolkit: &Path) -> Vec<PathBuf> {
    let folders: &[&str] = if cfg!(windows) {
        &["bin/x64", "bin"]
    } else {
        &["lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "targets/aarch64-linux/lib"]
    };
    folders.iter().map(|folder| toolkit.join(folder)).collect()
}

/// `cuda`, which the administrator chose, then `cuda-13.0`, `cuda-12.8` and so on, newest first.
fn toolkits_in(folder: &Path) -> Vec<PathBuf> {
    let mut toolkits = folders_by_version(folder, "cuda-");
    toolkits.insert(0, folder.join("cuda"));
    toolkits
}

/// The folders in `parent` that are called `prefix` and a version, newest first.
fn folders_by_version(parent: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(entries) = parent.read_dir() else { return Vec::new() };
    let versions = entries.flatten().filter_map(|entry| {
        let name = entry.file_name();
        let version = name.to_str()?.strip_prefix(prefix)?;
        Some((version.split('.').filter_map(|number| number.parse().ok()).collect(), entry.path()))
    });
    let mut folders: Vec<(Vec<u32>, PathBuf)> = versions.collect();
    insertion_sort(&mut folders, |a, b| a < b);
    folders.into_iter().rev().map(|(_, folder)| folder).collect()
}

/// Folders that hold a Python with its packages: the active environment first, then the Pythons on `PATH`, then the rest.
fn python_prefixes(machine: &Machine) -> Vec<PathBuf> {
    let mut prefixes: Vec<PathBuf> = ["VIRTUAL_ENV", "CONDA_PREFIX"].iter().filter_map(|name| machine.folder_variable(name)).collect();
    let python = if cfg!(windows) { "python.exe" } else { "python3" };
    for folder in machine.list_variable("PATH") {
        // Without links: on most systems `/bin` is `/usr/bin`.
        let folder = folder.canonicalize().unwrap_or(folder);
        let program = folder.join(python);
        if !program.is_file() {
            continue;
        }
        if cfg!(windows) {
            prefixes.push(folder);
            continue;
        }
        prefixes.extend(folder.parent().map(Path::to_path_buf));
        // `python3` of a pyenv is a script that picks one of its versions; any other may be a link into its prefix.
        if folder.ends_with("shims") {
            prefixes.append(&mut folders_by_version(&folder.with_file_name("versions"), ""));
        } else if let Ok(target) = program.canonicalize() {
            prefixes.extend(target.parent().and_then(Path::parent).map(Path::to_path_buf));
        }
    }
    if !cfg!(windows) {
        prefixes.extend(["usr/local", "usr"].map(|prefix| machine.root.join(prefix)));
        prefixes.extend(machine.home.as_ref().map(|home| home.join(".local")));
    }
    let mut unique = Vec::new();
    for prefix in prefixes {
        if !unique.contains(&prefix) {
            unique.push(prefix);
        }
    }
    unique
}

/// Where NVIDIA's pip packages put the library below a Python's prefix: newest CUDA first.
fn wheel_folders(prefix: &Path, library: &LibraryName) -> Vec<PathBuf> {
    let mut package_folders = Vec::new();
    if cfg!(windows) {
        package_folders.push(prefix.join("Lib/site-packages"));
    }
    for library_folder in ["lib", "lib64"] {
        for python in folders_by_version(&prefix.join(library_folder), "python") {
            package_folders.push(python.join("site-packages"));
            package_folders.push(python.join("dist-packages"));
        }
    }
    let shared: &[&str] = if cfg!(windows) { &["nvidia/cu13/bin/x86_64", "nvidia/cu13/bin"] } else { &["nvidia/cu13/lib"] };
    let own = format!("nvidia/{}/{}", library.python_package, if cfg!(windows) { "bin" } else { "lib" });
    let mut folders = Vec::new();
    for packages in package_folders {
        folders.extend(shared.iter().map(|library| packages.join(library)));
        folders.push(packages.join(&own));
    }
    folders
}

/// Folders that the system's loader would look in. A file found here needs no loading to be told apart in the cache.
fn loader_folders(machine: &Machine) -> Vec<PathBuf> {
    if cfg!(windows) {
        return machine.list_variable("PATH");
    }
    let mut folders = machine.list_variable("LD_LIBRARY_PATH");
    // Conda installs them beside its other libraries.
    folders.extend(machine.folder_variable("CONDA_PREFIX").map(|prefix| prefix.join("lib")));
    folders
        .extend(["usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu", "usr/lib64", "usr/lib"].map(|folder| machine.root.join(folder)));
    folders
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
