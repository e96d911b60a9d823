//! Who could have written to the cache.
//!
//! A cubin runs on the GPU with the memory of this process, and its checksum says only that it is intact: whoever can write to the
//! cache chooses what runs. So the folder and its files must belong to this user, and only their owner may write to them. Root can
//! write everywhere, so what belongs to root, such as a cache in the image of a container, is accepted as well.
//!
//! Each file is checked once it is open. Replacing the folder between its check and the opening therefore achieves nothing.

use std::fmt;
use std::fs::{self, Metadata};
use std::path::Path;
use std::sync::Once;

/// Why others could have written something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Distrust {
    /// It belongs to the user with this ID.
    OtherOwner(u32),
    /// The permissions let the group or everybody write.
    WritableByOthers,
}

impl fmt::Display for Distrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distrust::OtherOwner(user) => write!(f, "belongs to another user (user ID {user})"),
            Distrust::WritableByOthers => write!(f, "is writable by other users"),
        }
    }
}

/// Whether only this user, or root, can have written what has this `metadata`.
#[cfg(unix)]
pub(super) fn check_owner(metadata: &Metadata) -> Result<(), Distrust> {
    use std::os::unix::fs::MetadataExt as _;

    const ROOT: u32 = 0;
    const WRITE_BY_GROUP_OR_OTHERS: u32 = 0o022;
    if metadata.uid() != effective_user() && metadata.uid() != ROOT {
        return Err(Distrust::OtherOwner(metadata.uid()));
    }
    if metadata.mode() & WRITE_BY_GROUP_OR_OTHERS != 0 {
        return Err(Distrust::WritableByOthers);
    }
    Ok(())
}

/// The cache is in the user's own folder, which Windows protects.
#[cfg(not(unix))]
pub(super) fn check_owner(_: &Metadata) -> Result<(), Distrust> {
    Ok(())
}

#[cfg(unix)]
fn effective_user() -> u32 {
    // SAFETY: the C library has this function, with this signature (`uid_t` has 32 bits), on each Unix that std supports. It takes
    // nothing and cannot fail.
    unsafe extern "C" {
        safe fn geteuid() -> u32;
    }
    geteuid()
}

/// Whether the cache in `folder` can be used, or made there. If not, the program is warned once, and works without a cache.
pub(super) fn is_trusted_folder(folder: &Path) -> bool {
    static WARNED: Once = Once::new();
    let Err(distrust) = fs::metadata(folder).map_or(Ok(()), |metadata| check_owner(&metadata)) else { return true };
    WARNED.call_once(|| warn(folder, distrust));
    false
}

#[cold]
fn warn(folder: &Path, distrust: Distrust) {
    let folder = folder.display();
    let chmod = if distrust == Distrust::WritableByOthers { format!("run `chmod go-w {folder}`, or ") } else { String::new() };
    tracing::warn!(
        target: "gpu_runtime",
        "the cache folder `{folder}` {distrust}, so it is not used, and each run of the program compiles its kernels; {chmod}set `GPU_RUNTIME_CACHE_DIR` to a folder that belongs to you"
    );
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn with_mode(folder: &Path, mode: u32) -> Result<(), Distrust> {
        fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
        check_owner(&fs::metadata(folder).unwrap())
    }

    #[test]
    fn a_folder_is_trusted_if_only_its_owner_can_write() {
        let folder = tempfile::tempdir().unwrap();
        for mode in [0o700, 0o500, 0o755, 0o711] {
            assert_eq!(with_mode(folder.path(), mode), Ok(()), "{mode:o}");
        }
        for mode in [0o770, 0o720, 0o707, 0o702, 0o777, 0o1777] {
            assert_eq!(with_mode(folder.path(), mode), Err(Distrust::WritableByOthers), "{mode:o}");
        }
    }

    #[test]
    fn what_belongs_to_root_is_trusted() {
        assert_eq!(check_owner(&fs::metadata("/").unwrap()), Ok(()));
    }

    #[test]
    fn a_folder_that_is_not_there_yet_can_be_made() {
        let folder = tempfile::tempdir().unwrap();
        assert!(is_trusted_folder(&folder.path().join("new")));
    }
}
