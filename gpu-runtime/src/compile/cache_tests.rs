use std::process::{Child, Command};

use super::*;

const KEY: Key = Key { program: [0xa5; 32], compiler: [0x3c; 32] };

fn store(folder: &Path) -> Store {
    Store::in_folder(folder)
}

fn numbered_key(number: u8) -> Key {
    Key { program: [number; 32], ..KEY }
}

/// A payload that depends on its number in every byte.
fn payload(number: u8, length: usize) -> Vec<u8> {
    (0..length).map(|at| (at as u8).wrapping_mul(31).wrapping_add(number)).collect()
}

fn set_age(path: &Path, age: Duration) {
    let file = File::options().write(true).open(path).unwrap();
    file.set_times(FileTimes::new().set_modified(SystemTime::now() - age)).unwrap();
}

fn file_names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn what_was_put_is_found_under_its_key_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder.path().join("not/yet/there"));
    assert_eq!(store.get(&KEY), None);
    store.put(&KEY, b"machine code");
    assert_eq!(store.get(&KEY).unwrap(), b"machine code");
    assert_eq!(store.get(&Key { program: [1; 32], ..KEY }), None);
    assert_eq!(store.get(&Key { compiler: [1; 32], ..KEY }), None);
    store.put(&KEY, b"newer");
    assert_eq!(store.get(&KEY).unwrap(), b"newer");
}

#[test]
fn any_change_of_any_byte_is_noticed_and_repaired() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let code = payload(7, 40);
    store.put(&KEY, &code);
    let intact = fs::read(store.path(&KEY)).unwrap();
    for at in 0..intact.len() {
        let mut broken = intact.clone();
        broken[at] ^= 1 << (at % 8);
        fs::write(store.path(&KEY), &broken).unwrap();
        assert_eq!(store.get(&KEY), None, "byte {at}");
        assert_eq!(store.get_from_any_compiler(&KEY.program).is_some(), (40..72).contains(&at), "byte {at}");
    }
    for length in 0..intact.len() {
        fs::write(store.path(&KEY), &intact[..length]).unwrap();
        assert_eq!(store.get(&KEY), None, "cut to {length} bytes");
    }
    fs::write(store.path(&KEY), [intact.as_slice(), b"x"].concat()).unwrap();
    assert_eq!(store.get(&KEY), None, "one byte more");
    fs::write(store.path(&KEY), payload(1, 10_000)).unwrap();
    assert_eq!(store.get(&KEY), None, "a foreign file");
    store.put(&KEY, &code);
    assert_eq!(fs::read(store.path(&KEY)).unwrap(), intact);
}

#[test]
fn an_entry_under_the_name_of_another_is_not_taken_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let other = Key { program: [9; 32], ..KEY };
    store.put(&other, b"other");
    fs::rename(store.path(&other), store.path(&KEY)).unwrap();
    assert_eq!(store.get(&KEY), None);
    assert_eq!(store.get_from_any_compiler(&KEY.program), None);
}

#[test]
fn a_folder_in_place_of_a_file_is_replaced_if_empty_and_left_alone_if_not() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    fs::create_dir(store.path(&KEY)).unwrap();
    assert_eq!(store.get(&KEY), None);
    store.put(&KEY, b"code");
    assert_eq!(store.get(&KEY).unwrap(), b"code");

    let other = numbered_key(1);
    fs::create_dir(store.path(&other)).unwrap();
    fs::write(store.path(&other).join("precious"), b"data").unwrap();
    store.put(&other, b"code");
    assert_eq!(store.get(&other), None);
    assert_eq!(fs::read(store.path(&other).join("precious")).unwrap(), b"data");
    assert_eq!(file_names(folder.path()).len(), 2, "no temporary file is left");
}

#[test]
fn a_folder_that_cannot_be_made_caches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, b"").unwrap();
    let store = store(&file.join("below a file"));
    store.put(&KEY, b"code");
    assert_eq!(store.get(&KEY), None);
    assert_eq!(store.get_from_any_compiler(&KEY.program), None);
}

