//! Gradients of the user's, and functions that are computed again for the gradient.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use gpu_runtime::gradient::{
    Stored, checkpoint, constant, custom_vjp, custom_vjp_with, grad, jvp, surrogate_vjp, value_and_grad, variable,
};
use gpu_runtime::prelude::*;
use gpu_runtime::{Error, Result, Shape};

fn array(elements: &[f64]) -> Result<DeviceArray<f64>> {
    Device::cpu().to_device(elements)
}

fn host(x: &DeviceArray<f64>) -> Vec<f64> {
    x.to_host().unwrap()
}

#[test]
fn a_gradient_of_the_user_is_used() -> Result<()> {
    let (x, y) = (array(&[0.5, 1.0, 2.0])?, array(&[3.0, 1.0, -2.0])?);
    let found = value_and_grad((&x, &y), |(x, y)| {
        let chain = x.square().keep()?;
        let product = custom_vjp(
            [&chain, &y],
            |[x, y]| (x * y.sin()).collect(),
            |[x, y], value, gradient| {
                assert_eq!(value.to_host()?, (x * y.sin()).to_host()?);
                Ok([(gradient * y.sin()).collect()?, (gradient * x * y.cos()).collect()?])
            },
        )?;
        (product * &y).sum()
    })?;
    let expected = value_and_grad((&x, &y), |(x, y)| (x.square() * y.sin() * y).sum())?;
    assert!((found.0 - expected.0).abs() < 1e-14);
    assert!((&found.1.0 - &expected.1.0).abs().max()? < 1e-14);
    assert!((&found.1.1 - &expected.1.1).abs().max()? < 1e-14);
    Ok(())
}

/// `f` is called once for the gradient, and in builds that check it, seven times.
#[test]
fn a_gradient_of_the_user_gets_what_was_kept() -> Result<()> {
    let (x, y) = (array(&[0.5, 1.0, 2.0])?, array(&[3.0, 1.0, -2.0])?);
    let calls = Cell::new(0);
    let found = grad((&x, &y), |(x, y)| {
        let product = custom_vjp_with(
            [&x, &y],
            |[x, y]| {
                calls.set(calls.get() + 1);
                let sine = y.sin().collect()?;
                Ok(((x * &sine).collect()?, (sine, calls.get())))
            },
            |[x, y], value, (sine, number), gradient| {
                assert_eq!((*number, value.to_host()?), (1, (x * sine).to_host()?));
                Ok([(gradient * sine).collect()?, (gradient * x * y.cos()).collect()?])
            },
        )?;
        (product * &y).sum()
    })?;
    let expected = grad((&x, &y), |(x, y)| (x * y.sin() * y).sum())?;
    assert!((&found.0 - &expected.0).abs().max()? < 1e-14);
    assert!((&found.1 - &expected.1).abs().max()? < 1e-14);
    Ok(())
}

/// The gradient of attention along one element of each array after the other.
fn check_attention(shapes: [&[usize]; 3], mask: Mask) -> Result<()> {
    let numbers = |seed: usize, shape: &[usize]| -> Vec<f64> {
        (0..shape.iter().product()).map(|i| ((i * 37 + seed * 101 + 11) % 150) as f64 / 75.0 - 1.0).collect()
    };
    let on_device = |seed: usize, numbers: &[f64]| Device::cpu().to_device(numbers)?.reshape(Shape::from_extents(shapes[seed]).unwrap());
    let host = [0, 1, 2].map(|seed| numbers(seed, shapes[seed]));
    let loss = |host: &[Vec<f64>; 3]| -> Result<f64> {
        let [q, k, v] = [0, 1, 2].map(|i| on_device(i, &host[i]));
        q?.attention(&k?, &v?, mask)?.sin().sum()
    };
    let [q, k, v] = [0, 1, 2].map(|i| on_device(i, &host[i]));
    let (q, k, v) = (q?, k?, v?);
    let (by_q, by_k, by_v) = grad((&q, &k, &v), |(q, k, v)| q.attention(&k, &v, mask)?.sin().sum())?;
    for (number, gradient) in [by_q, by_k, by_v].iter().enumerate() {
        assert_eq!(gradient.shape().extents(), shapes[number]);
        for (i, found) in gradient.to_host()?.into_iter().enumerate() {
            let at = |by: f64| {
                let mut moved = host.clone();
                moved[number][i] += by;
                loss(&moved)
            };
            let expected = (at(1e-5)? - at(-1e-5)?) / 2e-5;
            assert!((found - expected).abs() < 1e-8, "{shapes:?}, {mask:?}, array {number}, element {i}: {found} and not {expected}");
        }
    }
    Ok(())
}

