import { findProcesses, HAS_PYTHON, PYTHON_NOTE } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { callOptions, CONTAINMENTS, pythonModule, REAL_CLOCK } from './python-support.ts'

const WAIT = { timeout: 20_000, interval: 20 }

/** Functions that say that they run, and then wait for a minute. `sleep` continues when it is interrupted. */
const HANGS = `
import os, time
def hang():
    print("started")
    for _ in range(6000):
        time.sleep(0.01)
def sleep():
    try:
        print("started")
        time.sleep(60)
    except KeyboardInterrupt:
        time.sleep(60)
def fine():
    return "fine"
`

describe.skipIf(!HAS_PYTHON)('calls of Python functions', () => {
  it(`a Python function is called with its arguments, and its result comes back${PYTHON_NOTE}`, async () => {
    const { load } = await pythonModule(
      'async def join(words: list[str], by: str = "-"):\n    return by.join(words)\n',
    )
    const join = await load('join')
    expect(await join.call({ words: ['a', 'b\u2028c'] }, callOptions())).toBe('a-b\u2028c')
  })

  it('arguments of a Python function become values of the annotated types', async () => {
    const { load } = await pythonModule(`
import dataclasses, datetime, enum, pathlib, uuid
class Color(enum.Enum):
    red = "r"
@dataclasses.dataclass
class Point:
    x: float
def types(day: datetime.date, color: Color, point: Point, path: pathlib.Path, ids: set[uuid.UUID],
          pair: tuple[int, Color], either: int | Point | None = None):
    return [type(each).__name__ for each in (day, color, point, point.x, path, ids, *ids, pair[1], either)]
`)
    const types = await load('types')
    const args = {
      day: '2026-01-02',
      color: 'r',
      point: { x: 1 },
      path: 'a/b',
      ids: ['6f2c1d4e-7a0b-4a51-9a43-3b1f0a4f8e11'],
      pair: [1, 'r'],
      either: { x: 2 },
    }
    expect(await types.call(args, callOptions())).toEqual([
      'date',
      'Color',
      'Point',
      'float',
      expect.stringMatching(/Path$/u),
      'set',
      'UUID',
      'Color',
      'Point',
    ])
  })

  it('a Python function that returns bytes returns a Uint8Array', async () => {
    const { load } = await pythonModule('def raw():\n    return bytes([0, 255])\n')
    const raw = await load('raw')
    expect(await raw.call({}, callOptions())).toEqual(Buffer.from([0, 255]))
  })

  it('an exception of a Python function fails the call with the last frame of its traceback', async () => {
    const { load } = await pythonModule(`
def outer():
    inner()
def inner():
    raise ValueError("no such city")
`)
    const outer = await load('outer')
    await expect(outer.call({}, callOptions())).rejects.toMatchObject({
      failure: { code: 'tool_failed', message: 'ValueError: no such city (tools.py:5, in inner)' },
    })
  })

  it.each([
    ['NaN', 'float("nan")', 'JSON compliant'],
    ['a cycle', 'cycle()', 'Circular reference'],
    ['an open file', 'open("/dev/null")', 'has no JSON form'],
    ['40 MiB of text', '"x" * (40 << 20)', 'more than the limit'],
  ])('a Python function that returns %s fails only its own call', async (_, value, message) => {
    const { load } = await pythonModule(`
def cycle():
    made = []
    made.append(made)
    return made
def bad():
    return ${value}
`)
    const bad = await load('bad')
    await expect(bad.call({}, callOptions())).rejects.toMatchObject({
      failure: { code: 'tool_failed', message: expect.stringContaining(message) },
    })
    const cycle = await load('cycle')
    await expect(cycle.call({}, callOptions())).rejects.toThrow('Circular reference')
  })

  it('sys.exit in a Python function fails only its own call', async () => {
    const { load } = await pythonModule(
      'import os, sys\nasync def leave():\n    sys.exit(3)\ndef quit():\n    sys.exit(3)\ndef pid():\n    return os.getpid()\n',
    )
    const pid = await load('pid')
    const before = await pid.call({}, callOptions())
    await expect((await load('leave')).call({}, callOptions())).rejects.toThrow('SystemExit: 3')
    await expect((await load('quit')).call({}, callOptions())).rejects.toThrow('SystemExit: 3')
    expect(await pid.call({}, callOptions())).toBe(before)
  })

  it('parallel calls of sync and async Python functions run at the same time', async () => {
    const { load } = await pythonModule(`
import asyncio, threading
barrier = threading.Barrier(3)
def sync():
    return barrier.wait()
async def later():
    return await asyncio.get_running_loop().run_in_executor(None, barrier.wait)
`)
    const sync = await load('sync')
    const later = await load('later')
    const calls = [sync, sync, later].map((fn) => fn.call({}, callOptions()))
    expect(new Set(await Promise.all(calls))).toEqual(new Set([0, 1, 2]))
  })

  it('printed text becomes the log of the call that printed it, and a flood of it is cut', async () => {
    const { load } = await pythonModule(`
import subprocess, sys
def say(word: str):
    print(word)
    print(word, file=sys.stderr)
    subprocess.run(["echo", "to no call"])
    return word
def flood():
    for _ in range(200000):
        print("x" * 100)
    return "dry"
`)
    const say = await load('say')
    const logs: Record<string, string> = { a: '', b: '' }
    await Promise.all(
      ['a', 'b'].map((word) =>
        say.call({ word }, callOptions({ log: (text) => (logs[word] += `${text};`) })),
      ),
    )
    expect(logs).toEqual({ a: 'a;a;', b: 'b;b;' })
    let size = 0
    const flood = await load('flood')
    expect(await flood.call({}, callOptions({ log: (text) => (size += text.length) }))).toBe('dry')
    expect(size).toBeGreaterThan(1000)
    expect(size).toBeLessThan(70_000)
  })

  it('a child process of a Python function cannot write to the pipe of Troupe', async () => {
    const { load } = await pythonModule(`
import os, subprocess
def sneak():
    os.system("echo not a message")
    os.write(1, b"not a message either\\n")
    subprocess.run(["sh", "-c", "for fd in 3 4 5 6 7 8 9; do echo junk >&$fd; done"], stderr=subprocess.DEVNULL)
    return input() if False else "done"
`)
    const sneak = await load('sneak')
    expect(await sneak.call({}, callOptions())).toBe('done')
  })
})

