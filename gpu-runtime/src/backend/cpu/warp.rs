//! Warps: the threads of a block in groups of 32, which exchange values in registers on a GPU.
//!
//! A thread that calls a warp function leaves its value here and suspends ([`Thread::arrive`]). When the threads of a warp have been polled,
//! those whose call is complete continue ([`Warp::release`]). This repeats until all of them wait at a barrier or have ended. So a worker
//! needs one `Warp`, whichever warp it polls. A call is complete when every live thread of its mask waits at the same call with the same
//! mask. If no call is complete and a thread still waits, it would wait forever: this is a failure, which names the other place.
//!
//! Values are copied when a call completes: the first thread that continues may reach the next call before the last thread has read its
//! value.
//!
//! Almost always, all threads that wait have made the same call with the same mask. This is stored once, and such a call completes without
//! a look at each thread.

use std::cell::Cell;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::thread::{Block, Stop, Thread, Worker};
use crate::intrinsics::WarpValue;
use crate::source::Site;

/// The threads of a warp.
pub(crate) const WARP_SIZE: usize = 32;

/// All of them.
pub(crate) const ALL_LANES: u32 = u32::MAX;

/// The state of the warp that the worker polls. Masks have bit i for the thread with lane i.
pub(super) struct Warp {
    /// The threads that wait.
    waiting: Cell<u32>,
    /// Where all of them do, unless `calls` says where each does.
    common_call: Cell<Call>,
    is_common: Cell<bool>,
    calls: [Cell<Call>; WARP_SIZE],
    /// What each of them came with.
    brought: [Cell<u64>; WARP_SIZE],
    /// What each thread brought to the call that it last completed.
    values: [Cell<u64>; WARP_SIZE],
    /// The threads that completed it together.
    synchronized: [Cell<u32>; WARP_SIZE],
    /// A result that is the same for all threads of a call, under its lowest lane, and for which calls it has been computed.
    results: [Cell<u64>; WARP_SIZE],
    computed: Cell<u32>,
}

/// The threads of a warp that wait while another warp is polled.
pub(super) struct Parked {
    waiting: u32,
    calls: [Call; WARP_SIZE],
    brought: [u64; WARP_SIZE],
}

/// A call of a warp function: where, and whom it waits for.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Call {
    site: Option<Site>,
    lanes: u32,
}

impl Call {
    const NONE: Self = Self { site: None, lanes: 0 };
}

// Derived, it would call `Cell::default` for each element of each array.
impl Default for Warp {
    fn default() -> Self {
        Self {
            waiting: Cell::new(0),
            common_call: Cell::new(Call::NONE),
            is_common: Cell::new(false),
            calls: [const { Cell::new(Call::NONE) }; WARP_SIZE],
            brought: [const { Cell::new(0) }; WARP_SIZE],
            values: [const { Cell::new(0) }; WARP_SIZE],
            synchronized: [const { Cell::new(0) }; WARP_SIZE],
            results: [const { Cell::new(0) }; WARP_SIZE],
            computed: Cell::new(0),
        }
    }
}

impl Warp {
    /// Whether threads wait for others of their warp.
    #[inline]
    pub(super) fn is_waiting(&self) -> bool {
        self.waiting.get() != 0
    }

    /// Lets the thread with this lane wait.
    #[inline]
    fn wait(&self, lane: usize, call: Call, value: u64) {
        let waiting = self.waiting.get();
        if waiting == 0 {
            self.common_call.set(call);
            self.is_common.set(true);
        } else if !self.is_common.get() || self.common_call.get() != call {
            self.tell_calls_apart();
            self.calls[lane].set(call);
        }
        self.brought[lane].set(value);
        self.waiting.set(waiting | 1 << lane);
    }

    /// Writes down for each thread that waits where it does.
    fn tell_calls_apart(&self) {
        if self.is_common.replace(false) {
            lanes_of(self.waiting.get()).for_each(|lane| self.calls[lane].set(self.common_call.get()));
        }
    }

    /// Where the thread with this lane waits.
    fn call(&self, lane: usize) -> Call {
        if self.is_common.get() { self.common_call.get() } else { self.calls[lane].get() }
    }

    /// Completes every call that all of its threads among `live` have reached. Gives the threads that continue: none if no call is complete.
    pub(super) fn release(&self, live: u32) -> u32 {
        let waiting = self.waiting.get();
        if self.is_common.get() && self.common_call.get().lanes & live == waiting {
            for (value, brought) in self.values.iter().zip(&self.brought) {
                value.set(brought.get());
            }
            self.synchronized.iter().for_each(|lanes| lanes.set(waiting));
            self.computed.set(0);
            self.waiting.set(0);
            return waiting;
        }
        self.release_some(live)
    }

    /// The groups of threads that synchronized, of those that were just released.
    pub(super) fn parties(&self, released: u32) -> impl Iterator<Item = u32> {
        lanes_of(released)
            .map(|lane| (lane, self.synchronized[lane].get()))
            .filter(|(lane, party)| party.trailing_zeros() as usize == *lane)
            .map(|(_, party)| party)
    }

