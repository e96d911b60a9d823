//! What a library puts on a stream, as a node of a graph.
//!
//! A library launches kernels by itself, so they cannot be recorded one by one. It gets a stream of its own, on which nothing runs: the driver
//! makes a graph of what is put there, and that is one node of the recorded graph.

use std::ptr;
#[cfg(feature = "cluster")]
use std::sync::Arc;

#[cfg(feature = "cluster")]
use super::Executable;
use super::{Builder, NodeKind, Template};
use crate::Result;
use crate::backend::cuda::driver::{check, read};
use crate::backend::cuda::{Queue, sys};
use crate::backend::recording::{self, Part};

/// What must happen around every launch of a graph with calls of a library.
#[cfg(feature = "cluster")]
pub(crate) struct AroundLaunch {
    /// The number that the library has given the graph.
    pub(crate) graph: u64,
    pub(crate) call: LaunchWithin,
}

/// Gets the queue, and launches the graph.
#[cfg(feature = "cluster")]
type LaunchWithin = Arc<dyn Fn(&'static Queue, &mut dyn FnMut() -> Result<()>) -> Result<()> + Send + Sync>;

impl Queue {
    /// Adds what `submit` puts on the stream that it gets to the graph that this thread records, as work that uses the memory of the operation,
    /// and `own`, an address that stands for what calls of the library have in common: they are in order.
    pub(in crate::backend::cuda) fn capture(&self, own: Option<u64>, submit: impl FnOnce(sys::CUstream) -> Result<()>) -> Result<()> {
        let captured = self.captured(submit)?;
        recording::gpu::add_capture(own, |graph, uses| graph.add_child(&captured, uses))
    }

    /// The graph of what `submit` puts on a stream.
    fn captured(&self, submit: impl FnOnce(sys::CUstream) -> Result<()>) -> Result<Template> {
        self.gpu().make_current()?;
        let stream = read("cuStreamCreate", ptr::null_mut(), |stream| {
            // SAFETY: a context is current.
            unsafe { sys::call!(cuStreamCreate(stream, sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32)) }
        })?;
        let stream = CaptureStream(stream);
        // Other threads may do what they like meanwhile: nothing of it is on this stream.
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: the stream is not destroyed yet.
        check("cuStreamBeginCapture", unsafe { sys::call!(cuStreamBeginCapture_v2(stream.0, mode)) })?;
        let submitted = submit(stream.0);
        let graph = read("cuStreamEndCapture", ptr::null_mut(), |graph| {
            // SAFETY: as above.
            unsafe { sys::call!(cuStreamEndCapture(stream.0, graph)) }
        });
        submitted.and(graph.map(Template))
    }
}

/// A stream that is only captured.
struct CaptureStream(sys::CUstream);

impl Drop for CaptureStream {
    fn drop(&mut self) {
        // SAFETY: nobody uses the handle any more.
        let _ = unsafe { sys::call!(cuStreamDestroy_v2(self.0)) };
    }
}

impl Builder {
    /// Adds a graph as a node, after the operations that use the same memory.
    fn add_child(&mut self, child: &Template, uses: &[Part]) -> Result<()> {
        self.add("cuGraphAddChildGraphNode", uses, NodeKind::Other, |node, graph, after, count| {
            // SAFETY: both graphs are whole; the driver copies the child.
            unsafe { sys::call!(cuGraphAddChildGraphNode(node, graph, after, count, child.0)) }
        })
        .map(drop)
    }

    /// Calls what `around` gives at every launch of the graph, once for each `key`. Returns the number of the graph for that key.
    #[cfg(feature = "cluster")]
    pub(crate) fn call_around_launch(&mut self, key: u64, around: impl FnOnce() -> AroundLaunch) -> u64 {
        if let Some((_, known)) = self.libraries.around.iter().find(|(other, _)| *other == key) {
            return known.graph;
        }
        let around = around();
        let graph = around.graph;
        self.libraries.around.push((key, around));
        graph
    }
}

#[cfg(feature = "cluster")]
impl Executable {
    /// Calls `launch` within all that must happen around it.
    pub(super) fn launch_within(&self, around: &[(u64, AroundLaunch)]) -> Result<()> {
        match around {
            [] => self.launch_alone(),
            [(_, outer), inner @ ..] => (outer.call)(self.queue, &mut || self.launch_within(inner)),
        }
    }
}
