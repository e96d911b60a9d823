//! Tables: a key for each row, so that a stage that says something of each matches them exhaustively.

/// An enum whose variants are the keys of a table, each of which derefs to its row. Rows have names, by which keys are found.
macro_rules! table {
    ($(#[$doc:meta])* $key:ident of $row:ident { $($variant:ident: $value:expr,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum $key {
            $($variant,)*
        }

        impl $key {
            const ALL: &[$key] = &[$($key::$variant,)*];

            pub(crate) fn find(name: &str) -> Option<$key> {
                Self::ALL.iter().copied().find(|key| key.name == name)
            }
        }

        impl std::ops::Deref for $key {
            type Target = $row;

            fn deref(&self) -> &$row {
                static ROWS: &[$row] = &[$($value,)*];
                &ROWS[*self as usize]
            }
        }

        #[cfg(test)]
        mod each_name {
            #[test]
            fn stands_once() {
                for (i, a) in super::$key::ALL.iter().enumerate() {
                    assert!(super::$key::ALL[i + 1..].iter().all(|b| b.name != a.name), "{} stands twice", a.name);
                }
            }
        }
    };
}
pub(super) use table;
