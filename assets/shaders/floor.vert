#version 330 core
#include "frame.glsl"

out vec2 ground;

// A square on z = 0 that reaches to where the floor has become the horizon: the patch that shadows can fall on, four
// vertices, and with TAPS < 0 the frame around it, ten.
void main() {
#if TAPS < 0
    int corner = gl_VertexID >> 1;
    bvec2 high = bvec2(corner == 1 || corner == 2, corner == 2 || corner == 3);
    bool outside = (gl_VertexID & 1) == 0;
#else
    bvec2 high = bvec2((gl_VertexID & 1) == 1, gl_VertexID >= 2);
    bool outside = false;
#endif
    vec2 inner = vec2(high.x ? patch_box.z : patch_box.x, high.y ? patch_box.w : patch_box.y);
    ground = outside ? fade.xy + (vec2(high) * 2.0 - 1.0) * fade.w : inner;
    gl_Position = view_projection * vec4(ground, 0.0, 1.0);
}
