//! Loads and stores that say how the caches are to treat an element: `x.load_streaming(i)` is `x[i]`, and
//! `out.store_streaming(i, v)` is `out[i] = v`.
//!
//! In the model they are an index whose site has a hint, so that the proofs and the twin see the access that it is. Only the CUDA
//! emitter looks at the hint.

/// One way to load or store.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CacheHint {
    pub(crate) name: &'static str,
    pub(crate) stores: bool,
    /// CUDA's function, which takes the element's address.
    pub(crate) cuda: &'static str,
}

const fn load(name: &'static str, cuda: &'static str) -> CacheHint {
    CacheHint { name, stores: false, cuda }
}

const fn store(name: &'static str, cuda: &'static str) -> CacheHint {
    CacheHint { name, stores: true, cuda }
}

static CACHE_HINTS: &[CacheHint] = &[
    load("load_cached", "__ldca"),
    load("load_global", "__ldcg"),
    load("load_streaming", "__ldcs"),
    load("load_last_use", "__ldlu"),
    load("load_again", "__ldcv"),
    store("store_cached", "__stwb"),
    store("store_global", "__stcg"),
    store("store_streaming", "__stcs"),
    store("store_through", "__stwt"),
];

impl CacheHint {
    pub(crate) fn find(name: &str) -> Option<&'static CacheHint> {
        CACHE_HINTS.iter().find(|hint| hint.name == name)
    }
}
