import { tempProject, type TempProject } from '@troupe/testkit/internal'
import {
  coerceToolResult,
  toFailure,
  toolResult,
  type Clock,
  type Json,
  type JsonObject,
  type RuntimeTool,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from '@troupe/schema'
import { createValidator } from '@troupe/tools'
import { onTestFinished } from 'vitest'
import { createRuntime, type Runtime, type RuntimeOptions, type Skill } from '../../src/index.ts'

/** The system clock, because commands are real processes. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms)
    return () => clearTimeout(timer)
  },
}

/** Tools over a folder of their own, which is removed after the test. */
export interface OpenRuntime {
  readonly project: TempProject
  readonly runtime: Runtime
  readonly tools: readonly ToolDefinition[]
  /** Calls a tool as core does: validates the arguments and converts an exception to a failed result. */
  call(tool: string, args: JsonObject, context?: Partial<ToolContext>): Promise<ToolResult>
}

const ALL: readonly RuntimeTool[] = [
  'filesystem',
  'shell',
  'human',
  'shared',
  'fetch',
  'search',
  'todo',
  'memory',
]

/** Opens the tools on a folder with these files. `root` is relative to the files. Default: their folder. */
export async function openRuntime(
  files: Readonly<Record<string, string>> = {},
  options: Partial<Omit<RuntimeOptions, 'root'>> & {
    readonly root?: string
    readonly toolTimeout?: number
    readonly runtimeTools?: readonly RuntimeTool[]
    readonly memory?: string
    readonly skills?: (path: string) => readonly Skill[]
  } = {},
): Promise<OpenRuntime> {
  const project = await tempProject(files)
  onTestFinished(() => project.remove())
  const { root = '', toolTimeout = 60_000, skills, runtimeTools = ALL, memory, ...rest } = options
  const runtime = createRuntime({
    root: root === '' ? project.path : `${project.path}/${root}`,
    team: { folders: [], secrets: [] },
    baseEnv: process.env,
    clock: realClock,
    ...rest,
  })
  const agent = { runtimeTools, limits: { toolTimeout }, ...(memory === undefined ? {} : { memory }) }
  const tools = runtime.tools(agent, skills?.(project.path) ?? [])
  const validate = createValidator()
  return {
    project,
    runtime,
    tools,
    async call(name, args, context) {
      const tool = tools.find((each) => each.name === name)
      const valid = tool && validate(tool.inputSchema, args)
      if (tool === undefined || valid === undefined) throw new Error(`there is no tool ${name}`)
      if (!valid.ok) return toolResult.error('tool_bad_arguments', valid.problems.join('; '))
      try {
        const value = await tool.execute(valid.args, toolContext(context))
        return (
          coerceToolResult(value) ??
          (typeof value === 'string' ? toolResult.text(value) : toolResult.json(value as Json))
        )
      } catch (thrown) {
        return toolResult.failed(toFailure(thrown, 'tool_failed'))
      }
    },
  }
}

let calls = 0

function toolContext(context: Partial<ToolContext> = {}): ToolContext {
  calls += 1
  return {
    site: { turn: 1, ordinal: 1, callId: '1.1', toolUseId: 'use' },
    attempt: 1,
    run: { rootState: new Map(), request: { runId: 'run' } } as unknown as ToolContext['run'],
    signal: new AbortController().signal,
    idempotencyKey: `call-${calls}`,
    progress: () => undefined,
    ask: () => Promise.resolve({ answered: false, reason: 'no user is connected' }),
    ...context,
  }
}
