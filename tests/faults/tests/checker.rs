//! The checker finds each fault, and names both lines and threads.

use gpu_faults::{Expected, Fault, faults, marked_lines};
use gpu_runtime::{Device, Error, FailureCause};

/// What is wrong with the report of a fault, if anything.
fn complaint(fault: &Fault) -> Option<String> {
    let failure = match (fault.run)(&Device::checked_cpu()) {
        Err(Error::KernelFailed(failure)) => failure,
        other => return Some(format!("{}: {other:?}", fault.name)),
    };
    let marked = |mark| marked_lines(fault.source.1, fault.name, mark);
    let (here, others) = (marked("here"), marked("other"));
    let are_expected = |line: u32, other: u32| here.contains(&line) && (others.contains(&other) || others.is_empty());
    let lines_agree = match &failure.cause {
        FailureCause::DataRace(race) => are_expected(failure.line, race.other_line) || are_expected(race.other_line, failure.line),
        FailureCause::DivergentBarrier { other_line, .. } | FailureCause::DivergentWarp { other_line, .. } => {
            are_expected(failure.line, *other_line) || are_expected(*other_line, failure.line)
        }
        _ => here.contains(&failure.line),
    };
    let names_two_threads = match &failure.cause {
        FailureCause::DataRace(race) => (failure.block, failure.thread) != (race.other_block, race.other_thread),
        _ => true,
    };
    let is_right = failure.kernel == fault.name && fault.expected.is(&failure.cause) && lines_agree && names_two_threads;
    (!is_right).then(|| format!("{}: expected {:?} at {here:?} and {others:?}, found: {failure}", fault.name, fault.expected))
}

#[test]
fn every_fault_is_found_with_its_lines() {
    let complaints: Vec<String> = faults().filter_map(complaint).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn the_table_has_enough_faults_that_the_sanitizer_knows() {
    assert!(faults().filter(|fault| fault.tool.is_some()).count() >= 40);
    assert!(faults().any(|fault| fault.expected == Expected::NotInitialized));
}
