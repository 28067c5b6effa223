"""Drawing the world with OpenGL 3.3, without Qt.

`platform` sets PyOpenGL's switches, which count only before OpenGL.GL is imported; as part of the package's own
import it always comes first.
"""

import app.render.platform  # noqa: F401
