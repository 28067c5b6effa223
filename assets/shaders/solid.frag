#version 330 core
#include "frame.glsl"
#include "shadow.glsl"

in vec3 world;
in vec3 facing;
flat in vec3 albedo;
out vec4 pixel;

// Hemisphere + headlight + key light with Blinn–Phong, all in linear light.
void main() {
    vec3 N = normalize(facing);
    vec3 L = key_direction.xyz;
    vec3 V = toward_eye(world);
    float facing_light = dot(N, L);
    float lit = 0.0;
    if (facing_light > 0.0) lit = mix(1.0 - gloss.w, 1.0, key_light_at(world + N * key_direction.w));
    float shine = pow(max(dot(N, normalize(L + V)), 0.0), gloss.z) * gloss.y;
    vec3 light = mix(ground_light.rgb, sky_light.rgb, 0.5 + 0.5 * N.z)
               + vec3(gloss.x * max(dot(N, V), 0.0))
               + key_light.rgb * lit * max(facing_light, 0.0);
    pixel = vec4(srgb(albedo * light + key_light.rgb * lit * shine), 1.0);
}
