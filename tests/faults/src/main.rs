//! Runs one fault, on the first GPU unless told otherwise: `faults --case NAME [--cpu]`. `faults --list` prints the table, for
//! `scripts/compare-sanitizer.py`.

use std::process::ExitCode;

use gpu_faults::{Tool, faults};
use gpu_runtime::Device;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--list"] => {
            for fault in faults() {
                println!("{}\t{}\t{}", fault.name, fault.tool.map_or("none", Tool::name), fault.description);
            }
            ExitCode::SUCCESS
        }
        ["--case", name] => run(name, Device::gpu(0)),
        ["--case", name, "--cpu"] => run(name, Ok(Device::checked_cpu())),
        _ => {
            eprintln!("usage: faults --list | --case NAME [--cpu]");
            ExitCode::FAILURE
        }
    }
}

/// Succeeds if nothing was reported by the runtime itself.
fn run(name: &str, device: gpu_runtime::Result<Device>) -> ExitCode {
    let Some(fault) = faults().find(|fault| fault.name == name) else {
        eprintln!("there is no fault `{name}`");
        return ExitCode::FAILURE;
    };
    match device.and_then(|device| (fault.run)(&device)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}
