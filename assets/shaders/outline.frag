#version 330 core

uniform vec3 line;   // sRGB
out vec4 pixel;

void main() {
    pixel = vec4(line, 1.0);
}
