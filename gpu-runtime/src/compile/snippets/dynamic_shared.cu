// The dynamic shared memory of a block. The launch says how much there is.
extern __shared__ __align__(16) unsigned char gr_dynamic[];
