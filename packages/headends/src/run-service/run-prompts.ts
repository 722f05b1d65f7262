import { getOwn } from '@troupe/schema'
import type { RunServiceContext } from './run-service-context.ts'
import { findRun, type RunRef } from './find-run.ts'
import { readRequest } from './stored-run-request.ts'

/** The prompt of one agent of a run. */
export interface RunPrompt {
  readonly agent: string
  readonly prompt: string
}

/** Returns the known prompts of the agents of a run. Rejects with `run_unknown`. */
export async function runPrompts(
  ref: RunRef,
  context: Pick<RunServiceContext, 'host' | 'store'>,
): Promise<readonly RunPrompt[]> {
  const { host, store } = context
  const { runId } = ref
  await findRun(ref, context)
  const { team } = (await readRequest(store, runId)) ?? {}
  const names = new Set((await store.events(runId)).map(({ agent }) => agent))
  return [...names].flatMap((agent) => {
    const prompt = getOwn(team?.prompts ?? {}, agent) ?? host.prompt(agent)
    return prompt === undefined ? [] : [{ agent, prompt }]
  })
}
