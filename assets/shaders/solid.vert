#version 330 core
#include "frame.glsl"
#include "instance.glsl"

out vec3 world;
out vec3 facing;
flat out vec3 albedo;

void main() {
    world = world_position();
    facing = world_normal();
    bool hovered = color.w == screen.z;
    albedo = hovered ? mix(color.rgb, vec3(1.0), 0.16) : color.rgb;
    gl_Position = view_projection * vec4(world, 1.0);
}