describe.skipIf(!HAS_PYTHON)('cancelled calls of Python functions', () => {
  it(`an async Python function stops when its call is cancelled${PYTHON_NOTE}`, async () => {
    const { load } = await pythonModule(`
import asyncio
seen = []
async def wait():
    print("started")
    try:
        await asyncio.sleep(60)
    finally:
        seen.append("cancelled")
def look():
    return seen
`)
    const wait = await load('wait')
    const look = await load('look')
    const stop = new AbortController()
    const call = wait.call({}, { signal: stop.signal, log: () => stop.abort() })
    await expect(call).rejects.toMatchObject({ failure: { code: 'run_cancelled' } })
    expect(await look.call({}, callOptions())).toEqual(['cancelled'])
  })

  it('a Python loop stops when its call is cancelled, and its process keeps running', async () => {
    const { load } = await pythonModule(`${HANGS}\ndef pid():\n    return os.getpid()\n`)
    const pid = await load('pid')
    const before = await pid.call({}, callOptions())
    const hang = await load('hang')
    const stop = new AbortController()
    const call = hang.call({}, { signal: stop.signal, log: () => stop.abort() })
    await expect(call).rejects.toMatchObject({ failure: { code: 'run_cancelled' } })
    expect(await pid.call({}, callOptions())).toBe(before)
  })

  it('a call waits until a cancelled function has ended, so that it is not killed with it', async () => {
    const { load } = await pythonModule(HANGS)
    const sleep = await load('sleep')
    const fine = await load('fine')
    const stop = new AbortController()
    const call = sleep.call({}, { signal: stop.signal, log: () => stop.abort() })
    await expect(call).rejects.toMatchObject({ failure: { code: 'run_cancelled' } })
    expect(await fine.call({}, callOptions())).toBe('fine')
  })

  it.each(CONTAINMENTS)(
    'a Python function that does not stop when cancelled is killed with its process: $kind',
    async (containment) => {
      const { load } = await pythonModule(HANGS, { containment: async () => containment })
      const sleep = await load('sleep')
      const stop = new AbortController()
      const bystander = sleep.call({}, callOptions())
      const call = sleep.call({}, { signal: stop.signal, log: () => stop.abort() })
      await expect(call).rejects.toMatchObject({ failure: { code: 'run_cancelled' } })
      await expect(bystander).rejects.toMatchObject({
        failure: {
          code: 'tool_failed',
          message: expect.stringContaining('a cancelled function did not end'),
        },
      })
      const fine = await load('fine')
      expect(await fine.call({}, callOptions())).toBe('fine')
    },
  )
})