#[test]
fn attention_has_the_gradient_of_differences() -> Result<()> {
    for mask in [Mask::Full, Mask::Causal] {
        check_attention([&[3, 2], &[3, 2], &[3, 2]], mask)?;
        check_attention([&[2, 3, 2], &[2, 4, 2], &[2, 4, 3]], mask)?;
        // Two heads of queries for one of keys.
        check_attention([&[2, 4, 3, 2], &[2, 2, 3, 2], &[2, 2, 3, 1]], mask)?;
        check_attention([&[2, 2], &[0, 2], &[0, 3]], mask)?;
    }
    // Of views that are not contiguous, and of one array in three places.
    let x = Device::cpu().to_device(&[0.5, -1.0, 0.25, 2.0, 1.0, -0.5])?.reshape([2, 3])?;
    let by_x = grad(&x, |x| x.t()?.attention(&x.t()?, &x.t()?, Mask::Causal)?.square().sum())?;
    let turned = lazy(x.view().t()).collect()?;
    let by_turned = grad(&turned, |x| x.attention(&x, &x, Mask::Causal)?.square().sum())?;
    assert!((&by_x - by_turned.view().t()).abs().max()? < 1e-14);
    Ok(())
}

/// As a gradient that was written by hand is wrong: a factor, a sign, an argument, or nothing at all.
#[test]
fn a_wrong_gradient_of_the_user_is_found() -> Result<()> {
    let x = array(&[0.5, 1.0, 2.0, -1.0])?;
    let single = Device::cpu().to_device(&[0.5f32, 1.0, 2.0, -1.0])?;
    let with_factor = |factor: f64| {
        catch_unwind(AssertUnwindSafe(|| {
            let gradient = |gradient: DeviceView<'_, f64>, x: DeviceView<'_, f64>| (gradient * x.exp() * factor).collect();
            grad(&x, |x| custom_vjp([&x], |[x]| x.exp().collect(), |[x], _, g| Ok([gradient(g, x)?]))?.sum()).unwrap()
        }))
    };
    let with_factor_of_singles = |factor: f32| {
        catch_unwind(AssertUnwindSafe(|| {
            let gradient = |gradient: DeviceView<'_, f32>, x: DeviceView<'_, f32>| (gradient * x.exp() * factor).collect();
            grad(&single, |x| custom_vjp([&x], |[x]| x.exp().collect(), |[x], _, g| Ok([gradient(g, x)?]))?.sum()).unwrap()
        }))
    };
    assert!(with_factor(1.0).is_ok() && with_factor_of_singles(1.0).is_ok());
    for factor in [0.0, -1.0, 0.5, 1.001, f64::NAN] {
        let message = *with_factor(factor).unwrap_err().downcast::<String>().unwrap();
        assert!(message.contains("the gradient of `custom_vjp` at ") && message.contains("gradients/rules.rs"), "{factor}: {message}");
    }
    for factor in [0.0, -1.0, 0.5, 1.1] {
        with_factor_of_singles(factor).unwrap_err();
    }
    // At a minimum that is no kink.
    let zeros = array(&[0.0, 0.0])?;
    let nan = || grad(&zeros, |x| custom_vjp([&x], |[x]| x.square().collect(), |[x], _, g| Ok([(g * x / x).collect()?]))?.sum()).unwrap();
    catch_unwind(AssertUnwindSafe(nan)).unwrap_err();
    // Where differences say nothing, they are not held against a gradient: at a kink of both sides or of one, where the function does not look,
    // and where it fails.
    let at_kink = array(&[0.0, 0.0])?;
    let kink = grad(&at_kink, |x| custom_vjp([&x], |[x]| x.abs().collect(), |[x], _, g| Ok([(g * x).collect()?]))?.sum())?;
    assert_eq!(host(&kink), [0.0, 0.0]);
    let length = |[x]: [DeviceView<'_, f64>; 1]| x.square().sum_axis(0)?.sqrt().collect();
    let by_length = grad(&at_kink, |x| custom_vjp([&x], length, |[x], y, g| Ok([(x / y * g).collect()?]))?.sum())?;
    assert!(host(&by_length).iter().all(|slope| slope.is_nan()));
    let x = array(&[0.0, 2.0, 0.0, -1.0, f64::NAN])?;
    let slope = |x: DeviceView<'_, f64>, g: DeviceView<'_, f64>| x.gt(0.0).select(g, 0.0).collect();
    let relu = grad(&x, |x| custom_vjp([&x], |[x]| x.max_with(0.0).collect(), |[x], _, g| Ok([slope(x, g)?]))?.sum())?;
    assert_eq!(host(&relu), [0.0, 1.0, 0.0, 0.0, 0.0]);
    let small = array(&[1e-9, -2e-9])?;
    let slope = |y: DeviceView<'_, f64>, g: DeviceView<'_, f64>| (g * 1e9 * (1.0 - y * y)).collect();
    let steep = grad(&small, |x| custom_vjp([&x], |[x]| (x * 1e9).tanh().collect(), |_, y, g| Ok([slope(y, g)?]))?.sum())?;
    assert!(host(&steep)[0] > 4e8);
    let calls = Cell::new(0);
    let once = |x: DeviceView<'_, f64>| {
        calls.set(calls.get() + 1);
        if calls.get() == 1 { x.lazy().collect() } else { array(&[1.0]).and_then(|one| one.reshape([7])) }
    };
    let by_x = grad(&small, |x| custom_vjp([&x], |[x]| once(x), |_, _, g| Ok([lazy(g).collect()?]))?.sum())?;
    assert_eq!(host(&by_x), [1.0, 1.0]);
    Ok(())
}

