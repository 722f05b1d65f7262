import type { EventBase, EventDraft } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit/internal'
import { LOCAL_PRINCIPAL } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'

/** Number of calls in one turn, and of turns of a child. A turn has three more events, a call three. */
const CALLS = 3
const TURNS = 4
/** Events between two waits for the store. */
const COMMIT_EVERY = 2000

/** The position of a run in its tree. */
type RunBase = Pick<EventBase, 'runId' | 'rootRunId' | 'agent' | 'instance' | 'depth'> &
  Partial<Pick<EventBase, 'parentRunId' | 'callId'>>

/** Stores an ended run with this many events: one agent with many children, each with tool calls. */
export async function storeRun(
  store: RunStore,
  {
    runId,
    events: total,
    startedAt,
  }: { readonly runId: string; readonly events: number; readonly startedAt: number },
): Promise<void> {
  const session = { sessionId: runId, principal: LOCAL_PRINCIPAL }
  const log = await store.open(runId, 'bench', { session })
  let count = 0
  for (const event of treeEvents(runId, total)) {
    log.append({ runId: event.runId, event: { ...event, time: startedAt + count * 20 } })
    count += 1
    if (count % COMMIT_EVERY === 0) await log.waitForCommit()
  }
  await log.waitForCommit()
  await log.close()
}

/** Yields the events of a run tree, the end of the root run last. */
function* treeEvents(rootRunId: string, total: number): Generator<EventDraft> {
  const root: RunBase = { runId: rootRunId, rootRunId, agent: 'Lead', instance: 'Lead', depth: 0 }
  yield sampleEvent('run-start', { ...root, input: `A run of ${total} events`, sessionId: rootRunId })
  yield sampleEvent('turn-start', root)
  yield sampleEvent('usage', root)
  let count = 4
  for (let child = 1; count < total - 1; child += 1)
    for (const event of childEvents(root, child)) {
      if (count >= total - 1) break
      count += 1
      yield event
    }
  yield sampleEvent('turn-end', root)
  yield sampleEvent('run-end', { ...root, durationMs: total * 20 })
}

function* childEvents(root: RunBase, index: number): Generator<EventDraft> {
  const callId = `1.${index}`
  const { rootRunId } = root
  const instance = `Clerk[${index}]`
  const run: RunBase = { runId: `${rootRunId}-${index}`, rootRunId, agent: 'Clerk', instance, depth: 1 }
  const edge = { ...run, parentRunId: root.runId, callId }
  const call = { ...root, callId, toolName: 'agent__Clerk', source: 'agent' } as const
  yield sampleEvent('tool-call', { ...call, ordinal: index, childInstance: instance })
  yield sampleEvent('tool-start', { ...call })
  yield sampleEvent('run-start', { ...edge, input: `Part ${index}`, sessionId: rootRunId })
  for (let turn = 1; turn <= TURNS; turn += 1) yield* turnEvents(run, turn)
  yield sampleEvent('run-end', { ...edge, durationMs: 1000 })
  yield sampleEvent('tool-result', { ...call, childRunId: run.runId })
}

function* turnEvents(run: RunBase, turn: number): Generator<EventDraft> {
  yield sampleEvent('turn-start', { ...run, turn })
  yield sampleEvent('usage', { ...run, turn })
  for (let ordinal = 1; ordinal <= CALLS; ordinal += 1) {
    const call = { ...run, callId: `${turn}.${ordinal}`, toolName: 'search' }
    yield sampleEvent('tool-call', { ...call, turn, ordinal, args: { query: `harbour ${turn} ${ordinal}` } })
    yield sampleEvent('tool-start', call)
    yield sampleEvent('tool-result', {
      ...call,
      content: [{ type: 'text', text: 'A ferry came. '.repeat(8) }],
    })
  }
  yield sampleEvent('turn-end', { ...run, turn, toolCalls: CALLS })
}
