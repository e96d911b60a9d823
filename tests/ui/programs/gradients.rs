//! Functions with `grad`: what has no derivative, and what is not supported.

use gpu_runtime::prelude::*;

/// What becomes an integer has no derivative.
mod casts {
    use super::*;

    #[gpu_device(grad)]
    fn to_integer(x: f64) -> f64 {
        let cell = x as i32; //~
        x * cell as f64
    }

    #[gpu_device(grad)]
    fn to_index(x: f64) -> f64 {
        let table = [1.0, 2.0, 3.0];
        table[x as usize] * x //~
    }

    #[gpu_device(grad)]
    fn to_single(x: f64) -> f64 {
        (x as f32).sqrt() as f64 //~
    }

    #[gpu_device(grad)]
    fn to_bits(x: f64) -> f64 {
        f64::from_bits(x.to_bits() + 1) //~
    }
}

/// Methods whose derivative is zero, or does not exist.
mod methods {
    use super::*;

    #[gpu_device(grad)]
    fn steps(x: f64) -> f64 {
        x.floor() //~
    }

    #[gpu_device(grad)]
    fn rounding(x: f64) -> f64 {
        let scaled = 4.0 * x;
        0.25 * scaled.round() //~
    }

    #[vectorize(grad)]
    fn sign(x: f32) -> f32 {
        x.signum() * x //~
    }

    #[gpu_device(grad)]
    fn both(x: f64) -> f64 {
        let (sine, cosine) = x.sin_cos(); //~
        sine * cosine
    }

    #[gpu_device(grad)]
    fn ordered(x: f64, y: f64) -> f64 {
        match x.total_cmp(&y) { //~
            std::cmp::Ordering::Less => x,
            _ => y,
        }
    }

    #[gpu_device(grad)]
    fn numbers_as_functions(x: f64) -> f64 {
        f64::floor(x) //~
    }

    #[gpu_device(grad)]
    fn clamped_by_variables(x: f64, n: i32, most: i32) -> f64 {
        x * n.clamp(-most, most) as f64 //~
    }

    /// With a number, it is known to be of integers.
    #[gpu_device(grad)]
    fn clamped_integer(x: f64, n: i32) -> f64 {
        x * n.clamp(0, 3) as f64
    }
}

/// What is called has a derivative too.
mod calls {
    use super::*;

    #[gpu_device]
    fn without(x: f64) -> f64 {
        x * x
    }

    #[gpu_device(grad)]
    fn caller(x: f64) -> f64 {
        without(x) + 1.0 //~
    }

    #[gpu_device(grad)]
    fn square(x: f64) -> f64 {
        x * x
    }

    #[gpu_device(grad)]
    fn derivative_of_a_derivative(x: f64) -> f64 {
        square::grad(x) //~
    }

    #[gpu_device(grad)]
    fn prints(x: f64) -> f64 {
        println!("{}", x); //~
        x
    }
}

/// What a function takes and returns.
mod signatures {
    use super::*;

    #[gpu_device(grad)]
    fn integer_result(x: f64) -> i32 { //~
        if x > 0.0 { 1 } else { 0 }
    }

    #[gpu_device(grad)]
    fn no_result(_x: f64) {} //~

    #[gpu_device(grad)]
    fn no_float(n: u32) -> f64 { //~
        n as f64
    }

    #[gpu_device(grad)]
    fn two_precisions(x: f64, y: f32) -> f64 { //~
        x + y as f64
    }

    #[gpu_device(grad)]
    fn changed(x: &mut f64) -> f64 { //~
        *x += 1.0;
        *x
    }

    #[gpu_device(grad)]
    fn slice(x: &[f64]) -> f64 { //~
        x[0]
    }

    #[gpu_device(grad)]
    fn long_array(x: [f64; 100]) -> f64 { //~
        x[0]
    }

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Point {
        x: f64,
        y: f64,
    }

    #[gpu_device(grad)]
    fn of_integers(p: (u32, i32)) -> (u32, i32) { //~
        (p.0 + 1, p.1)
    }

    #[gpu_device(grad)]
    fn references(v: &[Point]) -> Point { //~
        v[0]
    }

    #[gpu_device(grad)]
    fn generic<T: Float>(x: T) -> T { //~
        x * x
    }

    #[gpu_device(grad)]
    impl Point { //~
        fn norm(self) -> f64 {
            self.x.hypot(self.y)
        }
    }
}

/// Of other attributes, and with other arguments.
mod attributes {
    use super::*;

    #[reduce(grad)] //~
    fn sum(a: f64, b: f64) -> f64 {
        a + b
    }

    #[vectorize(gradient)] //~
    fn misspelled(x: f64) -> f64 {
        x * x
    }
}

/// Items of the body, constants and patterns.
mod bodies {
    use super::*;

    const LIMIT: f64 = 0.5;

    #[gpu_device(grad)]
    fn constant_inside(x: f64) -> f64 {
        const HALF: f64 = 0.5; //~
        x * HALF
    }

    #[gpu_device(grad)]
    fn constant_argument(x: f64) -> f64 {
        x.max(std::f32::consts::PI as f64) + x.max(LIMIT) //~
    }

    /// So it is a float.
    #[gpu_device(grad)]
    fn constant_with_its_type(x: f64) -> f64 {
        let limit: f64 = LIMIT;
        x.max(limit)
    }

    #[gpu_device(grad)]
    fn matched(x: f64) -> f64 {
        match x {
            0.0 => 1.0, //~
            _ => x,
        }
    }

    #[gpu_device(grad)]
    fn negated(x: f64, n: i32) -> f64 {
        x * -n as f64 //~
    }
}

fn main() {}
