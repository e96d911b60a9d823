//! Floats of 16 bits among everything else: structs, shared memory, generics, warps.

use crate::bench::Bench;
use crate::cases;

cases![];
