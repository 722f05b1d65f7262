import type { CallView, TimelineRun } from '@troupe/timeline'
import type { RunViewState } from '../reducers/run-view-state.ts'
import type { TranscriptItem } from '../reducers/transcript.ts'
import { calledName } from '../waterfall/input-line.ts'
import { groupCalls } from '../waterfall/sibling-groups.ts'

/** An entry of a transcript, or several calls of the same agent or tool that follow each other. */
export type TranscriptEntry =
  | { readonly kind: 'item'; readonly item: Exclude<TranscriptItem, { readonly kind: 'call' }> }
  | { readonly kind: 'call'; readonly call: CallView }
  | { readonly kind: 'calls'; readonly name: string; readonly calls: readonly CallView[] }

/**
 * Groups the calls between two texts, as the rows of the timeline do. Calls that are not in `calls` are left
 * out.
 */
export function groupTranscript(
  transcript: readonly TranscriptItem[],
  calls: readonly CallView[],
): readonly TranscriptEntry[] {
  const byId = new Map(calls.map((call) => [call.callId, call]))
  const entries: TranscriptEntry[] = []
  let pending: CallView[] = []
  const flush = (): void => {
    const named = pending.map((call) => ({ turn: call.turn, name: calledName(call), call }))
    for (const members of groupCalls(named)) {
      const [first] = members
      if (first === undefined) continue
      if (members.length === 1) entries.push({ kind: 'call', call: first.call })
      else entries.push({ kind: 'calls', name: first.name, calls: members.map(({ call }) => call) })
    }
    pending = []
  }
  for (const item of transcript) {
    if (item.kind === 'call') {
      const call = byId.get(item.callId)
      if (call !== undefined) pending.push(call)
    } else if (item.kind !== 'text' || item.text !== '') {
      flush()
      entries.push({ kind: 'item', item })
    }
  }
  flush()
  return entries
}

/** Returns the ids of the child runs that are part of a group in the transcript of a run. */
export function groupedRuns(run: TimelineRun, { transcripts }: RunViewState): ReadonlySet<string> {
  const entries = groupTranscript(transcripts.get(run.runId) ?? [], run.calls)
  const calls = entries.flatMap((entry) => (entry.kind === 'calls' ? entry.calls : []))
  return new Set(calls.flatMap(({ childRunId }) => childRunId ?? []))
}
