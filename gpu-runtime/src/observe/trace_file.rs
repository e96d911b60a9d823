//! The files of traces. Several profiles may be asked to write the same one: those of the processes of a job, which have one environment, and
//! of two versions of this crate in one process. Each gets a file: `run.json`, `run.2.json`, `run.3.json`.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Removes the traces of an earlier run, when this one begins.
pub(super) fn remove(path: &Path) {
    // The first that is not there ends them. What cannot be removed stays, and is not overwritten.
    let _ = (1..).map(|number| numbered(path, number)).try_for_each(fs::remove_file);
}

/// Writes the trace to the first file that is not there yet.
pub(super) fn write(path: &Path, trace: &str) -> io::Result<()> {
    let create = |number| match File::create_new(numbered(path, number)) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => None,
        result => Some(result),
    };
    (1u32..).find_map(create).expect("there are fewer files")?.write_all(trace.as_bytes())
}

/// `run.json` is the first, `run.2.json` the second.
fn numbered(path: &Path, number: u32) -> PathBuf {
    match number {
        1 => path.to_owned(),
        _ => path.with_extension(format!("{number}.json")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_profile_of_a_run_has_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        let files = || ["run.json", "run.2.json", "run.3.json"].map(|file| fs::read_to_string(folder.path().join(file)).ok());
        for trace in ["one", "two"] {
            write(&path, trace).unwrap();
        }
        assert_eq!(files(), [Some("one".to_owned()), Some("two".to_owned()), None]);
        remove(&path);
        assert_eq!(files(), [None, None, None]);
        assert!(write(&folder.path().join("missing").join("run.json"), "").is_err());
    }
}
