// What every pass of a frame knows; filled by app/render/frame.py in the same order.
layout(std140) uniform Frame {
    mat4 view_projection;
    mat4 shadow_matrix;   // world to shadow map, 0 to 1
    vec4 eye;             // w: 1 perspective, 0 orthographic
    vec4 forward;
    vec4 right;           // times the tangent of half the horizontal field of view
    vec4 up;              // times the tangent of half the vertical one
    vec4 key_direction;   // towards the light; w: how far shadow lookups stand off the surface [m]
    vec4 key_light;       // rgb
    vec4 sky_light;       // rgb
    vec4 ground_light;    // rgb
    vec4 gloss;           // headlight, highlights, shadow on bodies
    vec4 sky;             // rgb; w: elevation from which on it is this [rad]
    vec4 horizon;         // rgb
    vec4 floor_color;     // rgb; w: what is left of it in a shadow
    vec4 grid_minor;      // rgb; w: line width [px]
    vec4 grid_major;      // rgb; w: line width [px]
    vec4 grid;            // finest step [m], how far its lines have faded out
    vec4 fade;            // centre x, y, radii between which the floor becomes the horizon
    vec4 ring;            // centre x, y, radius, line width [px] or 0
    vec4 ring_color;      // rgb
    vec4 patch_box;       // x, y low and high of the floor that shadows can fall on
    vec4 screen;          // width, height [px], body under the cursor, texel of the shadow map
};

// Linear light to sRGB, IEC 61966-2-1. Roots for the power 1/2.4, which costs software drivers several times as much:
// within 0.1 of a step of 255.
vec3 srgb(vec3 c) {
    c = clamp(c, 0.0, 1.0);
    vec3 root = sqrt(c);
    vec3 upper = 0.833534 * root + 0.298286 * sqrt(root) - 0.055242 * c - 0.076939;
    return mix(upper, 12.92 * c, lessThanEqual(c, vec3(0.0031308)));
}

// From the surface to the eye.
vec3 toward_eye(vec3 position) {
    return eye.w > 0.5 ? normalize(eye.xyz - position) : -forward.xyz;
}
