// Percentage-closer filtering over (2 TAPS + 1)² bilinear lookups.
uniform sampler2DShadow shadow_map;

const float SPACING = 1.5;   // texels between lookups

// Part of the key light that reaches a point, 0 to 1. Where nothing can cast a shadow the loop has no turns: software
// drivers skip that for whole groups of pixels, but not the branches of an if.
float key_light_at(vec3 position) {
    vec3 at = (shadow_matrix * vec4(position, 1.0)).xyz;
    bool clear = any(lessThan(at.xy, casters.xy)) || any(greaterThan(at.xy, casters.zw));
    float light = 0.0;
    for (int i = clear ? TAPS + 1 : -TAPS; i <= TAPS; ++i)
        for (int j = -TAPS; j <= TAPS; ++j)
            light += texture(shadow_map, vec3(at.xy + vec2(i, j) * SPACING * screen.w, at.z));
    return clear ? 1.0 : light / float((2 * TAPS + 1) * (2 * TAPS + 1));
}
