//! Whether all threads that must wait for each other come to the place where they do.
//!
//! A barrier is for all threads of a block or of the grid, a function of a warp for all of a warp: a condition around it must not tell
//! those apart. Which block a thread is in tells those of a grid apart.
//! For a kernel that decides whether its launch is safe. A device function has no launch, and its callers see no more of it than
//! `.await`: there it is a rule.

use super::races::line;
use super::walk::{Meeting, Party, walk};
use crate::errors::Errors;
use crate::model::*;

/// Reports where threads could miss each other in an `async` device function that all threads of a block call together.
pub(crate) fn check_meetings(function: &Function, errors: &Errors) {
    if !function.is_async() {
        return;
    }
    for meeting in walk(function).meetings.iter().filter(|meeting| !meeting.is_safe()) {
        let Meeting { name, of, .. } = meeting;
        let message = match of {
            Party::Grid | Party::Block | Party::Warp => format!(
                "`{name}` is under a condition that can differ between threads of a {}, and in a device function nobody can vouch for it\n\
                 help: let every thread reach it, also those that have returned; what differs can be computed before",
                party(*of)
            ),
            Party::Lanes => format!(
                "`{name}` waits for the threads that a mask names, and in a device function nobody can vouch for it\nhelp: call it in the kernel"
            ),
        };
        errors.push(meeting.span, message);
    }
}

/// Why a launch with this meeting is not safe.
pub(super) fn describe_meeting(meeting: &Meeting) -> String {
    let Meeting { name, span, of, .. } = meeting;
    match of {
        Party::Grid | Party::Block | Party::Warp => {
            format!("`{name}()` at line {} is under a condition that can differ between threads of a {}", line(*span), party(*of))
        }
        Party::Lanes => format!("`{name}()` at line {} waits for the threads that a mask names, which is not followed", line(*span)),
    }
}

fn party(of: Party) -> &'static str {
    match of {
        Party::Grid => "grid",
        Party::Block => "block",
        Party::Warp | Party::Lanes => "warp",
    }
}
