// Where a field of a struct begins. NVRTC has no offsetof without headers.
#ifdef __CUDACC_RTC__
#define GR_OFFSET(T, field) __INTADDR__(&((T*)0)->field)
#else
#define GR_OFFSET(T, field) __builtin_offsetof(T, field)
#endif
