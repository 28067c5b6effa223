#version 330 core
#include "frame.glsl"

uniform float behind;   // 1 where something is in front

in vec2 at;
flat in vec4 mark_ends;
flat in vec4 mark_depths;
flat in vec4 mark_widths;
flat in vec4 mark_fill;
flat in vec4 mark_edge;
out vec4 pixel;

const float ARROW = 1.0, QUARTERED = 2.0;

// Pixels outside of an arrowhead with its tip at the second point and half as wide as `radius` at the first.
float arrow_distance(vec2 p, vec2 base, vec2 tip, float radius) {
    vec2 along = normalize(tip - base);
    vec2 q = vec2(dot(p - base, along), abs(dot(p - base, vec2(-along.y, along.x))));
    vec2 side = normalize(vec2(radius, length(tip - base)));
    return max(dot(q - vec2(0.0, radius), side), -q.x);
}

// Distances in pixels to a segment with round ends (a disc if its ends coincide) or to an arrowhead.
void main() {
    vec2 a = mark_ends.xy, b = mark_ends.zw, span = b - a;
    float opacity = mix(1.0, mark_widths.w, behind);
    float radius = mark_widths.x, outline = mark_widths.y, halo = mark_widths.z;
    float part = clamp(dot(at - a, span) / max(dot(span, span), 1e-6), 0.0, 1.0);
    float from_middle = distance(at, a + part * span);
    float outside = mark_depths.w == ARROW ? arrow_distance(at, a, b, radius) : from_middle - radius;

    float inner = clamp(0.5 - outside, 0.0, 1.0);
    float outer = clamp(0.5 + outline - outside, 0.0, 1.0);
    float glow = halo > 0.0 ? 0.45 * clamp(1.0 - (outside - outline) / halo, 0.0, 1.0) : 0.0;
    float edge_part = outer * mark_edge.a;
    vec4 c = vec4(mark_fill.rgb, glow);
    c = vec4(mix(c.rgb, mark_edge.rgb, edge_part), max(c.a, edge_part));
    bool dark_quarter = mark_depths.w == QUARTERED && (at.x - a.x) * (at.y - a.y) < 0.0;
    vec3 inside = dark_quarter ? mark_edge.rgb : mark_fill.rgb;
    c = vec4(mix(c.rgb, inside, inner), max(c.a, inner * mark_fill.a));
    if (c.a * opacity < 0.002) discard;

    float bulge = sqrt(max(1.0 - from_middle * from_middle / (radius * radius), 0.0));
    gl_FragDepth = clamp(mix(mark_depths.x, mark_depths.y, part) - mark_depths.z * bulge, 0.0, 1.0);
    pixel = vec4(c.rgb, c.a * opacity);
}
