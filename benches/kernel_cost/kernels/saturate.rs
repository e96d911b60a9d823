/// Scales a signal, bends what is too loud, and counts nothing.
#[gpu_kernel]
pub fn saturate(x: &[f32], gain: f32, limit: f32, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let scaled = x[i] * gain;
        let bent = if scaled > limit {
            limit + (scaled - limit).tanh() * 0.25
        } else if scaled < -limit {
            -limit + (scaled + limit).tanh() * 0.25
        } else {
            scaled
        };
        out[i] = mix(scaled, bent, 0.75);
    }
}