describe.skipIf(!HAS_PYTHON)('the process of Python functions', () => {
  it(`a killed process fails its calls, and the next call starts a new one${PYTHON_NOTE}`, async () => {
    const { load } = await pythonModule(`
import os, signal
def die():
    os.kill(os.getpid(), signal.SIGKILL)
def crash():
    print("see you", flush=True)
    os.write(2, b"last words\\n")
    os._exit(7)
def fine():
    return "fine"
`)
    const die = await load('die')
    const crash = await load('crash')
    const fine = await load('fine')
    await expect(die.call({}, callOptions())).rejects.toMatchObject({
      failure: { code: 'tool_failed', message: 'The Python process was ended by SIGKILL.' },
    })
    expect(await fine.call({}, callOptions())).toBe('fine')
    await expect(crash.call({}, callOptions())).rejects.toThrow(
      'The Python process exited with code 7; its last output: last words.',
    )
    expect(await fine.call({}, callOptions())).toBe('fine')
  })

  it.each(CONTAINMENTS)(
    'nothing that Python functions started runs after close: $kind',
    async (containment) => {
      const mark = `troupe-python-${containment.kind}-${process.pid}`
      const { load, functions } = await pythonModule(
        `
import os, subprocess, sys, time
def start(mark: str):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", mark])
    if os.fork() == 0:
        time.sleep(600)
    print("started")
    while True:
        pass
`,
        { containment: async () => containment },
      )
      const start = await load('start')
      const started = Promise.withResolvers<void>()
      const call = start.call({ mark }, callOptions({ log: () => started.resolve() }))
      const failed = call.catch((thrown: unknown) => thrown)
      await started.promise
      await expect.poll(() => findProcesses(mark).length, WAIT).toBe(1)
      await functions.close()
      expect(await failed).toMatchObject({ message: 'The Python process was stopped.' })
      await expect.poll(() => findProcesses(mark), WAIT).toEqual([])
      await expect(start.call({ mark }, callOptions())).rejects.toThrow('was stopped')
    },
  )

  it('a forked child that returns from the function answers nothing', async () => {
    const { load } = await pythonModule(`
import os
def fork():
    child = os.fork()
    if child:
        os.waitpid(child, 0)
    return child != 0
async def fork_async():
    return fork()
`)
    for (const name of ['fork', 'fork_async']) {
      const fork = await load(name)
      expect(await fork.call({}, callOptions())).toBe(true)
      expect(await fork.call({}, callOptions())).toBe(true)
    }
  })

  it('functions of one file share a process, and other variables have their own', async () => {
    const { load } = await pythonModule(
      `
import os
def pid():
    return os.getpid()
def variables():
    return [os.getpid(), os.environ.get("CITY"), os.environ.get("OPENAI_API_KEY")]
`,
      { baseEnv: { ...process.env, OPENAI_API_KEY: 'sk-secret' } },
    )
    const pid = await load('pid')
    const plain = await load('variables')
    const own = await load('variables', 'tool', { CITY: 'Rome' })
    const id = await pid.call({}, callOptions())
    expect(await plain.call({}, callOptions())).toEqual([id, null, null])
    expect(await own.call({}, callOptions())).toEqual([
      expect.not.toSatisfy((own) => own === id),
      'Rome',
      null,
    ])
  })

  it('a file beside the card does not hide a module of the standard library', async () => {
    const { load } = await pythonModule(
      'import json, helpers\ndef who():\n    return json.dumps(helpers.NAME)\n',
      { files: { 'json.py': 'raise RuntimeError("hidden")', 'helpers.py': 'NAME = "Ada"' } },
    )
    const who = await load('who')
    expect(await who.call({}, callOptions())).toBe('"Ada"')
    expect(who.files.map((file) => file.split('/').at(-1))).toEqual(['tools.py', 'helpers.py'])
  })

  it('a process that does not answer is given up after ten seconds', async () => {
    const late = {
      ...REAL_CLOCK,
      after: (ms: number, fn: () => void) => REAL_CLOCK.after(ms === 10_000 ? 0 : ms, fn),
    }
    const { load } = await pythonModule('', { interpreter: 'sleep', clock: late })
    await expect(load('x')).rejects.toMatchObject({ failure: { code: 'python_unavailable' } })
  })
})
