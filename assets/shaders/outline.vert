#version 330 core
#include "frame.glsl"
#include "instance.glsl"

uniform float chosen;   // the body to outline
uniform float grow;     // [m]

// A solid of the chosen body enlarged on all sides; its far side shows as a rim around the solid itself.
void main() {
    if (color.w != chosen) {
        gl_Position = vec4(0.0, 0.0, 2.0, 1.0);  // beyond the far plane
        return;
    }
    bool corner = all(equal(abs(vertex.xyz), vec3(1.0)));  // of a box: faces move apart together
    vec3 outward = placed(vec4(corner ? vertex.xyz : normalize(normal / size.xyz), 0.0));
    gl_Position = view_projection * vec4(world_position() + grow * outward, 1.0);
}
