//! Parts of the messages of [`Error`].

use std::fmt;
use std::panic::Location;

use super::Error;
use super::conversion::loses_device;

/// The same as `Display`, so that a `main` that returns this error prints the message, not the fields.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The first few names, and how many more there are.
pub(super) fn shortened(names: &[String]) -> String {
    const SHOWN: usize = 3;
    match names.len().checked_sub(SHOWN) {
        Some(more @ 1..) => format!("{} and {more} other names", names[..SHOWN].join(", ")),
        _ => names.join(", "),
    }
}

pub(super) fn kind(is_array_function: bool) -> &'static str {
    if is_array_function { "array function" } else { "kernel" }
}

/// The shared memory of a block, as a part of a message.
pub(super) fn with_shared(bytes: u32) -> String {
    match bytes {
        0 => String::new(),
        bytes => format!(" with {bytes} bytes of dynamic shared memory"),
    }
}

/// How to find out the number of resident blocks, for blocks with this much dynamic shared memory.
pub(super) fn count_of_resident_blocks(kernel: &str, shared_bytes: u32) -> String {
    match shared_bytes {
        0 => format!("`{kernel}::handle().max_resident_blocks` returns this number"),
        _ => format!("`{kernel}::handle().max_resident_blocks` does not count dynamic shared memory"),
    }
}

pub(super) fn counted_axes(rank: usize) -> String {
    if rank == 1 { "1 axis".to_owned() } else { format!("{rank} axes") }
}

/// Where, if that is known.
pub(super) fn at_line(location: Option<&Location<'_>>) -> String {
    location.map_or(String::new(), |location| format!(" at {}:{}", location.file(), location.line()))
}

/// "a one-dimensional grid", or "a grid of one block" for no axis at all.
pub(super) fn axes(shape: &str, unit: &str, axes: u8) -> String {
    match axes {
        0 => format!("a {shape} of one {unit}"),
        1 => format!("a one-dimensional {shape}"),
        2 => format!("a {shape} of at most two dimensions"),
        _ => format!("any {shape}"),
    }
}

/// The end of the message of a failed call of the driver.
pub(super) fn of_lost_device(code: u32) -> &'static str {
    match loses_device(code) {
        true => "; this process can no longer use the GPU, and the arrays there are lost",
        false => "",
    }
}

pub(super) fn out_of_memory(device: &str, bytes: usize) -> String {
    match bytes {
        usize::MAX => format!("the size of the array for {device}, in bytes, overflows `usize`; check its shape"),
        bytes => format!("{device} could not provide {bytes} bytes of memory"),
    }
}
