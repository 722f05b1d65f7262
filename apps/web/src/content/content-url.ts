import type { RunViewState } from '../reducers/run-view-state.ts'

/** Returns the address of the content of a call at the server; `undefined` if its result is not stored. */
export function contentUrl(
  { timeline, events }: Pick<RunViewState, 'timeline' | 'events'>,
  { runId, callId }: { readonly runId: string; readonly callId: string },
): string | undefined {
  const { rootRunId } = timeline
  const result = events.findLast(
    (event) => event.type === 'tool-result' && event.runId === runId && event.callId === callId,
  )
  if (rootRunId === undefined || result?.seq === undefined) return undefined
  return `./api/runs/${encodeURIComponent(rootRunId)}/content/${result.seq}`
}
