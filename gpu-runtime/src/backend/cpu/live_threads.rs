//! Which threads of a block run next, where they wait for each other.
//!
//! A round resumes every live thread once. If the threads of a warp wait for each other ([`warp`](super::warp)), or if a thread has given
//! way, those are resumed until each has reached a barrier of the block or its end.

use std::sync::atomic::Ordering;

use super::blocks::{Blocks, next_index};
use super::futures::Threads;
use super::thread::{Stop, Thread};
use super::warp::{Parked, WARP_SIZE};

/// The threads of a block, and which of them have not ended.
pub(super) struct LiveThreads<'t, 'b> {
    threads: Box<dyn Threads<'b> + 't>,
    /// How many there are.
    len: usize,
    /// Those that have not ended, by warp, a bit for each lane.
    live: Vec<u32>,
    /// The warps with threads that wait for one that has given way.
    parked: Vec<(usize, Parked)>,
}

impl<'t, 'b> LiveThreads<'t, 'b> {
    /// `len` threads that have not started.
    pub(super) fn new(threads: Box<dyn Threads<'b> + 't>, len: usize) -> Self {
        Self { threads, len, live: vec![0; len.div_ceil(WARP_SIZE)], parked: Vec::new() }
    }

    /// How many have not ended.
    pub(super) fn count(&self) -> u32 {
        self.live.iter().map(|lanes| lanes.count_ones()).sum()
    }

    /// The number of the first that has not ended.
    pub(super) fn first(&self) -> Option<usize> {
        let (warp, lanes) = self.live.iter().enumerate().find(|(_, lanes)| **lanes != 0)?;
        Some(warp * WARP_SIZE + lanes.trailing_zeros() as usize)
    }

    /// Starts all threads, and suspends them before their first statement.
    pub(super) fn start(&mut self, blocks: &Blocks<'b>) {
        let [width, height, _] = blocks.dims().block;
        let mut index = [0; 3];
        self.parked.clear();
        for number in 0..self.len {
            self.threads.start(Thread {
                index,
                number: number as u32,
                block: blocks.block,
                outlined: blocks.block,
                sites: blocks.block.sites,
            });
            self.live[number / WARP_SIZE] |= 1 << (number % WARP_SIZE);
            index = next_index(index, [width, height]);
        }
    }

    /// Resumes every live thread.
    pub(super) fn resume_all(&mut self, blocks: &Blocks<'b>) -> Result<(), Stop> {
        for warp in 0..self.live.len() {
            self.resume(warp, self.live[warp])?;
            self.run_warp_calls(warp, blocks)?;
            blocks.checkpoint();
        }
        Ok(())
    }

    /// Resumes these live lanes of a warp.
    fn resume(&mut self, warp: usize, lanes: u32) -> Result<(), Stop> {
        let waiting = self.threads.resume(warp, lanes)?;
        self.live[warp] = self.live[warp] & !lanes | waiting;
        Ok(())
    }

    /// Lets the threads of a warp continue whose calls are complete, until all wait at barriers, have given way or have ended. A warp with
    /// threads that wait for one that has given way is parked until that one continues.
    fn run_warp_calls(&mut self, number: usize, blocks: &Blocks<'b>) -> Result<(), Stop> {
        let worker = blocks.block.worker;
        while worker.warp.is_waiting() {
            let released = worker.warp.release(self.live[number]);
            if released == 0 {
                if !worker.round.has_spinning(number) {
                    return Err(worker.fail_warp(blocks.block, number, self.live[number]));
                }
                self.parked.push((number, worker.warp.park()));
                break;
            }
            if let Some(checker) = blocks.block.checker {
                worker.warp.parties(released).for_each(|lanes| checker.synchronize_warp(blocks.block.linear(), number, lanes));
            }
            self.resume(number, released)?;
        }
        Ok(())
    }

    /// Resumes the threads that have given way, and only those and the threads that they wait for, until each has reached a barrier or its
    /// end.
    pub(super) fn finish_round(&mut self, blocks: &Blocks<'b>) -> Result<(), Stop> {
        loop {
            let before = self.count();
            if !self.resume_spinning(blocks)? {
                return Ok(());
            }
            if self.count() == before {
                std::thread::yield_now();
            }
        }
    }

    /// Resumes once each thread that has given way. Whether there were any.
    pub(super) fn resume_spinning(&mut self, blocks: &Blocks<'b>) -> Result<bool, Stop> {
        let worker = blocks.block.worker;
        let spinning = worker.round.take_spinning();
        if spinning.is_empty() {
            return Ok(false);
        }
        // What they wait for may be another block's to do, which has to run, and may have been given up.
        blocks.checkpoint();
        if blocks.abandoned.load(Ordering::Relaxed) || worker.has_failed() {
            return Err(Stop);
        }
        for threads in spinning.chunk_by(|one, next| one / WARP_SIZE == next / WARP_SIZE) {
            let number = threads[0] / WARP_SIZE;
            if let Some(place) = self.parked.iter().position(|(parked, _)| *parked == number) {
                worker.warp.unpark(self.parked.swap_remove(place).1);
            }
            for thread in threads {
                self.resume(number, 1 << (thread % WARP_SIZE))?;
            }
            self.run_warp_calls(number, blocks)?;
        }
        Ok(true)
    }
}
