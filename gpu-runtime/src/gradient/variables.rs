//! What a gradient is by: variables, and the arrays that they stand for, alone, in tuples or in lists.

use std::convert::identity;

use super::node::{Elements, Node};
use super::traced::{Real, Stored, Traced};
use crate::memory::{DeviceArray, DeviceView};
use crate::{Error, Result};

/// What a gradient is by: a [variable](super::variable) or another stored result, `&` of one, a tuple of up to eight, or a list: a slice, an array or
/// a `Vec`. Tuples and lists may contain others.
#[diagnostic::on_unimplemented(
    message = "there is no gradient by `{Self}`",
    label = "not variables",
    note = "pass `&variable`, a tuple of up to eight, or a list, `&list[..]`"
)]
pub trait Variables<'a, T: Real> {
    /// Their gradients: a [`DeviceArray`] for each, in a tuple, an array or a `Vec`.
    type Gradients;

    #[doc(hidden)]
    fn for_each(&self, call: &mut dyn FnMut(&Node<'a, T>));

    #[doc(hidden)]
    fn gradients(&self, of: &mut dyn FnMut(&Node<'a, T>) -> Result<DeviceArray<T>>) -> Result<Self::Gradients>;
}

impl<'a, T: Real> Variables<'a, T> for Stored<'a, T> {
    type Gradients = DeviceArray<T>;

    fn for_each(&self, call: &mut dyn FnMut(&Node<'a, T>)) {
        call(&self.expression);
    }

    fn gradients(&self, of: &mut dyn FnMut(&Node<'a, T>) -> Result<DeviceArray<T>>) -> Result<DeviceArray<T>> {
        of(&self.expression)
    }
}

impl<'a, T: Real, V: Variables<'a, T>> Variables<'a, T> for &V {
    type Gradients = V::Gradients;

    fn for_each(&self, call: &mut dyn FnMut(&Node<'a, T>)) {
        V::for_each(self, call);
    }

    fn gradients(&self, of: &mut dyn FnMut(&Node<'a, T>) -> Result<DeviceArray<T>>) -> Result<V::Gradients> {
        V::gradients(self, of)
    }
}

impl<'a, T: Real, V: Variables<'a, T>> Variables<'a, T> for &[V] {
    type Gradients = Vec<V::Gradients>;

    fn for_each(&self, call: &mut dyn FnMut(&Node<'a, T>)) {
        self.iter().for_each(|variables| variables.for_each(call));
    }

    fn gradients(&self, of: &mut dyn FnMut(&Node<'a, T>) -> Result<DeviceArray<T>>) -> Result<Self::Gradients> {
        self.iter().map(|variables| variables.gradients(of)).collect()
    }
}

impl<'a, T: Real, V: Variables<'a, T>> Variables<'a, T> for Vec<V> {
    type Gradients = Vec<V::Gradients>;

    fn for_each(&self, call: &mut dyn FnMut(&Node<'a, T>)) {
        self.as_slice().for_each(call);
    }

    fn gradients(&self, of: &mut dyn FnMut(&Node<'a, T>) -> Result<DeviceArray<T>>) -> Result<Self::Gradients> {
        self.as_slice().gradients(of)
    }
}

impl<'a, T: Real, V: Variables<'a, T>, const N: usize> Variables<'a, T> for [V; N] {
    type Gradients = [V::Gradients; N];

    fn for_each(&self, call: &mut dyn FnMut(&Node<'a, T>)) {
        self.as_slice().for_each(call);
    }

    fn gradients(&self, of: &mut dyn FnMut(&Node<'a, T>) -> Result<DeviceArray<T>>) -> Result<Self::Gradients> {
        Ok(exactly(self.as_slice().gradients(of)?))
    }
}

/// Arrays to differentiate by: a device array or view, a tuple of up to eight, or a list: a slice of device arrays, or an array or a `Vec` of what is
/// itself differentiated by.
#[diagnostic::on_unimplemented(
    message = "there is no gradient by `{Self}`",
    label = "not arrays on a device",
    note = "pass `&array`, a tuple of up to eight, or a list, `&list[..]`"
)]
pub trait Arrays<'a, T: Real> {
    /// The arrays as variables.
    type Variables: Variables<'a, T> + Clone;

    #[doc(hidden)]
    fn variables(self) -> Self::Variables;

    /// The arrays as variables that move along these directions.
    #[doc(hidden)]
    fn moving(self, directions: Self) -> Result<Self::Variables>;
}

impl<'a, T: Real> Arrays<'a, T> for &'a DeviceArray<T> {
    type Variables = Stored<'a, T>;

    fn variables(self) -> Self::Variables {
        self.view().variables()
    }

    #[track_caller]
    fn moving(self, direction: Self) -> Result<Self::Variables> {
        self.view().moving(direction.view())
    }
}

impl<'a, T: Real> Arrays<'a, T> for DeviceView<'a, T> {
    type Variables = Stored<'a, T>;

    fn variables(self) -> Self::Variables {
        Traced::new(Node::variable(self, None))
    }

    #[track_caller]
    fn moving(self, direction: Self) -> Result<Self::Variables> {
        if direction.shape() != self.shape() {
            return Err(Error::shape_mismatch("jvp", self.shape(), direction.shape(), "the direction of an array has its shape"));
        }
        Ok(Traced::new(Node::variable(self, Some(Elements::Borrowed(direction)))))
    }
}

/// Lists: what their variables are, and how these are made of a `Vec`.
macro_rules! lists {
    ($([$($generics:tt)*] $List:ty => $Variables:ty, $made:path;)*) => {$(
        impl<'a, T: Real, $($generics)*> Arrays<'a, T> for $List {
            type Variables = $Variables;

            fn variables(self) -> Self::Variables {
                $made(self.into_iter().map(Arrays::variables).collect())
            }

            #[track_caller]
            fn moving(self, directions: Self) -> Result<Self::Variables> {
                assert_eq!(self.len(), directions.len(), "`jvp` takes a direction for each array");
                let mut variables = Vec::with_capacity(self.len());
                for (arrays, direction) in self.into_iter().zip(directions) {
                    variables.push(arrays.moving(direction)?);
                }
                Ok($made(variables))
            }
        }
    )*};
}

lists! {
    [] &'a [DeviceArray<T>] => Vec<Stored<'a, T>>, identity;
    [] &'a Vec<DeviceArray<T>> => Vec<Stored<'a, T>>, identity;
    [A: Arrays<'a, T>] Vec<A> => Vec<A::Variables>, identity;
    [A: Arrays<'a, T>, const N: usize] [A; N] => [A::Variables; N], exactly;
}

/// As many elements as there are.
fn exactly<U, const N: usize>(list: Vec<U>) -> [U; N] {
    list.try_into().ok().expect("a list has as many variables as arrays, and as many gradients")
}

macro_rules! tuples {
    ($($V:ident $index:tt),*) => {
        impl<'a, T: Real, $($V: Variables<'a, T>),*> Variables<'a, T> for ($($V,)*) {
            type Gradients = ($($V::Gradients,)*);

            fn for_each(&self, call: &mut dyn FnMut(&Node<'a, T>)) {
                $(self.$index.for_each(call);)*
            }

            fn gradients(&self, of: &mut dyn FnMut(&Node<'a, T>) -> Result<DeviceArray<T>>) -> Result<Self::Gradients> {
                Ok(($(self.$index.gradients(of)?,)*))
            }
        }

        impl<'a, T: Real, $($V: Arrays<'a, T>),*> Arrays<'a, T> for ($($V,)*) {
            type Variables = ($($V::Variables,)*);

            fn variables(self) -> Self::Variables {
                ($(self.$index.variables(),)*)
            }

            #[track_caller]
            fn moving(self, directions: Self) -> Result<Self::Variables> {
                Ok(($(self.$index.moving(directions.$index)?,)*))
            }
        }
    };
}

tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