#[test]
fn without_a_compiler_the_last_used_cubin_of_the_program_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    for compiler in 1..=3 {
        let key = Key { compiler: [compiler; 32], ..KEY };
        store.put(&key, &[compiler]);
        set_age(&store.path(&key), Duration::from_secs(if compiler == 2 { 10 } else { 1000 }));
    }
    store.put(&numbered_key(1), b"another program");
    assert_eq!(store.get_from_any_compiler(&KEY.program).unwrap(), [2]);
    fs::write(store.path(&Key { compiler: [2; 32], ..KEY }), b"broken").unwrap();
    assert!(matches!(store.get_from_any_compiler(&KEY.program).unwrap()[..], [1 | 3]));
}

#[test]
fn the_cache_lists_its_kernels_and_is_cleared() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    assert_eq!((store.list(), store.clear().is_ok()), (Vec::new(), true), "there is nothing yet");
    fs::write(folder.path().join("notes.txt"), b"").unwrap();
    for (number, cubin) in [&b"\0.text.f\0.text.add\0.nv.constant0.add\0"[..], b"no cubin"].into_iter().enumerate() {
        store.put(&numbered_key(number as u8), cubin);
        set_age(&store.path(&numbered_key(number as u8)), Duration::from_secs(1000 * number as u64));
    }
    let listed: Vec<_> = store.list().into_iter().map(|entry| (entry.kernel, entry.bytes)).collect();
    assert_eq!(listed, [("add".to_owned(), (HEADER_BYTES + 37) as u64), (String::new(), (HEADER_BYTES + 8) as u64)]);
    store.clear().unwrap();
    assert_eq!((store.list(), file_names(folder.path())), (Vec::new(), vec!["notes.txt".to_owned()]));
}

#[test]
fn the_least_recently_used_go_first_when_the_folder_is_full() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = 1000;
    let store = Store { max_bytes: 3 * (HEADER_BYTES + bytes) as u64, ..store(folder.path()) };
    fs::write(folder.path().join("notes.txt"), payload(0, 100_000)).unwrap();
    for number in 0..3 {
        store.put(&numbered_key(number), &payload(number, bytes));
        set_age(&store.path(&numbered_key(number)), Duration::from_secs(1000 - u64::from(number)));
    }
    assert!(store.get(&numbered_key(0)).is_some(), "three fit, and this use makes the first the youngest");
    store.put(&numbered_key(3), &payload(3, bytes));
    let kept: Vec<bool> = (0..4).map(|number| store.get(&numbered_key(number)).is_some()).collect();
    assert_eq!(kept, [true, false, true, true]);
    assert!(folder.path().join("notes.txt").exists(), "files of others are neither counted nor removed");
}

#[test]
fn what_is_larger_than_the_whole_cache_pushes_nothing_out() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store { max_bytes: 1000, ..store(folder.path()) };
    store.put(&numbered_key(0), b"small");
    store.put(&numbered_key(1), &payload(1, 1000));
    assert!(store.get(&numbered_key(0)).is_some());
    assert!(store.get(&numbered_key(1)).is_none());
}

/// To look through a full folder takes longer than to compile a kernel.
#[test]
fn the_folder_is_looked_through_once_for_each_part_of_its_size() {
    let keys = (0..20_000_u32).map(|number| Key { program: hmac_sha256::Hash::hash(&number.to_le_bytes()), ..KEY });
    let store = Store { max_bytes: 6_400_000, ..store(Path::new("never opened")) };
    let looked = keys.map(|key| usize::from(store.evicts_after(&key, 1000))).sum::<usize>();
    assert!((100..300).contains(&looked), "20 MB, in parts of 0.1 MB: {looked}");
}

#[test]
fn temporary_files_of_the_dead_go_and_those_of_the_living_stay() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store { max_bytes: 1000, ..store(folder.path()) };
    let (dead, living) = (folder.path().join("writing-1-0-1.tmp"), folder.path().join("writing-2-0-1.tmp"));
    fs::write(&dead, b"").unwrap();
    fs::write(&living, b"").unwrap();
    set_age(&dead, ABANDONED_AFTER + Duration::from_secs(60));
    store.put(&KEY, b"code");
    assert!(!dead.exists() && living.exists());
}

