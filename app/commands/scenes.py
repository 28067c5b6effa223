"""List the built-in scenes."""

from __future__ import annotations

import argparse
import json

EXAMPLES = "examples:\n  main.py scenes\n  main.py scenes --json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--json", action="store_true", help="print a JSON list of name, title, summary, group and variants"
    )


def run(args: argparse.Namespace) -> int:
    from sim.files import builtin_names, load

    scenes = [load(name) for name in builtin_names()]
    if args.json:
        keys = ("name", "title", "summary", "group", "variants")
        rows = [{key: getattr(scene, key) for key in keys} for scene in scenes]
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return 0
    width = max(len(s.name) for s in scenes)
    for group in dict.fromkeys(s.group for s in scenes):
        print(group)
        for scene in scenes:
            if scene.group == group:
                print(f"  {scene.name:<{width}}  {scene.title}: {scene.summary}")
                for variant in scene.variants:
                    print(f"  {'':<{width}}  {scene.name}:{variant}")
    return 0