    /// The same where threads wait at different calls.
    #[cold]
    fn release_some(&self, live: u32) -> u32 {
        let mut released = 0;
        let mut rest = self.waiting.get();
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let party = self.call(lane).lanes & live;
            rest &= !(1 << lane);
            // A thread that its own mask leaves out waits for ever.
            if party >> lane & 1 == 1 && self.missing(lane, party) == 0 {
                for member in lanes_of(party) {
                    self.values[member].set(self.brought[member].get());
                    self.synchronized[member].set(party);
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
        self.tell_calls_apart();
        Parked {
            waiting: self.waiting.take(),
            calls: self.calls.each_ref().map(Cell::get),
            brought: self.brought.each_ref().map(Cell::get),
        }
    }

    /// Puts them back.
    #[cold]
    pub(super) fn unpark(&self, Parked { waiting, calls, brought }: Parked) {
        self.waiting.set(waiting);
        self.is_common.set(false);
        for lane in 0..WARP_SIZE {
            self.calls[lane].set(calls[lane]);
            self.brought[lane].set(brought[lane]);
        }
    }

    /// Those of `party` that are not at the call where `lane` waits.
    fn missing(&self, lane: usize, party: u32) -> u32 {
        let call = self.call(lane);
        let present = lanes_of(party & self.waiting.get()).filter(|member| self.call(*member) == call);
        party & !present.fold(0, |mask, member| mask | 1 << member)
    }
}

impl Worker {
    /// Records that the threads of the warp with this number wait for each other at different places, of which one may be the block's
    /// barrier.
    #[cold]
    pub(super) fn fail_warp(&self, block: &Block<'_>, number: usize, live: u32) -> Stop {
        let warp = &self.warp;
        let lane = warp.waiting.get().trailing_zeros() as usize;
        let Call { site, lanes } = warp.call(lane);
        let site = site.expect("a thread waits at a site");
        let other = lanes_of(warp.missing(lane, lanes & live)).next().and_then(|other| match warp.waiting.get() >> other & 1 {
            1 => warp.call(other).site,
            _ => self.round.barrier_site(),
        });
        let thread = block.thread_index((number * WARP_SIZE + lane) as u32);
        match other {
            Some(other) if other != site => self.record_divergence(site, other, block.index.get(), thread),
            // At the same call with another mask, or left out by its own.
            _ => self.record_mask(site, lanes, block.index.get(), thread),
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

/// A thread's wait for others of its warp: pending once, then what `finish` makes of what the threads brought.
#[must_use = "a warp function does nothing unless awaited"]
pub(crate) struct Arrival<'t, F> {
    warp: &'t Warp,
    lane: u32,
    resumed: bool,
    finish: F,
}

/// The threads that synchronized, and what they brought.
#[derive(Clone, Copy)]
pub(crate) struct Synchronized<'t> {
    warp: &'t Warp,
    /// The thread that asks.
    pub(crate) lane: usize,
    /// Those that synchronized, it among them.
    pub(crate) lanes: u32,
}

impl<'b> Thread<'b> {
    /// Arrives with `value` at a call of the threads with these `lanes`. Awaiting the result waits for them.
    #[inline]
    pub(crate) fn arrive<'t, T, F, R>(&'t self, value: T, lanes: u32, site: u32, finish: F) -> Arrival<'t, F>
    where
        T: WarpValue,
        F: FnOnce(Synchronized<'t>) -> R + Copy,
    {
        // Only the threads of a kernel wait.
        let lane = self.number as usize % WARP_SIZE;
        let warp = &self.block.worker.warp;
        warp.wait(lane, Call { site: Some(self.sites.at(site)), lanes }, value.into_lane());
        Arrival { warp, lane: lane as u32, resumed: false, finish }
    }
}

/// No part of it is pinned.
impl<F> Unpin for Arrival<'_, F> {}

impl<'t, F: FnOnce(Synchronized<'t>) -> R + Copy, R> Future for Arrival<'t, F> {
    type Output = R;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<R> {
        if self.resumed {
            let Arrival { warp, lane, finish, .. } = *self;
            return Poll::Ready(finish(Synchronized { warp, lane: lane as usize, lanes: warp.synchronized[lane as usize].get() }));
        }
        self.resumed = true;
        Poll::Pending
    }
}

impl Synchronized<'_> {
    /// What the thread with this lane brought, if it synchronized.
    #[inline]
    pub(crate) fn get<T: WarpValue>(&self, lane: usize) -> Option<T> {
        (lane < WARP_SIZE && self.lanes >> lane & 1 == 1).then(|| T::from_lane(self.warp.values[lane].get()))
    }

    /// What all brought, by lane.
    pub(crate) fn values<T: WarpValue>(self) -> impl Iterator<Item = T> {
        lanes_of(self.lanes).map(move |lane| T::from_lane(self.warp.values[lane].get()))
    }

    /// The result of `compute`, which is the same for all that synchronized: the first of them computes it.
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
