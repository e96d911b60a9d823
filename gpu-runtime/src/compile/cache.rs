//! Cubins on disk, by key.
//!
//! The cache only saves time, so nothing here fails: a folder that cannot be written caches nothing, and a file that is not exactly what
//! [`Store::put`] wrote is ignored. Any number of processes may share a folder. A file appears under its name complete or not at all,
//! because it is written under a temporary name and then renamed; if a power cut leaves half of it, its checksum shows this. So no call
//! waits for the disk.

use std::fs::{self, File, FileTimes};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use super::inspect::CacheEntry;
use super::key::{Hash, Key};
use super::trust::{check_owner, is_trusted_folder};

/// The first bytes of every file. The last of them is the version of the format.
const MAGIC: [u8; 8] = *b"gpucubi\x01";
/// Magic, both halves of the key, the payload's checksum and the payload's length.
const HEADER_BYTES: usize = 8 + 32 + 32 + 32 + 8;
const EXTENSION: &str = "cubin";
/// For choices: a number, then the text that it was kept under.
const CHOICE_EXTENSION: &str = "choice";
/// For files that are still being written.
const TEMPORARY_EXTENSION: &str = "tmp";
/// A temporary file of this age was left by a process that died.
const ABANDONED_AFTER: Duration = Duration::from_secs(60 * 60);
const DEFAULT_MAX_BYTES: u64 = 256 << 20;
/// By which part of its size the cache may grow, on average, before anything is removed.
const SLACK: u64 = 64;

/// The values of environment variables.
type Variables<'v> = &'v dyn Fn(&str) -> Option<PathBuf>;

/// A folder of cubins whose total size is capped, but for what [`SLACK`] allows.
#[derive(Debug, Clone)]
pub(super) struct Store {
    folder: PathBuf,
    max_bytes: u64,
}

impl Store {
    /// As `GPU_RUNTIME_CACHE`, `GPU_RUNTIME_CACHE_DIR` and `GPU_RUNTIME_CACHE_MAX_MB` say, else in the user's cache folder.
    /// `None` if the cache is off, if there is no place for it, or if others can write to the folder.
    pub(super) fn from_environment() -> Option<Self> {
        let store = Self::from_variables(&|name| std::env::var_os(name).map(PathBuf::from).filter(|value| !value.as_os_str().is_empty()))?;
        is_trusted_folder(&store.folder).then_some(store)
    }

    fn from_variables(variable: Variables<'_>) -> Option<Self> {
        if variable("GPU_RUNTIME_CACHE").is_some_and(|value| value.as_os_str() == "off") {
            return None;
        }
        let max_bytes = variable("GPU_RUNTIME_CACHE_MAX_MB")
            .and_then(|value| value.to_str()?.parse::<u64>().ok())
            .map_or(DEFAULT_MAX_BYTES, |megabytes| megabytes.saturating_mul(1 << 20));
        let folder = variable("GPU_RUNTIME_CACHE_DIR").or_else(|| Some(user_cache_folder(variable)?.join("gpu-runtime")))?;
        Some(Self { folder, max_bytes })
    }

