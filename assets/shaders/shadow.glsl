// Percentage-closer filtering by lookups that are each the mean of 2 × 2 texels. TAPS 0: one of them. 1: two, half a
// texel to both sides of the point, which is 3 × 3 texels but for two corners. 2: 3 × 3 of them, two texels apart.
uniform sampler2DShadow shadow_map;

vec3 in_shadow_map(vec3 position) {
    return (shadow_matrix * vec4(position, 1.0)).xyz;
}

float lookup(vec3 at, vec2 texels) {
    return texture(shadow_map, vec3(at.xy + texels * screen.w, at.z));
}

// Part of the key light that reaches a point of the shadow map, 0 to 1.
float key_light_at(vec3 at) {
#if TAPS == 0
    return lookup(at, vec2(0.0));
#elif TAPS == 1
    return 0.5 * (lookup(at, vec2(-0.5)) + lookup(at, vec2(0.5)));
#else
    float light = 0.0;
    for (int i = -1; i <= 1; ++i)
        for (int j = -1; j <= 1; ++j)
            light += lookup(at, 2.0 * vec2(i, j));
    return light / 9.0;
#endif
}
