#version 330 core
#include "frame.glsl"
#include "instance.glsl"

uniform vec2 grown;   // body, and by how much it grows on all sides [m]

// The same solid, larger by the width of a line: its far side shows around the body as an outline.
void main() {
    vec3 outward = vertex.w == 0.0 ? vertex.xyz : normal;
    vec3 local = vertex.xyz * size.xyz + vec3(0.0, 0.0, vertex.w * size.w) + grown.y * outward;
    bool mine = color.w == grown.x;
    gl_Position = mine ? view_projection * vec4(placed(vec4(local, 1.0)), 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}
