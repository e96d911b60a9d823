//! What kernels print, on every device: the standard output of a process of its own, as the runtime's threads print too.

use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use gpu_runtime::prelude::*;

/// Which device the process for printing uses: `cpu` or `cuda`.
const DEVICE: &str = "GPU_RUNTIME_TEST_PRINTS_ON";

#[gpu_device]
fn describe<T: Float>(x: T) -> T {
    println!("line: generic {x:?}");
    x
}

#[gpu_kernel]
fn formats(x: &[f32], small: i8, out: &mut [f64]) {
    let i = grid_1d();
    if i < x.len() {
        let a = x[i];
        println!("line: {i} {a} {:?} {:>9.3}| {:<6}| {:+e}", a, a, i, a as f64);
        println!("line: {0} {0:x} {0:#010b} {flag:>6} {1}", small, 7u64, flag = a > 0.5);
        print!("line: {} ", -1);
        println!("{{}} {match}", r#match = i);
        out[i] = describe(a as f64) + describe(a) as f64;
    }
}

#[gpu_kernel]
fn floods(n: u32) {
    let i = grid_1d();
    for k in 0..n {
        println!("line: {} {}", i, k);
    }
}

/// The lines of `formats`, by plain Rust.
fn expected(x: &[f32], small: i8) -> Vec<String> {
    let mut lines = Vec::new();
    for (i, &a) in x.iter().enumerate() {
        lines.push(format!("line: {i} {a} {:?} {:>9.3}| {:<6}| {:+e}", a, a, i, f64::from(a)));
        lines.push(format!("line: {0} {0:x} {0:#010b} {flag:>6} {1}", small, 7u64, flag = a > 0.5));
        lines.push(format!("line: -1 {{}} {i}"));
        lines.push(format!("line: generic {:?}", f64::from(a)));
        lines.push(format!("line: generic {a:?}"));
    }
    lines
}

const X: [f32; 4] = [0.1, 1.0, -1.5e-9, f32::INFINITY];

/// The standard output and error of `test`, run in a process of its own.
fn output_of(test: &str, device: &str) -> (String, String) {
    let mut child = Command::new(std::env::current_exe().expect("the test knows its program"));
    let output = child.args(["--ignored", "--exact", "--nocapture", test]).env(DEVICE, device).output().expect("the program starts again");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned());
    assert!(output.status.success() && stdout.contains("1 passed"), "{}\n{stdout}\n{stderr}", output.status);
    (stdout, stderr)
}

fn device() -> Device {
    match std::env::var(DEVICE).expect("another test runs this one").as_str() {
        "cpu" => Device::cpu(),
        _ => Device::gpu(0).expect("the other test has found it"),
    }
}

/// Whether there is a GPU. Says so when not, and fails where a test run demands one.
fn has_gpu(test: &str) -> bool {
    let Err(error) = Device::gpu(0) else { return true };
    let required = std::env::var("GPU_RUNTIME_REQUIRE").is_ok_and(|required| required.contains("cuda"));
    assert!(!required, "`{test}` needs a GPU: {error}");
    eprintln!("skipped `{test}`: {error}");
    false
}

#[test]
#[ignore = "run by the others, in a process of its own"]
fn print_formats() {
    let device = device();
    let x = device.to_device(&X).unwrap();
    let mut out = device.zeros::<f64>(X.len()).unwrap();
    formats(&x, -5, &mut out).forall(32).unwrap();
    device.synchronize().unwrap();
}

#[test]
#[ignore = "run by the others, in a process of its own"]
fn print_floods() {
    let device = device();
    // Twice, so that there must be room again.
    for _ in 0..2 {
        floods(100).on_device(&device).launch(64, 32).unwrap();
        device.synchronize().unwrap();
    }
    floods(1).on_device(&device).launch(1, 32).unwrap();
    device.synchronize().unwrap();
}

/// While a thread of the host has locked standard output and waits for the device, others wait for it too, and have its lines to
/// print.
#[test]
#[ignore = "run by the others, in a process of its own"]
fn wait_with_standard_output_locked() {
    let device = device();
    let x = device.to_device(&[1u32; 1000]).unwrap();
    let (done, is_done) = mpsc::channel();
    // Left behind if it waits for ever.
    thread::spawn(move || {
        for _ in 0..50 {
            let stdout = std::io::stdout().lock();
            floods(10).on_device(&device).launch(1, 32).unwrap();
            thread::scope(|scope| {
                scope.spawn(|| device.synchronize().unwrap());
                scope.spawn(|| assert_eq!(x.lazy().sum().unwrap(), 1000));
                device.synchronize().unwrap();
                assert_eq!(x.lazy().sum().unwrap(), 1000);
                drop(stdout);
            });
        }
        done.send(()).unwrap();
    });
    if is_done.recv_timeout(Duration::from_secs(120)).is_err() {
        eprintln!("a thread waits for ever, or has failed");
        // Not a panic, whose report would wait for standard output too.
        std::process::exit(1);
    }
}

fn check_formats(device: &str) {
    let (stdout, _) = output_of("print_formats", device);
    let mut expected = expected(&X, -5);
    // The unfinished line of `print!` may be cut off from its end: then what another thread prints follows it.
    let unfinished = "line: -1 ";
    assert_eq!(stdout.matches(unfinished).count(), X.len(), "{stdout}");
    let finished = stdout.replace(unfinished, "");
    let lines: Vec<&str> = finished.lines().filter(|line| line.contains("line: ")).collect();
    expected.retain(|line| !line.contains(unfinished));
    for line in &expected {
        let printed = lines.iter().filter(|printed| *printed == line).count();
        assert_eq!(printed, expected.iter().filter(|other| *other == line).count(), "`{line}` in\n{stdout}");
    }
}

#[test]
fn lines_are_formatted_as_in_rust_on_the_cpu() {
    check_formats("cpu");
}

#[test]
fn lines_are_formatted_as_in_rust_on_the_gpu() {
    if has_gpu("lines_are_formatted_as_in_rust_on_the_gpu") {
        check_formats("cuda");
    }
}

#[test]
fn threads_wait_for_the_gpu_while_one_has_locked_standard_output() {
    if has_gpu("threads_wait_for_the_gpu_while_one_has_locked_standard_output") {
        let (stdout, _) = output_of("wait_with_standard_output_locked", "cuda");
        assert_eq!(stdout.matches("line: ").count(), 50 * 32 * 10);
    }
}

#[test]
fn a_gpu_says_how_many_lines_were_lost() {
    if !has_gpu("a_gpu_says_how_many_lines_were_lost") {
        return;
    }
    let (stdout, stderr) = output_of("print_floods", "cuda");
    let printed = stdout.lines().filter(|line| line.starts_with("line: ")).count();
    let lost: usize =
        stderr.lines().filter(|line| line.contains("are lost")).map(|line| line.split(' ').next().unwrap().parse::<usize>().unwrap()).sum();
    assert_eq!(printed + lost, 2 * 64 * 32 * 100 + 32);
    assert!(lost > 0 && printed > 2 * 15_000, "{printed} lines, {lost} lost");
}
