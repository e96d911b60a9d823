// Declares nothing. A device function needs it that does what only the thread of a kernel can: ask which one it is, look at its warp, change an atomic.
