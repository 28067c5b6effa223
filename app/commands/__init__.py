"""Headless commands. A module of the table has `add_arguments(parser)` and `run(args) -> exit code`."""

# name -> (module, what it does)
COMMANDS = {
    "scenes": ("app.commands.scenes", "list the built-in scenes"),
    "run": ("app.commands.run", "simulate without a screen; summary, JSON and logs"),
    "replay": ("app.commands.replay", "take a run again that the window has saved, to the bit"),
    "compare": ("app.commands.compare", "run a scene on several engines in lockstep; table, HTML, CSV, JSON"),
    "analyse": ("app.commands.analyse", "poses, Jacobian, M, C, g and bounds of a robot in one state"),
    "ik": ("app.commands.ik", "joint coordinates that bring a robot's tool to a place, or along a line"),
    "identify": ("app.commands.identify", "masses, tensors and friction of a robot from its motion and torques"),
    "derive": ("app.commands.derive", "equations of motion of a small robot in symbols, as text or LaTeX"),
    "record": ("app.commands.record", "make a video, GIF or picture without a screen"),
    "gallery": ("app.commands.gallery", "draw pictures of all scenes and short films into a folder"),
    "warmup": ("app.commands.warmup", "compile the kernels of the default scene"),
}
WINDOW = "app.commands.window"
