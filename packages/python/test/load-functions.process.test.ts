import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { HAS_PYTHON, PYTHON_NOTE } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { callOptions, pythonModule } from './python-support.ts'

/** Writes a program that introduces itself as another version of Python. */
async function fakePython(path: string, version: string): Promise<string> {
  const hello = { type: 'hello', protocol: 1, python: version.split('.').map(Number), executable: '', pid: 1 }
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `#!/bin/sh\necho '${JSON.stringify(hello)}'\ncat > /dev/null\n`)
  await chmod(path, 0o755)
  return path
}

describe.skipIf(!HAS_PYTHON)('schemas of Python functions', () => {
  it(`the schema of a Python function comes from its signature, type hints and docstring${PYTHON_NOTE}`, async () => {
    const { load } = await pythonModule(`
from __future__ import annotations
import dataclasses, datetime, enum
from typing import Annotated, Literal, Optional, TypedDict
class Color(enum.Enum):
    red = "r"
    blue = "b"
@dataclasses.dataclass
class Point:
    x: int
    y: int = 2
class Tag(TypedDict, total=False):
    name: str
def find(city: str, when: datetime.date, at: Point, tags: list[Tag], color: Color = Color.red,
         unit: Literal["c", "f"] = "c", *, limit: Annotated[int, "how many"] = 3, near: Optional[Point] = None,
         other=None, pair: tuple[int, str] = (1, "a"), map: dict[str, float] = {}):
    """Finds the weather.

    It looks far.

    Args:
        city (str): name of the city,
            in English
        when: the day
    """
`)
    const { description, inputSchema } = await load('find')
    expect(description).toBe('Finds the weather.\n\nIt looks far.')
    expect(inputSchema).toEqual({
      type: 'object',
      properties: {
        city: { type: 'string', description: 'name of the city, in English' },
        when: { type: 'string', format: 'date', description: 'the day' },
        at: { $ref: '#/$defs/Point' },
        tags: { type: 'array', items: { $ref: '#/$defs/Tag' } },
        color: { enum: ['r', 'b'], default: 'r' },
        unit: { enum: ['c', 'f'], default: 'c' },
        limit: { type: 'integer', description: 'how many', default: 3 },
        near: { anyOf: [{ $ref: '#/$defs/Point' }, { type: 'null' }], default: null },
        other: {},
        pair: {
          type: 'array',
          prefixItems: [{ type: 'integer' }, { type: 'string' }],
          minItems: 2,
          maxItems: 2,
          default: [1, 'a'],
        },
        map: { type: 'object', additionalProperties: { type: 'number' }, default: {} },
      },
      required: ['city', 'when', 'at', 'tags'],
      additionalProperties: false,
      $defs: {
        Point: {
          type: 'object',
          properties: { x: { type: 'integer' }, y: { type: 'integer', default: 2 } },
          required: ['x'],
        },
        Tag: { type: 'object', properties: { name: { type: 'string' } } },
      },
    })
  })

  it.each([
    [
      'Sphinx',
      'Adds.\n\n    :param a: the first,\n      of two\n    :type a: int\n    :returns: the sum\n',
      'Adds.\n\n:returns: the sum',
    ],
    [
      'NumPy',
      'Adds.\n\n    Parameters\n    ----------\n    a : int\n        the first,\n        of two\n\n    Returns\n    -------\n    int\n',
      'Adds.\n\nReturns\n-------\nint',
    ],
    [
      'Google',
      'Adds.\n\n    Args:\n      a: the first,\n        of two\n\n    Returns:\n      the sum\n',
      'Adds.\n\nReturns:\n  the sum',
    ],
  ])('parameter texts of a %s docstring become descriptions', async (_, doc, description) => {
    const { load } = await pythonModule(`def add(a: int):\n    """${doc}    """\n`)
    const add = await load('add')
    expect(add.description).toBe(description)
    expect(add.inputSchema).toMatchObject({ properties: { a: { description: 'the first, of two' } } })
  })

  it('type hints that exist only for type checkers accept any value', async () => {
    const { load } = await pythonModule(
      'from __future__ import annotations\ndef of(x: Missing, n: int = 1):\n    return x\n',
    )
    const of = await load('of')
    expect(of.inputSchema).toMatchObject({ properties: { x: {}, n: { default: 1 } }, required: ['x'] })
    expect(await of.call({ x: [1] }, callOptions())).toEqual([1])
  })
})

describe.skipIf(!HAS_PYTHON)('Python functions that cannot be loaded', () => {
  it.each([
    ['def other():\n    pass\n', 'function_not_found', 'defines other, but not wanted'],
    ['wanted = 3\n', 'function_not_callable', 'is of type int, not a function'],
    ['def wanted(:\n', 'function_load_failed', 'SyntaxError: invalid syntax (tools.py:1)'],
    [
      'import nowhere\n',
      'function_load_failed',
      "ModuleNotFoundError: No module named 'nowhere' (tools.py:1)",
    ],
    ['import sys\nsys.exit(2)\n', 'function_load_failed', 'SystemExit: 2'],
    ['import os\nos._exit(2)\n', 'function_load_failed', 'the Python process exited with code 2'],
    ['def wanted(*names):\n    pass\n', 'function_bad_spec', 'it takes *names'],
    [
      'class Context:\n    pass\ndef wanted(ctx: Context):\n    pass\n',
      'function_bad_spec',
      'is a Context of FastMCP',
    ],
  ])(`a Python function in %j is an error of the card${PYTHON_NOTE}`, async (source, code, message) => {
    const { load } = await pythonModule(source)
    await expect(load('wanted')).rejects.toMatchObject({
      failure: { code, message: expect.stringContaining(message) },
    })
  })

  it('a missing module names the interpreter and the key that selects another', async () => {
    const { load } = await pythonModule('import nowhere\n')
    await expect(load('wanted')).rejects.toMatchObject({
      failure: {
        remediation: expect.stringMatching(/Install the module for .*python.*`python` in troupe\.json/u),
      },
    })
  })

  it('a missing interpreter is an error with a fix', async () => {
    const { load } = await pythonModule('', { interpreter: '/nowhere/python3' })
    await expect(load('wanted')).rejects.toMatchObject({
      failure: {
        code: 'python_unavailable',
        class: 'config',
        message: expect.stringContaining('/nowhere/python3 cannot be started'),
        remediation: expect.stringContaining('Install Python 3.10 or later'),
      },
    })
  })

  it('a Python older than 3.10 is an error that names its version', async () => {
    const module = await pythonModule('')
    const interpreter = await fakePython(join(module.root, 'old-python'), '3.9.18')
    const old = await pythonModule('', { interpreter })
    await expect(old.load('wanted')).rejects.toMatchObject({
      failure: { message: expect.stringContaining('is Python 3.9.18; Troupe needs 3.10 or later') },
    })
  })

  it('the interpreter of a virtual environment beside the file is used', async () => {
    const module = await pythonModule('def fine():\n    return 1\n')
    await fakePython(join(module.root, '.venv', 'bin', 'python'), '3.8.1')
    await expect(module.load('fine')).rejects.toThrow(join(module.root, '.venv', 'bin', 'python'))
  })
})
