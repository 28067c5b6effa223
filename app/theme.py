"""Every colour and size of the program; nothing else in app/ contains a hex colour. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

Rgb = tuple[float, float, float]

AMBER = "#FFB000"
INK = "#1B1F27"


@dataclass(frozen=True)
class Theme:
    """Colours as "#RRGGBB" in sRGB."""

    name: str
    # --- panels ---
    window: str  # behind docks
    panel: str  # docks, cards
    plot: str  # background of plots
    border: str  # 1 px dividers
    outline: str  # of fields, at least 3:1 on the panel
    hover: str
    select: str  # selected row or scene, with a bar of accent colour at its left
    text: str
    muted: str  # units, captions
    accent: str  # switch on, slider fill, focus ring
    on_accent: str
    ok: str
    warn: str
    error: str
    curves: tuple[str, ...]  # plots, Control rows, Inspector and the joints in the viewport
    # --- viewport ---
    sky: str
    horizon: str
    floor: str
    grid: str
    grid_major: str
    link: str
    link2: str
    base: str
    constraint_force: str
    ghosts: tuple[str, ...]  # engines beside the leading one in the order of sim.lane_names.LANES
    target: str = AMBER
    target_outline: str = INK
    spring: str = AMBER
    velocity: str = "#009E73"
    force: str = "#D55E00"
    axes: tuple[str, str, str] = ("#C8434F", "#3E9142", "#3B6FD4")
    center_light: str = "#FFFFFF"  # quarters of the sign for a centre of mass; the others are `target_outline`

    @property
    def depth_line(self) -> str:
        """Line and ring under a dragged target: no amber, so that the ball alone marks where it is."""
        return self.muted

    @property
    def trail(self) -> str:
        return self.accent

    @property
    def halo(self) -> str:
        """Around arrows and letters over the scene, so that they stand out from what is behind them."""
        return self.plot

    def curve(self, i: int) -> str:
        """Colour of joint or curve i; after the last the first comes again, dashed (see `dash`)."""
        return self.curves[i % len(self.curves)]

    def shape_color(self, color: str) -> str:
        """A token that scene files may name (link, link2, base), or the hex colour they give."""
        return {"link": self.link, "link2": self.link2, "base": self.base}.get(color, color)


LIGHT = Theme(
    name="light",
    window="#F4F5F7",
    panel="#FFFFFF",
    plot="#FFFFFF",
    border="#D5DAE1",
    outline="#8A94A3",
    hover="#E9EDF3",
    select="#DCEAFB",
    text=INK,
    muted="#5A6472",
    accent="#0B66C3",
    on_accent="#FFFFFF",
    ok="#1A7F4B",
    warn="#8F5400",
    error="#C0271B",
    curves=("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#1B1F27", "#5C2D91"),
    sky="#C4D3E3",
    horizon="#F3F6F9",
    floor="#E4E9EF",
    grid="#CDD5DE",
    grid_major="#A9B5C2",
    link="#5F6B7A",
    link2="#8B97A6",
    base="#3A424D",
    constraint_force="#5C2D91",
    ghosts=("#CC79A7", "#5C2D91", "#007A6C", "#D55E00"),
)

DARK = Theme(
    name="dark",
    window="#15181D",
    panel="#1D2127",
    plot="#15181D",
    border="#343B46",
    outline="#6B7686",
    hover="#272C34",
    select="#1F3A5C",
    text="#E6E9EE",
    muted="#9AA4B2",
    accent="#5AA9FF",
    on_accent="#0B1220",
    ok="#4CC38A",
    warn="#F2B84B",
    error="#FF7B72",
    curves=("#56B4E9", "#E8743B", "#12A37A", "#F2A0B9", "#F3E75B", "#F2F4F7"),
    sky="#14171C",
    horizon="#2B323B",
    floor="#20262D",
    grid="#2E363F",
    grid_major="#47515D",
    link="#AEB8C4",
    link2="#C9D1DB",
    base="#5F6B7A",
    constraint_force="#B9A2F2",
    ghosts=("#F3E75B", "#B9A2F2", "#12A37A", "#E8743B"),
)

THEMES = {theme.name: theme for theme in (LIGHT, DARK)}

# --- plots: which curve stands for what ---------------------------------------------------------------
DASHES = ((), (6, 3), (2, 2))  # curves 1–6, 7–12, 13–18
CAUSE_CURVES = {"gravity": 0, "coriolis": 3, "inertia": 5, "friction": 4, "controller": 1, "controller2": 2}
ENERGY_CURVES = {"kinetic": 0, "potential": 1, "drift": 5}  # the total has the text colour, 2 px

# --- light of the viewport (linear) -------------------------------------------------------------------
KEY_DIRECTION = (0.35, -0.45, 0.82)  # towards the light, not normalised
KEY_COLOR, KEY_STRENGTH = "#FFF6EA", 0.80
SKY_LIGHT, GROUND_LIGHT, HEMISPHERE_STRENGTH = "#DCE6F2", "#8C857C", 0.42
HEADLIGHT = 0.12
SPECULAR = 0.18  # Blinn–Phong; the exponent 48 is written out in solid.frag
BODY_SHADOW = 0.6  # part of the key light that a shadow takes from a body
FLOOR_SHADOW = 0.58  # what is left of the floor's colour in a shadow
SKY_BLEND = 40.0  # degrees of elevation from the horizon's to the sky's colour
FLOOR_FADE = (2.5, 7.0)  # scene radii between which the floor becomes the horizon
GRID_STEPS = (0.01, 0.1, 1.0, 10.0)  # [m]
GRID_WIDTHS = (1.0, 1.5)  # [px]
TARGET_RADIUS = 0.06  # scene radii
TARGET_REACH = 1.4  # of its radius, that a target reaches towards the eye: a tool as thick as it does not speckle it
TARGET_OUTLINE = 2.0  # [px]
OUTLINE_WIDTH = 3.0  # [px] of the selected body
HANDLE_LENGTH = 56.0  # [px] of a target's axes, beyond its rim
HANDLE_TOLERANCE = 7.0  # [px] beside them
CLICK_TOLERANCE = 4.0  # [px] that a press may move and still be a click
HIDDEN_OPACITY = 0.35
OVERLAY_HIDDEN_OPACITY = 0.75  # of frames, arrows and trails: they are about what is inside
GHOST_OPACITY = 0.35
JOINT_RADIUS = 1.3  # of the link's radius
GRAB_TOLERANCE = 8.0  # [px] beyond the target's rim
VIEW_EASING = 0.18  # [s]

# --- type and space -----------------------------------------------------------------------------------
FONT_FAMILIES = ("Inter", "SF Pro Text", "Segoe UI", "Noto Sans", "DejaVu Sans")
BODY_PT, CAPTION_PT, TITLE_PT = 10, 9, 12
GRID_PX = 4
PADDING, CONTROL_GAP, SECTION_GAP = 12, 8, 16
ROW_HEIGHT, TOOLBAR_HEIGHT, TIMELINE_HEIGHT, STATUS_HEIGHT = 28, 40, 36, 22
CORNER_RADIUS, ICON_SIZE, FOCUS_RING, ACCENT_BAR = 6, 20, 2, 3
ROW_INSET = 4  # [px] that the ground of a row reaches beyond its text
GAIN_NAME_WIDTH, GAIN_SLIDER_WIDTH, GAIN_NUMBER_WIDTH, GAIN_UNIT_WIDTH = 96, 110, 72, 44
PLOT_WINDOW = 10.0  # [s] what plots show
FIELD_GAP = 6  # [px] between a field, its name and its unit
CURVE_NAME_WIDTH = 108  # of a name beside a curve
PILL_HEIGHT, PILL_INSET, LOW_VIEW = 36, 16, 360  # [px] the hint at the bottom; a lower view has it in its corner
FOLD_HANDLE, FOLD_SIGN = (44, 16), 14  # [px] at the edges of the view: long and short side, chevron
THUMBNAIL_SIZE = (152, 76)
LEFT_DOCK, RIGHT_DOCK, BOTTOM_DOCK = 184, 280, 180
WINDOW_SIZE, WINDOW_SCREEN_PART, WINDOW_MINIMUM = (1440, 900), 0.9, (960, 600)


def dash(i: int) -> tuple[int, ...]:
    """Pen pattern of curve i; () is a full line."""
    return DASHES[min(i // len(LIGHT.curves), len(DASHES) - 1)]


def rgb(color: str) -> Rgb:
    """sRGB parts of "#RRGGBB", 0 to 1."""
    return int(color[1:3], 16) / 255, int(color[3:5], 16) / 255, int(color[5:7], 16) / 255


def linear(color: str) -> Rgb:
    """The light that "#RRGGBB" stands for (IEC 61966-2-1), 0 to 1."""
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb(color))
    return r, g, b
