import type { AgentDefinition, AgentRunner, RunOptions, RunReport } from '@troupe/schema'
import type { ExportedTool } from './exported-tool.ts'
import type { RunningCall } from './running-call.ts'

/** What the run of a call is made with. */
export interface CallRun {
  readonly services: { readonly agent: AgentDefinition; readonly runner: Pick<AgentRunner, 'run'> }
  readonly call: Pick<RunningCall, 'signal' | 'onEvent'>
  /** None: nobody can be asked. */
  readonly person: Pick<RunOptions, 'approve' | 'ask'> | undefined
}

/** With a person at the other end what asks is asked; else tools that ask are not offered (R16). */
export function runForCall(
  { limits: { timeout, maxCost, maxTokens } }: ExportedTool,
  {
    prompt,
    session,
  }: { readonly prompt: string; readonly session: Pick<RunOptions, 'sessionId' | 'continueOnly'> },
  { services, call, person }: CallRun,
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
