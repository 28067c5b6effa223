#version 330 core
#include "frame.glsl"
#include "instance.glsl"

void main() {
    vec3 at = (shadow_matrix * vec4(world_position(), 1.0)).xyz;
    gl_Position = vec4(2.0 * at - 1.0, 1.0);
}
