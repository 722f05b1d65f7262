import type { EventDraft } from '@troupe/schema'

/** Something that puts events on the disk. */
export interface EventStore {
  /** Resolves when so many more are there. */
  write(count: number): Promise<void>
  kept(): Promise<number>
  close(): Promise<void>
}

/** An event of common size. */
export function commonEvent(runId: string, turn: number): EventDraft {
  return {
    type: 'tool-call',
    time: 1_700_000_000_000,
    runId,
    rootRunId: runId,
    agent: 'worker',
    instance: 'worker[1]',
    depth: 1,
    callId: `${turn}.1`,
    toolName: 'files__search',
    source: 'mcp',
    server: 'files',
    args: { query: 'a few words that somebody looks for', limit: 20 },
    turn,
    ordinal: 1,
    toolUseId: `call_${turn}`,
  }
}
