import type { AgentDefinition, AgentRunner, RunOptions, RunReport } from '@troupe/schema'
import type { ExportedTool } from './exported-tool.ts'
import type { RunningCall } from './running-call.ts'

/** Dependencies for the run of a call. */
export interface CallRunContext {
  readonly services: { readonly agent: AgentDefinition; readonly runner: Pick<AgentRunner, 'run'> }
  readonly call: Pick<RunningCall, 'signal' | 'onEvent'>
  /** `undefined` if the client cannot ask a person. */
  readonly person: Pick<RunOptions, 'approve' | 'ask'> | undefined
}

/**
 * Runs the agent for a call. Without a person the run is headless, so that tools that ask are not offered.
 */
export function runForCall(
  { limits: { timeout, maxCost, maxTokens } }: ExportedTool,
  {
    prompt,
    session,
  }: { readonly prompt: string; readonly session: Pick<RunOptions, 'sessionId' | 'continueOnly'> },
  { services, call, person }: CallRunContext,
): Promise<RunReport> {
  const budget = {
    ...(maxCost === undefined ? {} : { maxCost }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  }
  return services.runner.run(services.agent.name, prompt, {
    signal: call.signal,
    ...session,
    ...(person ?? { headless: true }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
    onEvent: call.onEvent,
  })
}
