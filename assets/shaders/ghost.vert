#version 330 core
#include "frame.glsl"
#include "instance.glsl"

out vec3 world;
out vec3 facing;

void main() {
    world = world_position();
    facing = world_normal();
    gl_Position = view_projection * vec4(world, 1.0);
}
