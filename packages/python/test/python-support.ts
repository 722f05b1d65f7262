import { join } from 'node:path'
import { createContainmentProbe, PROCESS_GROUPS, type Containment } from '@troupe/process'
import type { Clock } from '@troupe/schema'
import type { PythonCallOptions, PythonFunction } from '@troupe/tools'
import { tempProject } from '@troupe/testkit/internal'
import { onTestFinished } from 'vitest'
import { createPythonFunctions, type PythonFunctions, type PythonOptions } from '../src/index.ts'

export const REAL_CLOCK: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms)
    return () => clearTimeout(timer)
  },
}

/** The containments of this machine. */
export const CONTAINMENTS: readonly Containment[] = [PROCESS_GROUPS, await createContainmentProbe()()].filter(
  ({ kind }, index, all) => all.findIndex((other) => other.kind === kind) === index,
)

/** A Python file with its functions, which end with the test. */
export interface TestModule {
  readonly file: string
  readonly root: string
  readonly functions: PythonFunctions
  load(name: string, kind?: 'tool' | 'hook', env?: Readonly<Record<string, string>>): Promise<PythonFunction>
}

/** Writes `tools.py` and other files, and creates the functions of that file. */
export async function pythonModule(
  source: string,
  {
    files = {},
    ...options
  }: { readonly files?: Readonly<Record<string, string>> } & Partial<PythonOptions> = {},
): Promise<TestModule> {
  const project = await tempProject({ 'tools.py': source, ...files })
  const functions = createPythonFunctions({
    cwd: project.path,
    baseEnv: process.env,
    clock: REAL_CLOCK,
    containment: async () => PROCESS_GROUPS,
    ...options,
  })
  onTestFinished(async () => {
    await functions.close()
    await project.remove()
  })
  const file = join(project.path, 'tools.py')
  return {
    file,
    root: project.path,
    functions,
    load: (name, kind = 'tool', env = {}) =>
      functions.load({ spec: `tools.py:${name}`, file, root: project.path, name, kind, env }),
  }
}

/** Options of a call that is never cancelled. */
export function callOptions(options: Partial<PythonCallOptions> = {}): PythonCallOptions {
  return { signal: new AbortController().signal, ...options }
}
