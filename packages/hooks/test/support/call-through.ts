import { toolResult, type HookContext, type JsonObject, type ToolHook, type ToolResult } from '@troupe/schema'
import { fakeClock, type FakeClock } from '@troupe/testkit/internal'
import { runHookChain } from '../../src/index.ts'

/** Options of one call through hooks. */
export interface CallSetup {
  readonly context?: Partial<Omit<HookContext, 'originalToolFunc'>>
  /** Returns the result of the tool. Default: its arguments as text. */
  readonly tool?: (args: JsonObject, attempt: number) => ToolResult | Promise<ToolResult>
}

/** A small session: calls pass through the real chain, with lasting state, a stopped clock and a list of what was logged. */
export interface SmallSession {
  readonly clock: FakeClock
  readonly logs: string[]
  /** The arguments of each tool call, in order. */
  readonly calls: JsonObject[]
  call(args: JsonObject, setup?: CallSetup): Promise<ToolResult>
}

/** Returns a session with these hooks around a read-only function named `work`. */
export function smallSession(hooks: readonly ToolHook[], base: CallSetup = {}): SmallSession {
  const clock = fakeClock()
  const logs: string[] = []
  const calls: JsonObject[] = []
  const states = { run: new Map<string, unknown>(), root: new Map<string, unknown>() }
  return {
    clock,
    logs,
    calls,
    async call(args, setup = {}) {
      const tool = setup.tool ?? base.tool ?? ((given: JsonObject) => toolResult.text(JSON.stringify(given)))
      const { result } = await runHookChain({
        hooks,
        args,
        clock,
        hookTimeoutMs: 60_000,
        context: {
          agentName: 'Clerk',
          instanceName: 'Clerk[1]',
          toolName: 'work',
          toolSource: 'function',
          toolEffect: 'read',
          toolUseId: 'call_1',
          correlationId: 'run-1:1.1',
          signal: new AbortController().signal,
          state: (scope) => states[scope],
          log: (text) => logs.push(text),
          clock,
          random: () => 0.5,
          hideSecrets: (text) => text.replaceAll('hunter2hunter2', '{{secret:PASSWORD}}'),
          requireApproval: () => undefined,
          isDenied: () => false,
          ...base.context,
          ...setup.context,
        },
        call: async (given, attempt) => {
          calls.push(given)
          return tool(given, attempt)
        },
      })
      return result
    },
  }
}