    /// Of the default size.
    #[cfg(test)]
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.to_path_buf(), max_bytes: DEFAULT_MAX_BYTES }
    }

    /// The cubin that was put under `key`, if it is intact.
    pub(super) fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let (stored, cubin) = read_entry(&self.path(key))?;
        (stored == *key).then_some(cubin)
    }

    /// A cubin of this program from whichever compiler, the last used first.
    pub(super) fn get_from_any_compiler(&self, program: &Hash) -> Option<Vec<u8>> {
        let prefix = hex(program);
        let mut entries = self.entries();
        entries.retain(|entry| entry.is_cubin() && entry.path.file_name().is_some_and(|name| starts_with(name, &prefix)));
        sort_by_last_use(&mut entries);
        entries.iter().rev().find_map(|entry| {
            let (stored, cubin) = read_entry(&entry.path)?;
            (stored.program == *program).then_some(cubin)
        })
    }

    /// Keeps `cubin` under `key`, in place of whatever is there. Now and then, removes what has not been used for longest.
    pub(super) fn put(&self, key: &Key, cubin: &[u8]) {
        let bytes = (HEADER_BYTES + cubin.len()) as u64;
        if bytes > self.max_bytes {
            return;
        }
        if self.write(key, cubin).is_ok() && self.evicts_after(key, bytes) {
            self.evict();
        }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The cubins, the last used first.
    pub(super) fn list(&self) -> Vec<CacheEntry> {
        let mut entries = self.entries();
        entries.retain(Entry::is_cubin);
        sort_by_last_use(&mut entries);
        entries.into_iter().rev().map(Entry::describe).collect()
    }

    /// Removes all cubins and choices. What another process removes meanwhile is gone as well.
    pub(super) fn clear(&self) -> io::Result<()> {
        let mut outcome = Ok(());
        for entry in self.entries().iter().filter(|entry| entry.is_cubin()) {
            outcome = removed(&entry.path).and(outcome);
        }
        for choice in files_in(&self.folder).iter().filter(|path| is_choice(path)) {
            outcome = removed(choice).and(outcome);
        }
        outcome
    }

    /// The number that was kept under `key`.
    pub(super) fn choice(&self, key: &str) -> Option<usize> {
        let text = fs::read_to_string(self.choice_path(key)).ok()?;
        let (number, kept) = text.split_once('\n')?;
        (kept == key).then(|| number.parse().ok())?
    }

    /// Keeps a number under `key`, in place of another.
    pub(super) fn keep_choice(&self, key: &str, number: usize) {
        let _ = self.write_file(&self.choice_path(key), &[format!("{number}\n{key}").as_bytes()]);
    }

    fn choice_path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{}.{CHOICE_EXTENSION}", hex(&hmac_sha256::Hash::hash(key.as_bytes()))))
    }

    /// Whether the entry of that size is one after which the folder is looked through. A full folder has tens of thousands of files, and to
    /// look at all of them takes longer than to compile a kernel. So it happens once for each part of the cache that [`SLACK`] names, on
    /// average: the key is a hash, which makes the choice random, and needs no count that processes would have to share.
    fn evicts_after(&self, key: &Key, bytes: u64) -> bool {
        let [a, b, c, d, ..] = key.program;
        let random = u128::from(u32::from_le_bytes([a, b, c, d]));
        (random * u128::from(self.max_bytes / SLACK)) >> 32 < u128::from(bytes)
    }

    fn path(&self, key: &Key) -> PathBuf {
        // Half of the compiler's hash keeps the name short enough for encrypted file systems; the header has it all.
        self.folder.join(format!("{}-{}.{EXTENSION}", hex(&key.program), hex(&key.compiler[..16])))
    }

    fn write(&self, key: &Key, cubin: &[u8]) -> io::Result<()> {
        self.write_file(&self.path(key), &[&header(key, cubin), cubin])
    }

    /// Writes a file that appears under its name complete or not at all.
    fn write_file(&self, target: &Path, parts: &[&[u8]]) -> io::Result<()> {
        create_private_folder(&self.folder)?;
        let temporary = self.folder.join(unique_name());
        let written = write_new(&temporary, parts).and_then(|()| {
            fs::rename(&temporary, target).or_else(|_| {
                // A folder in its place, if empty, is nobody's. What is in a folder is not ours to remove.
                fs::remove_dir(target)?;
                fs::rename(&temporary, target)
            })
        });
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    /// Every file of ours in the folder. Others may remove them at any time.
    fn entries(&self) -> Vec<Entry> {
        files_in(&self.folder).into_iter().filter_map(Entry::of).collect()
    }

    fn evict(&self) {
        let mut entries = self.entries();
        let now = SystemTime::now();
        entries.retain(|entry| {
            let abandoned = !entry.is_cubin() && now.duration_since(entry.last_used).is_ok_and(|age| age > ABANDONED_AFTER);
            !(abandoned && fs::remove_file(&entry.path).is_ok())
        });
        let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
        entries.retain(Entry::is_cubin);
        sort_by_last_use(&mut entries);
        for entry in entries {
            if total <= self.max_bytes {
                break;
            }
            // Gone already means that another process made the room.
            let _ = fs::remove_file(&entry.path);
            total -= entry.bytes;
        }
    }
}

/// Puts what was used last at the end.
fn sort_by_last_use(entries: &mut [Entry]) {
    entries.sort_unstable_by_key(|entry| entry.last_used);
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(files) = folder.read_dir() else { return Vec::new() };
    files.flatten().map(|file| file.path()).collect()
}

