//! Loads and stores that say how the caches are to treat an element: `x.load_streaming(i)` is `x[i]`, and
//! `out.store_streaming(i, v)` is `out[i] = v`.
//!
//! In the model they are an index whose site has a hint, so that the proofs and the twin see the access that it is. Only the CUDA
//! emitter looks at the hint.

use super::table::table;

/// One way to load or store.
pub(crate) struct CacheHintInfo {
    pub(crate) name: &'static str,
    pub(crate) stores: bool,
}

const fn load(name: &'static str) -> CacheHintInfo {
    CacheHintInfo { name, stores: false }
}

const fn store(name: &'static str) -> CacheHintInfo {
    CacheHintInfo { name, stores: true }
}

table! {
    /// How the caches are to treat an element.
    CacheHint of CacheHintInfo {
        LoadCached: load("load_cached"),
        LoadGlobal: load("load_global"),
        LoadStreaming: load("load_streaming"),
        LoadLastUse: load("load_last_use"),
        LoadAgain: load("load_again"),
        StoreCached: store("store_cached"),
        StoreGlobal: store("store_global"),
        StoreStreaming: store("store_streaming"),
        StoreThrough: store("store_through"),
    }
}
