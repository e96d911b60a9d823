//! Text that reads in two ways: as a kernel, and as plain Rust, line by line.

const KERNEL: char = '\u{1}';
const PLAIN: char = '\u{2}';
const END: char = '\u{3}';

/// What the two forms say differently. Neither has a line break.
pub(super) fn either(kernel: &str, plain: &str) -> String {
    format!("{KERNEL}{kernel}{PLAIN}{plain}{END}")
}

/// The two readings of a text.
pub(super) fn readings(text: &str) -> (String, String) {
    let (mut kernel, mut plain) = (String::new(), String::new());
    let (mut in_kernel, mut in_plain) = (true, true);
    for letter in text.chars() {
        match letter {
            KERNEL => in_plain = false,
            PLAIN => (in_kernel, in_plain) = (false, true),
            END => in_kernel = true,
            _ => {
                kernel.extend(in_kernel.then_some(letter));
                plain.extend(in_plain.then_some(letter));
            }
        }
    }
    (kernel, plain)
}