fn is_choice(path: &Path) -> bool {
    let is_hash = |stem: &str| stem.len() == 64 && stem.bytes().all(|byte| byte.is_ascii_hexdigit());
    path.extension().is_some_and(|extension| extension == CHOICE_EXTENSION)
        && path.file_stem().and_then(|stem| stem.to_str()).is_some_and(is_hash)
}

/// Removes a file, unless it is gone already.
fn removed(path: &Path) -> io::Result<()> {
    fs::remove_file(path).or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// A file of ours, complete or being written.
struct Entry {
    path: PathBuf,
    bytes: u64,
    last_used: SystemTime,
}

impl Entry {
    /// `None` for what does not have one of our names: it is never counted nor removed.
    fn of(path: PathBuf) -> Option<Self> {
        let metadata = path.symlink_metadata().ok()?;
        let stem = path.file_stem()?.to_str()?;
        let ours = match path.extension()?.to_str()? {
            EXTENSION => stem.len() == 97 && stem.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-'),
            TEMPORARY_EXTENSION => stem.starts_with(TEMPORARY_PREFIX),
            _ => false,
        };
        let last_used = metadata.modified().ok()?;
        (ours && metadata.is_file()).then_some(Self { bytes: metadata.len(), last_used, path })
    }

    fn describe(self) -> CacheEntry {
        let cubin = fs::read(&self.path).unwrap_or_default();
        CacheEntry { kernel: kernel_of(&cubin).unwrap_or_default(), bytes: self.bytes, last_used: self.last_used, path: self.path }
    }

    fn is_cubin(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension == EXTENSION)
    }
}

/// The name of the kernel in a cubin: that of the section with its parameters. Functions have none.
fn kernel_of(cubin: &[u8]) -> Option<String> {
    const SECTION: &[u8] = b"\0.nv.constant0.";
    let start = cubin.windows(SECTION.len()).position(|bytes| bytes == SECTION)? + SECTION.len();
    let name = cubin[start..].split(|&byte| byte == 0).next()?;
    String::from_utf8(name.to_vec()).ok()
}

fn starts_with(name: &std::ffi::OsStr, prefix: &str) -> bool {
    name.as_encoded_bytes().starts_with(prefix.as_bytes())
}

/// The key and cubin in a file, if every byte is as it was written. Marks it as used.
fn read_entry(path: &Path) -> Option<(Key, Vec<u8>)> {
    // Opening a pipe would wait for its other end.
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut file = File::open(path).ok()?;
    check_owner(&file.metadata().ok()?).ok()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    if bytes.len() < HEADER_BYTES {
        return None;
    }
    let cubin = bytes.split_off(HEADER_BYTES);
    let hash_at = |offset: usize| -> Hash { bytes[offset..offset + 32].try_into().expect("32 bytes") };
    let key = Key { program: hash_at(8), compiler: hash_at(40) };
    if bytes != header(&key, &cubin) {
        return None;
    }
    // The time of modification is the time of last use: the time of access is off on most systems.
    let _ = file.set_times(FileTimes::new().set_modified(SystemTime::now()));
    Some((key, cubin))
}

fn header(key: &Key, cubin: &[u8]) -> Vec<u8> {
    let checksum: Hash = hmac_sha256::Hash::hash(cubin);
    let length = (cubin.len() as u64).to_le_bytes();
    [MAGIC.as_slice(), &key.program, &key.compiler, &checksum, &length].concat()
}

/// Only the user may write: whoever can write here chooses what runs on the GPU.
fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn write_new(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let mut options = File::options();
    // Whatever the user's `umask` lets others do: a file that they can write is not read again.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o644);
    let mut file = options.write(true).create_new(true).open(path)?;
    parts.iter().try_for_each(|part| file.write_all(part))
}

const TEMPORARY_PREFIX: &str = "writing-";

/// A name that no other thread or process picks, even where process numbers repeat across machines or containers.
fn unique_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let nanos = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("{TEMPORARY_PREFIX}{}-{count}-{nanos}.{TEMPORARY_EXTENSION}", std::process::id())
}

fn user_cache_folder(variable: Variables<'_>) -> Option<PathBuf> {
    if cfg!(windows) {
        return variable("LOCALAPPDATA");
    }
    // The XDG specification has relative paths ignored.
    let chosen = variable("XDG_CACHE_HOME").filter(|folder| folder.is_absolute());
    chosen.or_else(|| Some(variable("HOME").or_else(std::env::home_dir)?.join(".cache")))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
