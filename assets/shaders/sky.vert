#version 330 core
#include "frame.glsl"

out vec3 direction;

// One triangle over the whole picture, behind everything.
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;
    direction = forward.xyz + corner.x * right.xyz + corner.y * up.xyz;
    gl_Position = vec4(corner, 1.0, 1.0);
}
