import type { RunRequest, RunStore } from '@troupe/schema'
import type { ChatTurn } from './conversations.ts'

/** Reads the turns of a conversation up to a run, oldest first, as far as they are stored. */
export async function storedTurns(
  store: Pick<RunStore, 'steps' | 'events'>,
  lastRunId: string,
): Promise<readonly ChatTurn[]> {
  const turns: ChatTurn[] = []
  const seen = new Set<string>()
  let runId: string | undefined = lastRunId
  while (runId !== undefined && !seen.has(runId)) {
    seen.add(runId)
    const begin = (await store.steps(runId, runId)).get('begin') as unknown as RunRequest | undefined
    const turn = await readTurn(store, runId)
    if (turn !== undefined) turns.unshift(turn)
    runId = begin?.continues
  }
  return turns
}

async function readTurn(store: Pick<RunStore, 'events'>, runId: string): Promise<ChatTurn | undefined> {
  const events = await store.events(runId)
  const [first] = events
  if (first?.type !== 'run-start') return undefined
  const end = events.findLast((event) => event.type === 'run-end' && event.runId === runId)
  const ended = end?.type === 'run-end' ? end : undefined
  return {
    runId,
    message: first.input,
    outcome: ended?.outcome ?? 'cancelled',
    output: ended?.output ?? { format: 'text' },
  }
}
