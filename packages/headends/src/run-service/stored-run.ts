import { isJsonObject, type JsonObject, type RunOptions, troupeError, type TroupeError } from '@troupe/schema'
import {
  NOTE_STEP,
  QUEUED_STEP,
  type RunRequest,
  type RunStore,
  type RootRunRecord,
} from '@troupe/schema/ports'
import type { RunServiceContext } from './run-service-context.ts'
import type { RunView } from './run-view.ts'

/** A run, and the principal that requests it. */
export interface RunRef {
  readonly runId: string
  readonly principal: string
}

/** Returns the root run if it belongs to the principal. Rejects with `run_unknown`. */
export async function findRun(
  { runId, principal }: RunRef,
  { store }: Pick<RunServiceContext, 'store'>,
): Promise<RootRunRecord> {
  const [root] = await store.roots({ principal, rootRunId: runId })
  if (root === undefined) throw unknownRun(runId)
  return root
}

/** Returns the condition for the runs of a principal, or of all. */
export function ownedBy(principal: string | undefined): { readonly principal?: string } {
  return principal === undefined ? {} : { principal }
}

/** Returns the principal of a run that is active here or in the store; `undefined` if there is none. */
export async function findOwner(
  runId: string,
  { live, connected, store }: Pick<RunServiceContext, 'live' | 'connected' | 'store'>,
): Promise<string | undefined> {
  const active = live.get(runId) ?? connected?.get(runId)
  if (active !== undefined) return active.principal
  const [root] = await store.roots({ rootRunId: runId })
  return root?.session?.principal
}

/** Returns the view of a queued run, or `undefined` if the run is persisted or not known here. */
export async function queuedRun(
  { runId, principal }: RunRef,
  { live, store }: Pick<RunServiceContext, 'live' | 'store'>,
): Promise<RunView | undefined> {
  const waiting = live.get(runId)
  if (waiting?.principal !== principal || waiting.queued === undefined) return undefined
  return (await isPersisted(runId, { store })) ? undefined : waiting.queued
}

/** Returns true if the store has events of the run. */
export async function isPersisted(
  runId: string,
  { store }: Pick<RunServiceContext, 'store'>,
): Promise<boolean> {
  return (await store.events(runId, { limit: 1 })).length > 0
}

/**
 * Creates the error for an unknown run. Runs of other principals get the same error, so that it does not
 * reveal that they exist.
 */
export function unknownRun(runId: string): TroupeError {
  return troupeError('run_unknown', `There is no run ${runId.slice(0, 100)}.`)
}

/** The stored part of the request that started a run. */
export type StoredRunRequest = Pick<
  RunRequest,
  | 'agent'
  | 'input'
  | 'history'
  | 'continues'
  | 'principal'
  | 'sessionId'
  | 'output'
  | 'attachments'
  | 'team'
  | 'priority'
  | 'clientTools'
  | 'clientInstructions'
  | 'note'
>

/**
 * Returns the request of a root run that has started or was accepted, with the fields that were added to its note
 * later; `undefined` if only metadata or nothing is stored.
 */
export async function readRequest(
  store: Pick<RunStore, 'steps'>,
  rootRunId: string,
): Promise<StoredRunRequest | undefined> {
  const steps = await store.steps(rootRunId, rootRunId)
  const begin = steps.get('begin') ?? steps.get(QUEUED_STEP)
  if (!isJsonObject(begin)) return undefined
  // Written by a host as a request.
  const request = begin as unknown as StoredRunRequest
  const added = steps.get(NOTE_STEP)
  return isJsonObject(added) ? { ...request, note: { ...request.note, ...added } } : request
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
