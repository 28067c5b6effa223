#version 330 core
#include "frame.glsl"
#include "shadow.glsl"

in vec3 world;
in vec3 facing;
flat in vec3 albedo;
out vec4 pixel;

// x to the power of 48, the exponent of the highlights.
float shine_of(float x) {
    x *= x;
    x *= x;
    x *= x;
    x *= x;
    return x * x * x;
}

// Hemisphere + headlight + key light with Blinn–Phong, all in linear light.
void main() {
    vec3 N = normalize(facing);
    vec3 L = key_direction.xyz;
    vec3 V = toward_eye(world);
    float facing_light = dot(N, L);
    float lit = mix(1.0 - gloss.z, 1.0, key_light_at(in_shadow_map(world + N * key_direction.w)));
    lit *= step(0.0, facing_light);
    float shine = shine_of(max(dot(N, normalize(L + V)), 0.0)) * gloss.y;
    vec3 light = mix(ground_light.rgb, sky_light.rgb, 0.5 + 0.5 * N.z)
               + vec3(gloss.x * max(dot(N, V), 0.0))
               + key_light.rgb * lit * max(facing_light, 0.0);
    pixel = vec4(srgb(albedo * light + key_light.rgb * lit * shine), 1.0);
}
