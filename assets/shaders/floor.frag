#version 330 core
#include "frame.glsl"
#include "shadow.glsl"

in vec2 ground;
out vec4 pixel;

// How much of a pixel the lines x = k spacing and y = k spacing cover; lines closer than a few pixels fade away.
float lines(vec2 at, vec2 footprint, float spacing, float width) {
    vec2 spread = footprint / spacing;
    vec2 pixels = abs(fract(at / spacing - 0.5) - 0.5) / spread;
    vec2 cover = clamp(0.5 * width + 0.5 - pixels, 0.0, 1.0) * smoothstep(0.35, 0.1, spread);
    return max(cover.x, cover.y);
}

float ring_cover() {
    float outward = distance(ground, ring.xy);
    float pixels = abs(outward - ring.z) / max(length(vec2(dFdx(outward), dFdy(outward))), 1e-6);
    return clamp(0.5 * ring.w + 0.5 - pixels, 0.0, 1.0) * step(0.5, ring.w);
}

void main() {
    vec2 footprint = vec2(length(vec2(dFdx(ground.x), dFdy(ground.x))), length(vec2(dFdx(ground.y), dFdy(ground.y))));
    float middle_width = mix(grid_major.w, grid_minor.w, grid.y);
    vec3 middle_color = mix(grid_major.rgb, grid_minor.rgb, grid.y);

    vec3 c = floor_color.rgb;
    c = mix(c, grid_minor.rgb, lines(ground, footprint, grid.x, grid_minor.w) * (1.0 - grid.y));
    c = mix(c, middle_color, lines(ground, footprint, 10.0 * grid.x, middle_width));
    c = mix(c, grid_major.rgb, lines(ground, footprint, 100.0 * grid.x, grid_major.w));
#if TAPS >= 0
    c *= mix(floor_color.w, 1.0, key_light_at(in_shadow_map(vec3(ground, 0.0))));
#endif
    c = mix(c, ring_color.rgb, ring_cover());
    c = mix(c, horizon.rgb, smoothstep(fade.z, fade.w, distance(ground, fade.xy)));
    pixel = vec4(srgb(c), 1.0);
}
