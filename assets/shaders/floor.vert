#version 330 core
#include "frame.glsl"

out vec2 ground;

// A square on z = 0 that reaches to where the floor has become the horizon.
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    ground = fade.xy + corner * fade.w;
    gl_Position = view_projection * vec4(ground, 0.0, 1.0);
}
