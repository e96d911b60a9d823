// Rust's tuples.
template <class A> struct gr_tuple1 { A _0; };
template <class A, class B> struct gr_tuple2 { A _0; B _1; };
template <class A, class B, class C> struct gr_tuple3 { A _0; B _1; C _2; };
template <class A, class B, class C, class D> struct gr_tuple4 { A _0; B _1; C _2; D _3; };
template <class A, class B, class C, class D, class E> struct gr_tuple5 { A _0; B _1; C _2; D _3; E _4; };
template <class A, class B, class C, class D, class E, class F> struct gr_tuple6 { A _0; B _1; C _2; D _3; E _4; F _5; };
template <class A, class B, class C, class D, class E, class F, class G> struct gr_tuple7 { A _0; B _1; C _2; D _3; E _4; F _5; G _6; };
template <class A, class B, class C, class D, class E, class F, class G, class H> struct gr_tuple8 { A _0; B _1; C _2; D _3; E _4; F _5; G _6; H _7; };