#[test]
fn a_gradient_of_the_user_has_the_shape_of_its_array_and_no_forward_mode() -> Result<()> {
    let x = array(&[1.0, 2.0])?;
    let error = grad(&x, |x| surrogate_vjp([&x], |[x]| x.square().collect(), |_, _, _| Ok([array(&[1.0])?]))?.sum()).err().unwrap();
    assert!(error.to_string().contains("the gradient by an array has its shape"), "{error}");
    let error = jvp(&x, &x, |x| surrogate_vjp([&x], |[x]| x.square().collect(), |_, _, g| Ok([lazy(g).collect()?]))).err().unwrap();
    assert!(matches!(error, Error::NoForwardMode { function: "surrogate_vjp", .. }), "{error}");
    // An array that does not move needs none.
    let constant = variable(&x);
    let (_, tangent) = jvp(&x, &x, |x| Ok(x * surrogate_vjp([&constant], |[x]| x.square().collect(), |_, _, _| unreachable!())?))?;
    assert_eq!(host(&tangent), [1.0, 8.0]);
    Ok(())
}

/// Uses its arguments, two arrays besides, and what it computes again in turn.
fn step<'a>([a, b]: [Stored<'a, f64>; 2], captured: &(Stored<'a, f64>, Stored<'a, f64>), calls: &Cell<usize>) -> Result<Stored<'a, f64>> {
    calls.set(calls.get() + 1);
    let again = checkpoint([&a], |[a]| Ok(a.square().exp().keep()? * &a))?;
    (a.sin() * b * &captured.0 + again * &captured.1).keep()
}

#[test]
fn what_is_computed_again_has_the_same_gradient() -> Result<()> {
    let (x, y, z) = (array(&[0.5, 1.0])?, array(&[3.0, -2.0])?, array(&[0.25, 4.0])?);
    let calls = Cell::new(0);
    let calls = &calls;
    let run = |is_kept: bool| {
        grad((&x, &y, &z), |(x, y, z)| {
            let (inner, outer) = ((&x * &y).keep()?, z.square().keep()?);
            let captured = (outer.clone(), x.clone());
            let f = move |arrays| step(arrays, &captured, calls);
            let result = if is_kept { f([inner.clone(), y])? } else { checkpoint([&inner, &y], f)? };
            (result * inner + outer * &x).sum()
        })
    };
    let expected = run(true)?;
    assert_eq!(calls.replace(0), 1);
    let found = run(false)?;
    assert_eq!(calls.get(), 2);
    assert_eq!((host(&found.0), host(&found.1), host(&found.2)), (host(&expected.0), host(&expected.1), host(&expected.2)));
    // A result that is an array from outside, and one that depends on none.
    assert_eq!(host(&grad(&x, |x| checkpoint([&x], |[x]| Ok(x))?.sum())?), [1.0, 1.0]);
    assert_eq!(host(&grad(&x, |x| checkpoint([&x], |[x]| x.value()?.sum().map(constant))?.keep()?.sum())?), [0.0, 0.0]);
    // Forward.
    let (value, tangent) = jvp(&x, &y, |x| checkpoint([&x], |[x]| x.square().keep()?.sum()))?;
    assert_eq!((host(&value), host(&tangent)), (vec![1.25], vec![-1.0]));
    Ok(())
}

#[test]
fn what_computes_something_else_again_is_found() -> Result<()> {
    let (x, y) = (array(&[0.5])?, array(&[3.0])?);
    let is_first = Cell::new(true);
    let (x, y) = (variable(&x), variable(&y));
    let result = checkpoint([&x], |[x]| Ok(if is_first.replace(false) { x } else { y.clone() }))?;
    let message = *catch_unwind(AssertUnwindSafe(|| result.gradient((&x, &y)).unwrap())).unwrap_err().downcast::<&str>().unwrap();
    assert!(message.contains("depends on other arrays"), "{message}");
    Ok(())
}

