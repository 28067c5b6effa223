#version 330 core
#include "frame.glsl"

out vec3 direction;

// The picture above the horizon, behind everything; below it there is the horizon's colour alone.
void main() {
    float level = -forward.z / max(up.z, 1e-6);
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    if (corner.y < 0.0) corner.y = clamp(level, -1.0, 1.0);
    direction = forward.xyz + corner.x * right.xyz + corner.y * up.xyz;
    gl_Position = vec4(corner, 1.0, 1.0);
}
