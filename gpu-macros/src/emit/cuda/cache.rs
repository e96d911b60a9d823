//! Loads and stores that say how the caches are to treat an element.

use crate::model::CacheHint;

/// CUDA's function, which takes the element's address.
pub(super) fn function(hint: CacheHint) -> &'static str {
    match hint {
        CacheHint::LoadCached => "__ldca",
        CacheHint::LoadGlobal => "__ldcg",
        CacheHint::LoadStreaming => "__ldcs",
        CacheHint::LoadLastUse => "__ldlu",
        CacheHint::LoadAgain => "__ldcv",
        CacheHint::StoreCached => "__stwb",
        CacheHint::StoreGlobal => "__stcg",
        CacheHint::StoreStreaming => "__stcs",
        CacheHint::StoreThrough => "__stwt",
    }
}
