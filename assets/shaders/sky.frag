#version 330 core
#include "frame.glsl"

in vec3 direction;
out vec4 pixel;

void main() {
    float elevation = asin(clamp(normalize(direction).z, -1.0, 1.0));
    pixel = vec4(srgb(mix(horizon.rgb, sky.rgb, smoothstep(0.0, sky.w, elevation))), 1.0);
}
