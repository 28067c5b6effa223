#version 330 core

uniform vec3 ink;       // sRGB
out vec4 pixel;

void main() {
    pixel = vec4(ink, 1.0);
}
