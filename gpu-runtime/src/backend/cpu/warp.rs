//! Warps: the threads of a block in groups of 32, which exchange values in registers on a GPU.
//!
//! A thread that calls a warp function leaves its value here and suspends ([`Thread::meet`]). When the threads of a warp have been polled,
//! those whose call is complete continue ([`Warp::release`]). This repeats until all of them wait at a barrier or have ended. So a worker
//! needs one `Warp`, whichever warp it polls. A call is complete when every live thread of its mask waits at the same call with the same
//! mask. If no call is complete and a thread still waits, it would wait forever: this is a failure, which names the other place.
//!
//! Values are copied when a call completes: the first thread that continues may reach the next call before the last thread has read its
//! value.

use std::cell::Cell;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::thread::{Stop, Thread, Worker};
use crate::intrinsics::WarpValue;
use crate::source::Site;

/// The threads of a warp.
pub(crate) const WARP_SIZE: usize = 32;

/// All of them.
pub(crate) const ALL_LANES: u32 = u32::MAX;

/// The state of the warp that the worker polls. Masks have bit i for the thread with lane i.
#[derive(Default)]
pub(super) struct Warp {
    /// The threads that wait.
    waiting: Cell<u32>,
    /// What each of them came with.
    arrivals: [Cell<Arrival>; WARP_SIZE],
    /// What each thread brought to the meeting that it last left.
    values: [Cell<u64>; WARP_SIZE],
    /// Who else did.
    met: [Cell<u32>; WARP_SIZE],
    /// A result that is the same for a whole meeting, under its lowest lane, and for which meetings it has been computed.
    results: [Cell<u64>; WARP_SIZE],
    computed: Cell<u32>,
}

/// The threads of a warp that wait while another warp is polled.
pub(super) struct Parked {
    waiting: u32,
    arrivals: [Arrival; WARP_SIZE],
}

/// A thread at a meeting.
#[derive(Clone, Copy, Default)]
struct Arrival {
    site: Option<Site>,
    /// Whom it is for.
    lanes: u32,
    value: u64,
    thread: [u32; 3],
}

impl Arrival {
    fn is_same_meeting(&self, other: &Arrival) -> bool {
        self.site == other.site && self.lanes == other.lanes
    }
}

impl Warp {
    /// Whether threads wait to meet others of their warp.
    #[inline(always)]
    pub(super) fn is_waiting(&self) -> bool {
        self.waiting.get() != 0
    }

    /// Ends every meeting that all of its threads among `live` have reached. Gives the threads that go on: none if no meeting is complete.
    pub(super) fn release(&self, live: u32) -> u32 {
        let mut released = 0;
        let mut rest = self.waiting.get();
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let party = self.arrivals[lane].get().lanes & live;
            rest &= !(1 << lane);
            // A thread that its own mask leaves out waits for ever.
            if party >> lane & 1 == 1 && self.missing(lane, party) == 0 {
                for member in lanes_of(party) {
                    self.values[member].set(self.arrivals[member].get().value);
                    self.met[member].set(party);
                }
                self.computed.set(self.computed.get() & !party);
                released |= party;
                rest &= !party;
            }
        }
        self.waiting.set(self.waiting.get() & !released);
        released
    }

    /// Takes out those that wait, so that another warp can be polled.
    #[cold]
    pub(super) fn park(&self) -> Parked {
        Parked { waiting: self.waiting.take(), arrivals: self.arrivals.each_ref().map(Cell::get) }
    }

    /// Puts them back.
    #[cold]
    pub(super) fn unpark(&self, Parked { waiting, arrivals }: Parked) {
        self.waiting.set(waiting);
        for (slot, arrival) in self.arrivals.iter().zip(arrivals) {
            slot.set(arrival);
        }
    }

    /// Those of `party` that are not at the meeting where `lane` waits.
    fn missing(&self, lane: usize, party: u32) -> u32 {
        let arrival = self.arrivals[lane].get();
        let present = lanes_of(party & self.waiting.get()).filter(|member| self.arrivals[*member].get().is_same_meeting(&arrival));
        party & !present.fold(0, |mask, member| mask | 1 << member)
    }
}

