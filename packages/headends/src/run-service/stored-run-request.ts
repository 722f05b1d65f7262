import { isJsonObject, type JsonObject, type RunOptions } from '@troupe/schema'
import type { RunRequest, RunStore } from '@troupe/schema/ports'

/** The stored part of the request that started a run. */
export type StoredRunRequest = Pick<
  RunRequest,
  'agent' | 'input' | 'principal' | 'output' | 'attachments' | 'team' | 'note'
>

/** Returns the request that started a root run; `undefined` if only metadata or nothing is stored. */
export async function readRequest(
  store: Pick<RunStore, 'steps'>,
  rootRunId: string,
): Promise<StoredRunRequest | undefined> {
  const begin = (await store.steps(rootRunId, rootRunId)).get('begin')
  // Written by a host as a request.
  return isJsonObject(begin) ? (begin as unknown as StoredRunRequest) : undefined
}

/** Limits that the caller set when it started the run. */
type RunLimits = Pick<RunOptions, 'budget' | 'timeout'>

/** Converts limits to a part of the note of a run; empty if there are none. */
export function toLimitsNote({ budget, timeout }: RunLimits): JsonObject {
  if (budget === undefined && timeout === undefined) return {}
  return {
    caps: {
      ...(budget === undefined ? {} : { budget: { ...budget } }),
      ...(timeout === undefined ? {} : { timeout }),
    },
  }
}

/** Returns the limits in the note of a run. */
export function readLimits(note: JsonObject | undefined): RunLimits {
  const { budget, timeout } = isJsonObject(note?.['caps']) ? note['caps'] : {}
  return {
    ...(isJsonObject(budget) ? { budget } : {}),
    ...(typeof timeout === 'number' ? { timeout } : {}),
  }
}

/** Note that marks the runs of a run service in the store. */
export const DETACHED_NOTE = { detached: true } as const

/** Returns true for a run that was started by a run service and belongs to no connection. */
export function isDetached({ note }: StoredRunRequest): boolean {
  return note?.['detached'] === true
}