/// Each step is computed again: nothing but its result is kept, and no depth of calls comes of it.
#[test]
fn many_steps_are_computed_again() -> Result<()> {
    let x = array(&[1.0])?;
    let by_x = grad(&x, |x| {
        let mut y = x.sum()?;
        for _ in 0..5_000 {
            y = checkpoint([&x, &y], |[x, y]| (x * 1e-4 + y.sin()).sum())?;
        }
        Ok(y)
    })?;
    assert!(host(&by_x)[0] > 0.0);
    Ok(())
}

#[test]
fn a_derivative_inside_of_another_is_along_its_own_direction() -> Result<()> {
    let (x, y, dx, dy) = (array(&[2.0])?, array(&[3.0])?, array(&[10.0])?, array(&[1.0])?);
    let (value, tangent) = jvp(&x, &dx, |x| {
        let (_, inner) = jvp(&y, &dy, |y| Ok(y * x.stop_gradient()))?;
        Ok(&x * inner.to_host()?[0])
    })?;
    assert_eq!((host(&value), host(&tangent)), (vec![4.0], vec![20.0]));
    Ok(())
}

#[test]
fn a_derivative_that_would_be_a_constant_outside_is_refused() -> Result<()> {
    let (x, y) = (array(&[2.0])?, array(&[3.0])?);
    let inside = |x: &Stored<'_, f64>, y: &DeviceArray<f64>| grad(y, |y| (x * y).sin().sum());
    let refused = |result: Result<DeviceArray<f64>>| matches!(result.map(drop), Err(Error::NestedDerivative { .. }));
    assert!(refused(grad(&x, |x| (&x * inside(&x, &y)?).sum())));
    assert!(refused(grad(&x, |x| Ok(&x * x.powi(3).sum()?.gradient(&x)?).and_then(|chain| chain.sum()))));
    assert!(refused(jvp(&x, &y, |x| Ok(&x * inside(&x, &y)?)).map(|(_, tangent)| tangent)));
    assert!(refused(jvp(&x, &y, |x| Ok(&x * jvp(&y, &y, |y| Ok(&x * y))?.1)).map(|(_, tangent)| tangent)));
    let message = grad(&x, |x| (&x * inside(&x, &y)?).sum()).err().unwrap().to_string();
    assert!(message.contains("`gradient` at gpu-runtime/tests/gradients/rules.rs:"), "{message}");
    // A step of its own is an array like others.
    let by_x = grad(&x, |x| (&x * grad(&y, |y| y.square().sum())?).sum())?;
    assert_eq!(host(&by_x), [6.0]);
    Ok(())
}

/// What a traced array moves along, and what it is made of, is known inside of the call that has made it.
#[test]
fn arrays_that_leave_their_call_are_refused() -> Result<()> {
    let message = |call: &dyn Fn() -> Result<()>| -> String {
        let payload = catch_unwind(AssertUnwindSafe(|| call().unwrap())).unwrap_err();
        payload.downcast_ref::<&str>().map_or_else(|| payload.downcast_ref::<String>().unwrap().clone(), ToString::to_string)
    };
    let (x, y, dx, dy) = (array(&[3.0])?, array(&[2.0])?, array(&[0.0])?, array(&[1.0])?);
    let of_inner_derivative = || -> Result<()> {
        jvp(&x, &dx, |x| {
            let mut left = None;
            jvp(&y, &dy, |y| {
                left = Some(y.clone());
                Ok(y.square())
            })?;
            (left.unwrap() * &x).sum()
        })?;
        Ok(())
    };
    assert!(message(&of_inner_derivative).contains("outside of the `jvp`"));
    // Where no derivative along directions is asked for, it is an array like others.
    let mut left = None;
    jvp(&y, &dy, |y| {
        left = Some(y.clone());
        Ok(y.square())
    })?;
    let left = left.unwrap();
    assert_eq!(host(&left.square().sum()?.gradient(&left)?), [4.0]);

    let of_checkpoint = || -> Result<()> {
        let left = Rc::new(Cell::new(None));
        let (x, leaves) = (variable(&x), left.clone());
        let result = checkpoint([&x], move |[x]| {
            let square = x.square().keep()?;
            leaves.set(Some(square.clone()));
            square.sin().sum()
        })?;
        result.gradient((&x, &left.take().unwrap()))?;
        Ok(())
    };
    assert!(message(&of_checkpoint).contains("`checkpoint`"));
    Ok(())
}
