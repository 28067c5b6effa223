#version 330 core
#include "frame.glsl"
layout(location = 0) in vec4 ends;      // two points [px]
layout(location = 1) in vec4 depths;    // of the two points, of a sphere's front before its centre; w: kind
layout(location = 2) in vec4 widths;    // radius, outline, halo [px], opacity where hidden
layout(location = 3) in vec4 fill;      // sRGB, opacity
layout(location = 4) in vec4 edge;      // sRGB, opacity

out vec2 at;                            // [px]
flat out vec4 mark_ends;
flat out vec4 mark_depths;
flat out vec4 mark_widths;
flat out vec4 mark_fill;
flat out vec4 mark_edge;

void main() {
    vec2 span = ends.zw - ends.xy;
    float reach = length(span);
    vec2 along = reach > 1e-3 ? span / reach : vec2(1.0, 0.0);
    vec2 across = vec2(-along.y, along.x);
    float margin = widths.x + widths.y + widths.z + 1.0;
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    vec2 end = corner.x < 0.0 ? ends.xy : ends.zw;
    at = end + margin * (corner.x * along + corner.y * across);

    mark_ends = ends;
    mark_depths = depths;
    mark_widths = widths;
    mark_fill = fill;
    mark_edge = edge;
    gl_Position = vec4(2.0 * at / screen.xy - 1.0, 0.0, 1.0);
}
