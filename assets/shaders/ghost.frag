#version 330 core
#include "frame.glsl"

uniform vec4 tint;   // linear; w: opacity

in vec3 world;
in vec3 facing;
out vec4 pixel;

// Form without shadows: brighter towards the eye.
void main() {
    float toward = max(dot(normalize(facing), toward_eye(world)), 0.0);
    pixel = vec4(srgb(tint.rgb * mix(0.45, 1.1, toward)), tint.w);
}
