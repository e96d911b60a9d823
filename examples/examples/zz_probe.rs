use gpu_runtime::prelude::*;
const SCALE: f32 = 2.0;
mod math {
    use gpu_runtime::prelude::*;
    #[gpu_device]
    pub fn horner(x: f32, c: &[f32]) -> f32 {
        let mut sum = 0.0;
        for i in (0..c.len()).rev() { sum = sum * x + c[i]; }
        sum
    }
    #[gpu_device]
    pub fn sort3(a: &mut [i32]) { if a[0] > a[1] { let t = a[0]; a[0] = a[1]; a[1] = t; } }
}
#[gpu_kernel]
fn poly(x: &[f32], c: &[f32], out: &mut [f32]) {
    const HALF: f32 = 0.5;
    let i = grid_1d();
    if i >= out.len() { return; }
    let mut best = [0i32; 3];
    let (a, mut b): (f32, u32) = (1.5, 3);
    let found = 'search: loop {
        for k in (0..10).step_by(2) { if k == 4 { break 'search k; } }
        b -= 1;
        if b == 0 { break 0; }
    };
    best[1] = found; math::sort3(&mut best);
    let y = if best[1] == 4 { SCALE } else { HALF };
    out[i] = math::horner(x[i], c) * y + a * f32::EPSILON;
}
#[gpu_kernel]
fn scatter(x: &[f32], to: &[u32], out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() { out[to[i] as usize] = x[i]; }
}
#[gpu_kernel]
fn stencil(x: &mut [f32]) {
    let i = grid_1d();
    if i + 1 < x.len() { x[i] = x[i + 1]; }
}
fn main() -> gpu_runtime::Result<()> {
    println!("{}", poly::cuda_source());
    let d = Device::cpu();
    let x = d.to_device(&[1.0f32, 2.0])?;
    let c = d.to_device(&[1.0f32, 2.0])?;
    let mut out = d.zeros(2)?;
    poly(&x, &c, &mut out).forall(2)?;
    println!("{:?}", out.to_host()?);
    let to = d.to_device(&[1u32, 7])?;
    unsafe { scatter(&x, &to, &mut out).launch(1, 2)? };
    println!("{}", d.synchronize().unwrap_err());
    poly(&x, &c, &mut out).launch((2,2), 2).map_err(|e| println!("{e}")).ok();
    unsafe { stencil(&mut out).launch(1, 2)? };
    println!("{}", poly::ptx("sm_90").map(|p| p.len().to_string()).unwrap_or_else(|e| e.to_string()));
    Ok(())
}