#[test]
fn the_environment_chooses_folder_and_size() {
    let from = |variables: &[(&str, &str)]| {
        Store::from_variables(&|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| PathBuf::from(value)))
    };
    let store = from(&[("GPU_RUNTIME_CACHE_DIR", "/a"), ("XDG_CACHE_HOME", "/b"), ("GPU_RUNTIME_CACHE_MAX_MB", "3")]).unwrap();
    assert_eq!((store.folder, store.max_bytes), (PathBuf::from("/a"), 3 << 20));
    let store = from(&[("GPU_RUNTIME_CACHE_DIR", "/a"), ("GPU_RUNTIME_CACHE_MAX_MB", "much")]).unwrap();
    assert_eq!(store.max_bytes, DEFAULT_MAX_BYTES);
    assert!(from(&[("GPU_RUNTIME_CACHE", "off"), ("GPU_RUNTIME_CACHE_DIR", "/a")]).is_none());
    if cfg!(windows) {
        assert_eq!(from(&[("LOCALAPPDATA", "C:\\l")]).unwrap().folder, Path::new("C:\\l\\gpu-runtime"));
    } else {
        assert_eq!(from(&[("XDG_CACHE_HOME", "/b"), ("HOME", "/c")]).unwrap().folder, Path::new("/b/gpu-runtime"));
        assert_eq!(from(&[("XDG_CACHE_HOME", "b"), ("HOME", "/c")]).unwrap().folder, Path::new("/c/.cache/gpu-runtime"));
    }
}

// ---- Many processes at once ------------------------------------------------------------------------------------------

const PROCESSES: usize = 12;
const ROUNDS: usize = 25;
const KEYS: u8 = 6;
const CUBIN_BYTES: usize = 5000;
/// Room for all keys but two, so that every process evicts all the time.
const SHARED_MAX_BYTES: u64 = (KEYS as u64 - 2) * (HEADER_BYTES + CUBIN_BYTES) as u64;
const SHARED_FOLDER: &str = "GPU_RUNTIME_TEST_SHARED_FOLDER";

#[test]
fn many_processes_share_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let children: Vec<Child> = (0..PROCESSES)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--ignored", "--exact", "compile::cache::tests::one_of_many_processes"])
                .env(SHARED_FOLDER, folder.path())
                .stdout(std::process::Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let report = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && report.contains("1 passed"), "{report}");
    }
    let left = file_names(folder.path());
    assert!(!left.is_empty() && left.iter().all(|name| name.ends_with(EXTENSION)), "{left:?}");
    let bytes: u64 = left.iter().map(|name| fs::metadata(folder.path().join(name)).unwrap().len()).sum();
    assert!(bytes <= SHARED_MAX_BYTES, "{bytes} bytes are left in {left:?}");
}

/// Reads and writes every key in turn, and breaks a file now and then.
#[test]
#[ignore = "run by many_processes_share_one_folder, in processes of its own"]
fn one_of_many_processes() {
    let folder = PathBuf::from(std::env::var_os(SHARED_FOLDER).expect("the parent names the folder"));
    let store = Store { max_bytes: SHARED_MAX_BYTES, ..store(&folder) };
    let mut hits = 0;
    for round in 0..ROUNDS {
        for number in 0..KEYS {
            let (key, expected) = (numbered_key(number), payload(number, CUBIN_BYTES));
            let before = store.get(&key);
            store.put(&key, &expected);
            for found in [before, store.get(&key)].into_iter().flatten() {
                assert_eq!(found, expected, "a cubin that nobody wrote");
                hits += 1;
            }
            if round % 10 == usize::from(number) {
                let intact = fs::read(store.path(&key)).unwrap_or_default();
                let _ = fs::write(store.path(&key), &intact[..intact.len().saturating_sub(1)]);
            }
        }
    }
    assert!(hits > 0, "the cache never hit");
}
