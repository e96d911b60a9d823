//! Programs of several processes on the CPU: this file starts itself once for each rank.

#[path = "cluster/programs.rs"]
mod programs;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use gpu_runtime::Device;
use gpu_runtime::cluster::{Rendezvous, World, on_devices};

/// Names the program that a process runs as one of its ranks.
const PROGRAM: &str = "CLUSTER_TEST_PROGRAM";

/// Longer than any program takes.
const LIMIT: Duration = Duration::from_secs(100);

/// How many seconds ranks wait for one that does not come. The others must all start and connect within it, on a busy machine too.
const PATIENCE: &str = "5";

/// What the other tests start. Started by anybody else, it does nothing.
#[test]
fn rank_of_a_program() {
    if let Ok(program) = std::env::var(PROGRAM) {
        programs::run(&program);
    }
}

/// Ranks of a program, with the file through which they find each other.
struct Ranks {
    _folder: tempfile::TempDir,
    children: Vec<(usize, Child)>,
}

impl Ranks {
    /// Starts those `ranks` of a program of four.
    fn start(program: &str, ranks: impl IntoIterator<Item = usize>, timeout: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let start = |rank: usize| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            let command = own_arguments(&mut command, program).env("RANK", rank.to_string()).env("LOCAL_RANK", rank.to_string());
            command.env("WORLD_SIZE", "4").env("GPU_RUNTIME_RENDEZVOUS", folder.path().join("rank-0")).env("GPU_RUNTIME_TIMEOUT", timeout);
            (rank, command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
        };
        Self { children: ranks.into_iter().map(start).collect(), _folder: folder }
    }

    /// Waits for the rank, and gives what it printed.
    fn finish(&mut self, rank: usize) -> Output {
        let index = self.children.iter().position(|(other, _)| *other == rank).unwrap();
        let (_, child) = self.children.remove(index);
        wait(child, &format!("rank {rank}"))
    }

    /// The lines of all ranks that say why a call failed, which must be there.
    fn failures(mut self) -> Vec<(usize, String)> {
        let ranks: Vec<usize> = self.children.iter().map(|(rank, _)| *rank).collect();
        ranks.into_iter().map(|rank| (rank, failure(&self.finish(rank)))).collect()
    }
}

impl Drop for Ranks {
    fn drop(&mut self) {
        for (_, child) in &mut self.children {
            let _ = child.kill();
        }
    }
}

fn own_arguments<'c>(command: &'c mut Command, program: &str) -> &'c mut Command {
    command.args(["rank_of_a_program", "--exact", "--nocapture"]).env(PROGRAM, program).env("CUDA_VISIBLE_DEVICES", "")
}

/// What a process printed, which must end soon.
fn wait(mut child: Child, name: &str) -> Output {
    drop(child.stdin.take());
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let readers = [thread::spawn(move || read(&mut out)), thread::spawn(move || read(&mut err))];
    let start = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if start.elapsed() > LIMIT => {
                child.kill().unwrap();
                panic!("{name} hangs");
            }
            None => thread::sleep(Duration::from_millis(2)),
        }
    };
    let [stdout, stderr] = readers.map(|reader| reader.join().unwrap());
    Output { status, stdout, stderr }
}

fn read(from: &mut impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).unwrap();
    bytes
}

/// Why a call of a rank failed, as it printed.
fn failure(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| line.split_once("failure: "));
    let (_, line) = line.unwrap_or_else(|| panic!("no call failed:\n{text}{}", String::from_utf8_lossy(&output.stderr)));
    line.to_owned()
}

/// The failure without the host and the process of the rank.
fn without_process(failure: &str) -> String {
    match (failure.find(" ("), failure.find(") ")) {
        (Some(start), Some(end)) if start < end => format!("{}{}", &failure[..start], &failure[end + 1..]),
        _ => failure.to_owned(),
    }
}

