/// What all bodies do to each one, and its next position.
#[gpu_kernel]
pub fn attract(bodies: &[Body], velocities: &mut [[f32; 3]], dt: f32, softening: f32) {
    let i = grid_1d();
    if i >= bodies.len() || i >= velocities.len() {
        return;
    }
    let me = bodies[i];
    let (mut ax, mut ay, mut az) = (0.0f32, 0.0f32, 0.0f32);
    for j in 0..bodies.len() {
        let other = bodies[j];
        let dx = other.x - me.x;
        let dy = other.y - me.y;
        let dz = other.z - me.z;
        let squared = dx * dx + dy * dy + dz * dz + softening;
        let inverse = 1.0 / squared.sqrt();
        let pull = other.mass * inverse * inverse * inverse;
        ax += dx * pull;
        ay += dy * pull;
        az += dz * pull;
    }
    velocities[i][0] += ax * dt;
    velocities[i][1] += ay * dt;
    velocities[i][2] += az * dt;
}
