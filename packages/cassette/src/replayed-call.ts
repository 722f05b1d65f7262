import { isJsonObject, type JsonObject, type ReplayedCall, type ToolResult } from '@troupe/schema'
import type { CassetteEntry } from './cassette.ts'
import { parseRunPath } from './run-paths.ts'
import { textOf } from './to-entry.ts'

/** The recorded data of one call. */
export interface RecordedCall {
  readonly children: ReplayedCall['children']
  /** Index of its result entry; `undefined` if there is none. */
  readonly index: number | undefined
}

/** Finds a call by the path of its run. */
export function findCall(
  entries: readonly CassetteEntry[],
  { run, call }: { readonly run: string; readonly call: string },
): RecordedCall {
  const index = entries.findIndex(
    (entry) => entry.event === 'tool-result' && entry.run === run && entry.call === call,
  )
  const starts = entries.filter(
    (entry) => entry.event === 'tool-start' && entry.run === run && entry.call === call,
  )
  const children = entries.flatMap((entry) => {
    const site = entry.event === 'run-start' ? parseRunPath(entry.run) : undefined
    if (site?.parent !== run || `${site.turn}.${site.ordinal}` !== call) return []
    const { attempt } = site
    const args = starts.find((start) => start['attempt'] === attempt)?.['args']
    return [
      {
        attempt,
        agent: textOf(entry['agent']),
        input: textOf(entry['input']),
        ...(isJsonObject(args) ? { args } : {}),
      },
    ]
  })
  return { children, index: index === -1 ? undefined : index }
}

/**
 * Restores the result of a call as its caller got it. `childRunId` is the id of the last child run it opened.
 */
export function toResult(
  entry: CassetteEntry,
  childRunId: string | undefined,
): { readonly result: ToolResult; readonly attempts: number; readonly bytesIn?: number } {
  const { outcome, content, error, structured, merge, attempts, bytesIn } = entry as JsonObject
  const result = {
    outcome,
    content,
    ...(structured === undefined ? {} : { structured }),
    ...(error === undefined ? {} : { failure: error }),
    ...(childRunId === undefined ? {} : { childRunId }),
    ...(merge === undefined ? {} : { merge }),
  }
  return {
    result: result as unknown as ToolResult,
    attempts: Number(attempts ?? 0),
    ...(typeof bytesIn === 'number' ? { bytesIn } : {}),
  }
}