#[test]
fn every_call_gives_what_the_elements_of_all_ranks_make() {
    let mut ranks = Ranks::start("calls", 0..4, "60");
    for rank in 0..4 {
        let output = ranks.finish(rank);
        assert!(output.status.success(), "rank {rank}:\n{}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stdout).contains("all calls are right"), "rank {rank} did nothing");
    }
}

#[test]
fn threads_are_ranks_too() {
    let counts = on_devices(&[Device::cpu(), Device::cpu(), Device::cpu()], |ranks| {
        programs::calls(ranks)?;
        Ok(ranks.size())
    });
    assert_eq!(counts.unwrap(), [3, 3, 3]);
    let failed = on_devices(&[Device::cpu(), Device::cpu()], |ranks| {
        ranks.barrier()?;
        if ranks.rank() == 1 { Err(gpu_runtime::Error::NoGpu) } else { ranks.barrier() }
    });
    assert!(matches!(failed, Err(gpu_runtime::Error::NoGpu)), "the error of rank 1 is the cause: {failed:?}");
}

#[test]
fn calls_between_gpus_give_the_same() {
    let gpus: Vec<Device> = Device::all().into_iter().filter(Device::is_gpu).collect();
    if gpus.len() < 2 {
        eprintln!("skipped: there are fewer than two GPUs");
        return;
    }
    on_devices(&gpus, programs::calls).unwrap();
    let differ = on_devices(&gpus[..2], programs::records_in_another_graph).unwrap_err().to_string();
    let (sent, received) = ("a transfer of 10 f32, recorded in graph 2", "a transfer of 10 f32, recorded in graph 1");
    assert!(differ.contains(sent) && differ.contains(received), "{differ}");
}

#[test]
fn a_failure_names_the_rank_and_the_call_on_all_ranks() {
    // The program, the ranks that see it, and the failure.
    let rows: &[(&str, &[usize], &str)] = &[
        ("other length", &[0, 1, 2, 3], "call 2 differs: rank A calls all_reduce of 3 f32, sum, and rank B calls all_reduce of 4 f32, sum"),
        ("other type", &[0, 1, 2, 3], "call 2 differs: rank A calls all_reduce of 3 f32, sum, and rank B calls all_reduce of 3 f64, sum"),
        (
            "other call",
            &[0, 1, 2, 3],
            "call 2 differs: rank A calls all_reduce of 3 f32, sum, and rank B calls broadcast of 3 f32 from rank 0",
        ),
        (
            "other operation",
            &[0, 1, 2, 3],
            "call 2 differs: rank A calls all_reduce of 3 f32, sum, and rank B calls all_reduce of 3 f32, max",
        ),
        // It ends at once: whether another rank has come to the call before it does is chance.
        ("dies", &[0, 1, 3], "rank 2 ended before call 2"),
        ("leaves", &[0, 1, 3], "rank 2 dropped its communicator before call 2, all_reduce of 3 f32, sum"),
        ("fails", &[0, 1, 3], "rank 2 failed in call 2, all_reduce of 3 f32, sum: kernel `out_of_bounds` failed at"),
        (
            "sends too much",
            &[0, 1, 2, 3],
            "transfer 1 from rank 2 to rank 1 differs: rank A calls a transfer of 3 f32, and rank B calls a transfer of 4 f32",
        ),
    ];
    for (program, seen, expected) in rows {
        let failures: Vec<_> = Ranks::start(program, 0..4, "60").failures_of(seen);
        for (rank, failure) in &failures {
            assert!(matches_ranks(&without_process(failure), expected), "{program}: rank {rank}: {failure}");
            assert_eq!(*failure, failures[0].1, "{program}: rank {rank} says something else than rank {}", failures[0].0);
        }
    }
}

#[test]
fn the_name_of_a_type_is_not_enough() {
    for (rank, failure) in Ranks::start("has another type of that name", 0..4, "60").failures_of(&[0, 1, 2, 3]) {
        let calls: Vec<&str> = failure.split("calls broadcast of ").collect();
        assert!(failure.starts_with("call 1 differs: rank ") && calls.len() == 3, "rank {rank}: {failure}");
        assert!(calls[1..].iter().all(|call| call.contains("::Switch (TypeId(")), "rank {rank}: {failure}");
    }
}

impl Ranks {
    fn failures_of(mut self, ranks: &[usize]) -> Vec<(usize, String)> {
        ranks.iter().map(|&rank| (rank, failure(&self.finish(rank)))).collect()
    }
}

/// Whether a failure begins as expected. Which of two ranks comes first is chance, and so is who is called A.
fn matches_ranks(failure: &str, expected: &str) -> bool {
    let Some((before, calls)) = expected.split_once(": rank A calls ") else { return failure.starts_with(expected) };
    let (one, other) = calls.split_once(", and rank B calls ").unwrap();
    let Some(calls) = failure.strip_prefix(before) else { return false };
    let says =
        |one: &str, other: &str| (0..4).any(|a| (0..4).any(|b| calls == format!(": rank {a} calls {one}, and rank {b} calls {other}")));
    says(one, other) || says(other, one)
}

#[test]
fn a_rank_that_ends_while_elements_are_sent_is_blamed_by_all() {
    for (rank, call) in [(0, 0), (0, 5), (1, 2), (2, 1), (3, 0), (3, 9)] {
        let others: Vec<usize> = (0..4).filter(|other| *other != rank).collect();
        for (other, failure) in Ranks::start(&format!("dies while sending {rank} {call}"), 0..4, "60").failures_of(&others) {
            let is_blamed = failure.contains(&format!("rank {rank}")) && (failure.contains("ended") || failure.contains("was lost"));
            assert!(is_blamed, "call {call}: rank {other}: {failure}");
        }
    }
}

/// Each of these waits for a time-out: all do so at the same time.
#[test]
fn ranks_that_wait_are_told_who_is_missing() {
    let each_other = Ranks::start("waits for another", 0..4, PATIENCE);
    let late = Ranks::start("comes late", 0..4, PATIENCE);
    let without_last = Ranks::start("calls", 0..3, PATIENCE);
    let without_first = Ranks::start("calls", 1..4, "1");
    check_ranks_that_wait_for_each_other(each_other);
    check_a_rank_that_comes_too_late(late);
    for (rank, failure) in without_last.failures() {
        assert_eq!(failure, "rank 3 did not reach the connection, connect on CPUs, within 5 s; it never connected", "rank {rank}");
    }
    for (rank, failure) in without_first.failures() {
        assert!(failure.starts_with(&format!("rank {rank} did not find rank 0 at the address in ")), "{failure}");
    }
}

fn check_ranks_that_wait_for_each_other(ranks: Ranks) {
    for (rank, failure) in ranks.failures_of(&[0, 1, 2, 3]) {
        let transfer = "rank 2 did not reach transfer 1 from rank 2 to rank 1, a transfer of 3 f32, within 5 s";
        let barrier = "rank 1 did not reach call 1, barrier, within 5 s";
        let failure = without_process(&failure);
        assert!(failure.starts_with(transfer) || failure.starts_with(barrier), "rank {rank}: {failure}");
    }
}

/// It gets the failure of the others.
fn check_a_rank_that_comes_too_late(mut ranks: Ranks) {
    // Rank 3 comes when its input ends.
    let failures: Vec<_> = (0..4).map(|rank| failure(&ranks.finish(rank))).collect();
    let expected = "rank 3 did not reach call 2, all_reduce of 3 f32, sum, within 5 s; its last call was call 1, barrier";
    for failure in &failures {
        assert_eq!(without_process(failure), expected);
    }
}

#[test]
fn another_program_at_the_port_of_rank_0_is_no_rank() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect = |rank| {
        let world = World::new(rank, 2, Rendezvous::Tcp("127.0.0.1".to_owned(), port)).unwrap();
        world.on(&Device::cpu()).timeout(Duration::from_millis(300)).connect().unwrap_err().to_string()
    };
    let taken = connect(0);
    assert!(taken.starts_with(&format!("rank 0 cannot listen at 127.0.0.1:{port}: ")), "{taken}");
    // It accepts the connection, and says nothing or something else.
    let silent = connect(1);
    let expected = format!("rank 1 did not find rank 0 at 127.0.0.1:{port} within 0.3 s (127.0.0.1:{port}: ");
    assert!(silent.starts_with(&expected), "{silent}");
    let server = thread::spawn(move || {
        for stream in listener.incoming().take(3) {
            let _ = stream.unwrap().write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let other = connect(1);
    assert!(other.starts_with(&expected), "{other}");
    drop(server);
}

#[test]
fn the_script_for_a_workstation_starts_all_ranks() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/launch-local");
    if !cfg!(unix) || !script.exists() {
        eprintln!("skipped: there is no script here");
        return;
    }
    let mut command = Command::new(script);
    command.arg("3").arg(std::env::current_exe().unwrap());
    let command = own_arguments(&mut command, "prints its rank").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = wait(command.spawn().unwrap(), "the script");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for rank in 0..3 {
        assert!(text.contains(&format!("rank {rank} of 3")), "{text}");
    }
}
