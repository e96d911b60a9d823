//! Loads and stores with a hint for the caches.

/// Loads and stores of a kernel's slices with a hint for the GPU's caches: `x.load_streaming(i)` is `x[i]`, and `out.store_streaming(i, v)`
/// is `out[i] = v`, with the same checks and proofs.
///
/// | load | CUDA C | the caches should |
/// |---|---|---|
/// | `x.load_cached(i)` | `__ldca` | keep it at all levels, which is the default |
/// | `x.load_global(i)` | `__ldcg` | keep it in the second level only, which all multiprocessors share |
/// | `x.load_streaming(i)` | `__ldcs` | evict it first: it is read once |
/// | `x.load_last_use(i)` | `__ldlu` | discard it without writing it back: it is not used again |
/// | `x.load_again(i)` | `__ldcv` | fetch it again from memory |
///
/// | store | CUDA C | the caches should |
/// |---|---|---|
/// | `out.store_cached(i, v)` | `__stwb` | keep it at all levels, which is the default |
/// | `out.store_global(i, v)` | `__stcg` | keep it in the second level only |
/// | `out.store_streaming(i, v)` | `__stcs` | evict it first: it is not read soon |
/// | `out.store_through(i, v)` | `__stwt` | write it through to memory |
///
/// A kernel can call them on its slice parameters of numbers. On the CPU, and on a host slice, they are `x[i]` and `x[i] = v`. They do not
/// synchronize threads. Numba's counterparts are `cuda.ldca`, `cuda.stcg` and others.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[gpu_kernel]
/// fn add(x: &[f32], y: &[f32], out: &mut [f32]) {
///     let i = grid_1d();
///     if i < out.len() {
///         out.store_streaming(i, x.load_streaming(i) + y.load_streaming(i));
///     }
/// }
///
/// # fn main() -> gpu_runtime::Result<()> {
/// let device = Device::best()?;
/// let (x, y) = (device.to_device(&[1.0, 2.0])?, device.to_device(&[10.0, 20.0])?);
/// let mut out = device.zeros::<f32>(2)?;
/// add(&x, &y, &mut out).forall(2)?;
/// assert_eq!(out.to_host()?, [11.0, 22.0]);
/// # Ok(())
/// # }
/// ```
pub trait CacheHints<T> {
    /// `self[i]`. CUDA: `__ldca`.
    fn load_cached(&self, i: usize) -> T;
    /// `self[i]`. CUDA: `__ldcg`.
    fn load_global(&self, i: usize) -> T;
    /// `self[i]`. CUDA: `__ldcs`.
    fn load_streaming(&self, i: usize) -> T;
    /// `self[i]`. CUDA: `__ldlu`.
    fn load_last_use(&self, i: usize) -> T;
    /// `self[i]`. CUDA: `__ldcv`.
    fn load_again(&self, i: usize) -> T;
    /// `self[i] = value`. CUDA: `__stwb`.
    fn store_cached(&mut self, i: usize, value: T);
    /// `self[i] = value`. CUDA: `__stcg`.
    fn store_global(&mut self, i: usize, value: T);
    /// `self[i] = value`. CUDA: `__stcs`.
    fn store_streaming(&mut self, i: usize, value: T);
    /// `self[i] = value`. CUDA: `__stwt`.
    fn store_through(&mut self, i: usize, value: T);
}

macro_rules! plain_accesses {
    (load [$($load:ident)*] store [$($store:ident)*]) => {
        impl<T: Copy> CacheHints<T> for [T] {
            $(
                #[track_caller]
                fn $load(&self, i: usize) -> T {
                    self[i]
                }
            )*
            $(
                #[track_caller]
                fn $store(&mut self, i: usize, value: T) {
                    self[i] = value;
                }
            )*
        }
    };
}

plain_accesses! {
    load [load_cached load_global load_streaming load_last_use load_again]
    store [store_cached store_global store_streaming store_through]
}
