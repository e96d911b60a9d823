//! What goes wrong between processes.

use std::fmt;
use std::time::Duration;

use crate::Error;

/// An error of a [`Communicator`](super::Communicator) or a [`World`](super::World).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// A call failed on all ranks, because of one of them. All later calls of the communicator fail with the same error.
    #[error("{0}")]
    Failed(ClusterFailure),

    /// There is no rank with this number.
    #[error("there is no rank {rank}: the communicator has {size}, numbered from 0")]
    RankOutOfRange {
        /// The number.
        rank: usize,
        /// How many ranks there are.
        size: usize,
    },

    /// A rank sends to itself.
    #[error("rank {rank} cannot send to itself or receive from itself; copy the array")]
    OwnRank {
        /// The rank.
        rank: usize,
    },

    /// An array does not have a part for each rank.
    #[error("`{call}` over {size} ranks needs an array of {size} × {part} elements, not {len}")]
    Parts {
        /// The call.
        call: &'static str,
        /// How many ranks there are.
        size: usize,
        /// The elements of a part.
        part: usize,
        /// The elements of the array.
        len: usize,
    },

    /// An array is not on the GPU of its rank.
    #[error("this rank communicates arrays on {rank}, not on {array}")]
    OtherDevice {
        /// The device of the array.
        array: String,
        /// The device of the rank.
        rank: String,
    },

    /// The environment does not say who the other processes are, or how to find them.
    #[error("{0}")]
    Environment(String),
}

impl From<ClusterFailure> for ClusterError {
    fn from(failure: ClusterFailure) -> Self {
        Self::Failed(failure)
    }
}

/// Which rank made a call of a [`Communicator`](super::Communicator) fail, in which call, and why. The same on all ranks.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{message}")]
pub struct ClusterFailure {
    /// The rank that is the cause.
    pub rank: usize,
    /// Which call of the communicator, counted from 1; 0 is its creation. For a failed [`send`](super::Communicator::send) or
    /// [`recv`](super::Communicator::recv), the number of the transfer between the two ranks.
    pub call: u64,
    /// Why.
    pub cause: ClusterCause,
    /// All of it in words.
    pub message: String,
}

impl ClusterFailure {
    /// Of a rank on which `error` happened.
    pub(super) fn of_rank(rank: usize, id: MeetingId, description: &str, cause: ClusterCause, error: &Error) -> Self {
        Self { rank, call: id.number(), cause, message: format!("rank {rank} failed in {id}, {description}: {error}") }
    }
}

impl fmt::Debug for ClusterFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a rank made a call fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClusterCause {
    /// Its process ended, or the connection to it was lost.
    Ended,
    /// It dropped its communicator before the call.
    Left,
    /// It did not make the call within the time-out.
    Absent,
    /// It made another call, or the call with another length or element type.
    Mismatch,
    /// Something failed on the rank itself, such as a kernel.
    Failed,
    /// It did not send its elements within the time-out, or NCCL failed.
    Transport,
}

impl ClusterCause {
    const ALL: [Self; 6] = [Self::Ended, Self::Left, Self::Absent, Self::Mismatch, Self::Failed, Self::Transport];

    pub(super) fn code(self) -> u8 {
        self as u8
    }

    pub(super) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

/// What ranks meet for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum MeetingId {
    /// A call of all ranks, counted from 1. 0 is the creation of the communicator.
    Collective(u64),
    /// A transfer from one rank to another, counted from 1 for each such pair.
    Transfer { from: usize, to: usize, number: u64 },
}

impl MeetingId {
    pub(super) fn number(self) -> u64 {
        match self {
            Self::Collective(number) | Self::Transfer { number, .. } => number,
        }
    }

    /// The number of ranks that meet, of `size`.
    pub(super) fn size(self, size: usize) -> usize {
        match self {
            Self::Collective(_) => size,
            Self::Transfer { .. } => 2,
        }
    }

    /// Whether it needs that rank.
    pub(super) fn includes(self, rank: usize) -> bool {
        match self {
            Self::Collective(_) => true,
            Self::Transfer { from, to, .. } => rank == from || rank == to,
        }
    }
}

impl fmt::Display for MeetingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Collective(0) => f.write_str("the connection"),
            Self::Collective(number) => write!(f, "call {number}"),
            Self::Transfer { from, to, number } => write!(f, "transfer {number} from rank {from} to rank {to}"),
        }
    }
}

/// `30 s`, `0.2 s`.
pub(super) fn seconds(time: Duration) -> String {
    format!("{} s", (time.as_secs_f64() * 10.0).round() / 10.0)
}
