#!/usr/bin/env python3
"""Plants one mistake (see tests/model/plant.py) in a copy that stands at its source's own path.

    plant_tree.py NAME CORE_DIR OUTPUT

The copy comes to OUTPUT.d/, which a compiler that is told `-iquote OUTPUT.d` takes for core:
so a header is planted for everybody who includes it. OUTPUT says which one it was.
"""
import pathlib
import sys

sys.dont_write_bytecode = True  # The sources stay as they are.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'model'))
import plant  # noqa: E402


def main():
    name, core_dir, output = sys.argv[1:]
    source, was, becomes = plant.MISTAKES[name]
    text = (pathlib.Path(core_dir) / source).read_text()
    if text.count(was) != 1:
        sys.exit(f'plant_tree.py: {source} has {text.count(was)} places for {name}, not 1')
    planted = pathlib.Path(output + '.d') / source
    planted.parent.mkdir(parents=True, exist_ok=True)
    planted.write_text(text.replace(was, becomes))
    pathlib.Path(output).write_text(f'{source}\n')


if __name__ == '__main__':
    main()
