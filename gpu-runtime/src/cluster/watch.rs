//! A thread that ends collectives on a GPU which do not end by themselves.
//!
//! The kernel of a collective waits for the other GPUs, however long that takes. So this thread looks at the oldest collective that is not
//! done, and reads what the hub says. If NCCL has failed, if the hub says that a rank has ended or calls something else, or if the time-out has passed, it aborts NCCL. The kernel then ends,
//! and the queue gets the failure for whoever waits for it.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::call::SharedControl;
use super::control::Control;
use super::failure::{ClusterCause, ClusterError, ClusterFailure, MeetingId, seconds};
use super::hub::lock;
use crate::backend::cuda::libraries::nccl;
use crate::backend::cuda::{Event, Queue};
use crate::{Error, Result};

/// How often the thread looks.
const INTERVAL: Duration = Duration::from_millis(1);

/// How long a collective may still take to end after a rank has ended: the rank may have done its part.
const GRACE: Duration = Duration::from_secs(1);

pub(super) struct Watch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    communicator: Arc<nccl::Communicator>,
    rank: usize,
    timeout: Duration,
    watched: Mutex<WatchedCalls>,
    changed: Condvar,
}

#[derive(Default)]
struct WatchedCalls {
    calls: VecDeque<WatchedCall>,
    /// The connection to the hub, as long as the communicator has it.
    control: Weak<Mutex<Control>>,
    failure: Option<ClusterFailure>,
    is_over: bool,
}

struct WatchedCall {
    queue: &'static Queue,
    id: MeetingId,
    description: String,
    start: Instant,
    /// The point after it, once it is on the queue.
    event: Option<Event>,
}

/// A collective that is being put on a queue.
pub(super) struct Beginning<'w> {
    shared: &'w Shared,
    id: MeetingId,
}

impl Watch {
    pub(super) fn start(communicator: Arc<nccl::Communicator>, rank: usize, timeout: Duration) -> Self {
        let (watched, changed) = (Mutex::default(), Condvar::new());
        let shared = Arc::new(Shared { communicator, rank, timeout, watched, changed });
        let of_thread = Arc::clone(&shared);
        // Without the thread, nothing is ended.
        let thread = thread::Builder::new().name("cluster watch".to_owned()).spawn(move || of_thread.watch()).ok();
        Self { shared, thread }
    }

    /// Lets the thread ask the hub.
    pub(super) fn connect(&self, control: &SharedControl) {
        self.shared.lock().control = control.downgrade();
    }

    /// Waits until no collective is left, which the thread sees to.
    pub(super) fn wait(&self) {
        while self.thread.as_ref().is_some_and(|thread| !thread.is_finished()) && !self.shared.lock().calls.is_empty() {
            thread::sleep(INTERVAL);
        }
    }

    /// Watches a collective, from before it is put on the queue, as that may have to wait for other ranks too.
    pub(super) fn begin(&self, queue: &'static Queue, id: MeetingId, description: &str) -> Beginning<'_> {
        let call = WatchedCall { queue, id, description: description.to_owned(), start: Instant::now(), event: None };
        self.shared.lock().calls.push_back(call);
        self.shared.changed.notify_all();
        Beginning { shared: &self.shared, id }
    }
}

impl Beginning<'_> {
    /// The collective is on the queue, before that point, or it is not.
    pub(super) fn submitted(self, event: Result<Event>) -> Result<()> {
        let mut watched = self.shared.lock();
        match event {
            Ok(event) => {
                if let Some(call) = watched.calls.iter_mut().rfind(|call| call.id == self.id) {
                    call.event = Some(event);
                }
                Ok(())
            }
            // The thread has aborted the call, so the call's own error does not name the cause.
            Err(error) => {
                watched.calls.retain(|call| call.id != self.id);
                Err(watched.failure.clone().map_or(error, |failure| ClusterError::from(failure).into()))
            }
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, WatchedCalls> {
        lock(&self.watched)
    }

    fn watch(&self) {
        let mut rank_ended = None;
        loop {
            let mut watched = self.lock();
            while watched.calls.is_empty() && !watched.is_over {
                watched = self.changed.wait(watched).unwrap_or_else(PoisonError::into_inner);
            }
            while watched.calls.front().is_some_and(|call| call.event.as_ref().is_some_and(|event| event.is_done().unwrap_or(false))) {
                watched.calls.pop_front();
            }
            let Some(oldest) = watched.calls.front() else {
                if watched.is_over {
                    return;
                }
                continue;
            };
            let (id, waited) = (oldest.id, oldest.start.elapsed());
            let own = |what: String| {
                let message = format!("{what} in {id}, {} on rank {}", oldest.description, self.rank);
                ClusterFailure { rank: self.rank, call: id.number(), cause: ClusterCause::Transport, message }
            };
            let failure = match self.communicator.poll() {
                Err(error) => Some(own(error.to_string())),
                Ok(()) if waited > self.timeout => Some(own(format!("the GPU has waited for other ranks for {}", seconds(waited)))),
                Ok(()) => None,
            };
            let control = watched.control.upgrade();
            drop(watched);
            if let Some(failure) = failure {
                let missing = control.as_deref().and_then(|control| control.try_lock().ok()?.overdue(id, waited));
                return self.end(control.as_deref(), missing.unwrap_or(failure));
            }
            if let Some(known) = failure_of_others(control.as_deref()) {
                let since = *rank_ended.get_or_insert_with(Instant::now);
                if since.elapsed() > GRACE {
                    return self.end(control.as_deref(), known);
                }
            }
            thread::sleep(INTERVAL);
        }
    }

    /// Ends all collectives, and says why.
    fn end(&self, control: Option<&Mutex<Control>>, failure: ClusterFailure) {
        // Whoever holds the lock is waiting for other ranks, and gets the failure from the hub.
        let verdict = match control.map(Mutex::try_lock) {
            Some(Ok(mut control)) => control.report(failure),
            _ => failure,
        };
        let mut watched = self.lock();
        watched.failure = Some(verdict.clone());
        // Before the kernels end, so that whoever waits for them finds it.
        for call in watched.calls.drain(..) {
            call.queue.interrupt(Error::from(ClusterError::from(verdict.clone())));
        }
        drop(watched);
        self.communicator.abort();
    }
}

/// The failure that the hub knows of, unless a call is talking to the hub at the moment.
fn failure_of_others(control: Option<&Mutex<Control>>) -> Option<ClusterFailure> {
    control?.try_lock().ok()?.poll()
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
        // What is on the queues ends, or is ended, before NCCL is closed.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
