// A vertex of a unit mesh on an instance; see app/render/mesh.py for the sizes.
layout(location = 0) in vec4 vertex;   // w: the end of a cylinder or capsule
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 row_x;    // [R | p] of the instance
layout(location = 3) in vec4 row_y;
layout(location = 4) in vec4 row_z;
layout(location = 5) in vec4 size;
layout(location = 6) in vec4 color;    // w: body that it lights up with

vec3 placed(vec4 local) {
    return vec3(dot(row_x, local), dot(row_y, local), dot(row_z, local));
}

vec3 world_position() {
    return placed(vec4(vertex.xyz * size.xyz + vec3(0.0, 0.0, vertex.w * size.w), 1.0));
}

vec3 world_normal() {
    return placed(vec4(normal / size.xyz, 0.0));
}
