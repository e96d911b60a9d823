// What is combined, in the order of keys: the elements of `in`. Of pairs, `keys` and `order` say in which order they come; of tables, `keys` has
// the bucket of each, and `there` which places have a value.
struct gr_source {
  const gr_inputs& in;
  const gr_key* keys;
  const u32* order;
  const u8* there;
  u64 base;
};

// The elements that are updated, and where it is noted that they have been stored.
struct gr_targets {
  gr_value* first;
  u64 len;
  u8* stored;
};

// Tables of buckets that go on in other pairs, for the next launch.
struct gr_partials {
  gr_key* keys;
  gr_value* values;
  // Whether there is a value.
  u8* there;
};

