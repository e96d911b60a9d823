/// One step of particles that fall, bounce and age.
#[gpu_kernel]
pub fn move_particles(particles: &mut [Particle], gravity: f32, damping: f32, dt: f32, oldest: u32) {
    let i = grid_1d();
    if i < particles.len() {
        let mut particle = particles[i];
        if !particle.alive {
            return;
        }
        particle.velocity[1] -= gravity * dt;
        for axis in 0..3 {
            particle.position[axis] += particle.velocity[axis] * dt;
        }
        if particle.position[1] < 0.0 {
            particle.position[1] = -particle.position[1];
            particle.velocity[1] = -particle.velocity[1] * damping;
        }
        particle.age += 1;
        if particle.age > oldest {
            particle.alive = false;
        }
        particles[i] = particle;
    }
}
