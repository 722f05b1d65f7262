import { isJsonObject, type JsonObject, type RunOptions } from '@troupe/schema'

/** Limits that the caller set when it started the run. */
export type RunCaps = Pick<RunOptions, 'budget' | 'timeout'>

/** Converts limits to a part of the note of a run; empty if there are none. */
export function toCapsNote({ budget, timeout }: RunCaps): JsonObject {
  if (budget === undefined && timeout === undefined) return {}
  return {
    caps: {
      ...(budget === undefined ? {} : { budget: { ...budget } }),
      ...(timeout === undefined ? {} : { timeout }),
    },
  }
}

/** Returns the limits in the note of a run. */
export function readCaps(note: JsonObject | undefined): RunCaps {
  const { budget, timeout } = isJsonObject(note?.['caps']) ? note['caps'] : {}
  return {
    ...(isJsonObject(budget) ? { budget } : {}),
    ...(typeof timeout === 'number' ? { timeout } : {}),
  }
}