impl Worker {
    /// Records that the threads of a warp wait for each other at different places, of which one may be the block's barrier.
    #[cold]
    pub(super) fn fail_warp(&self, block: [u32; 3], live: u32) -> Stop {
        let warp = &self.warp;
        let lane = warp.waiting.get().trailing_zeros() as usize;
        let arrival = warp.arrivals[lane].get();
        let site = arrival.site.expect("a thread waits at a site");
        let other = lanes_of(warp.missing(lane, arrival.lanes & live)).next().and_then(|other| match warp.waiting.get() >> other & 1 {
            1 => warp.arrivals[other].get().site,
            _ => self.round.meeting_point(),
        });
        match other {
            Some(other) if other != site => self.record_divergence(site, other, block, arrival.thread),
            // At the same call with another mask, or left out by its own.
            _ => self.record_mask(site, arrival.lanes, block, arrival.thread),
        }
    }
}

/// The lanes of a mask, lowest first.
pub(super) fn lanes_of(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < u32::BITS).then_some(lane as usize)
    })
}

/// A thread's wait for others of its warp: pending once, then over.
#[must_use = "a meeting does nothing unless awaited"]
pub(crate) struct Meeting<'t> {
    thread: &'t Thread<'t>,
    lane: usize,
    resumed: bool,
}

/// What the threads brought that met.
#[derive(Clone, Copy)]
pub(crate) struct Met<'t> {
    warp: &'t Warp,
    /// The thread that asks.
    pub(crate) lane: usize,
    /// Those that met, it among them.
    pub(crate) lanes: u32,
}

impl<'b> Thread<'b> {
    /// The thread's number in its block: x runs fastest.
    #[inline(always)]
    pub(crate) fn number(&self, name: &str) -> usize {
        let at = self.launch(name);
        let ([x, y, z], [width, height, _]) = (at.thread_idx, at.block_dim);
        (x + width * (y + height * z)) as usize
    }

    /// Comes with `value` to where the threads with these `lanes` meet, for the function `name`. Awaiting the result waits for them.
    #[inline]
    pub(crate) fn meet<T: WarpValue>(&self, name: &str, value: T, lanes: u32, site: Site) -> Meeting<'_> {
        let lane = self.number(name) % WARP_SIZE;
        let warp = &self.block.worker.warp;
        warp.arrivals[lane].set(Arrival { site: Some(site), lanes, value: value.into_lane(), thread: self.index });
        warp.waiting.set(warp.waiting.get() | 1 << lane);
        Meeting { thread: self, lane, resumed: false }
    }
}

impl<'t> Future for Meeting<'t> {
    type Output = Met<'t>;

    #[inline(always)]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Met<'t>> {
        if self.resumed {
            let warp = &self.thread.block.worker.warp;
            return Poll::Ready(Met { warp, lane: self.lane, lanes: warp.met[self.lane].get() });
        }
        self.resumed = true;
        Poll::Pending
    }
}

impl Met<'_> {
    /// What the thread with this lane brought, if it came.
    #[inline(always)]
    pub(crate) fn get<T: WarpValue>(&self, lane: usize) -> Option<T> {
        (lane < WARP_SIZE && self.lanes >> lane & 1 == 1).then(|| T::from_lane(self.warp.values[lane].get()))
    }

    /// What all brought, by lane.
    pub(crate) fn values<T: WarpValue>(self) -> impl Iterator<Item = T> {
        lanes_of(self.lanes).map(move |lane| T::from_lane(self.warp.values[lane].get()))
    }

    /// The result of `compute`, which is the same for all that met: the first of them computes it.
    #[inline]
    pub(crate) fn agreed<R: WarpValue>(&self, compute: impl FnOnce() -> R) -> R {
        let Warp { results, computed, .. } = self.warp;
        let leader = self.lanes.trailing_zeros() as usize;
        if computed.get() >> leader & 1 == 0 {
            results[leader].set(compute().into_lane());
            computed.set(computed.get() | 1 << leader);
        }
        R::from_lane(results[leader].get())
    }
}
