import { isJsonObject, type JsonObject, type RunOptions } from '@troupe/schema'

/** Limits that the caller set when it started the run. */
export type Caps = Pick<RunOptions, 'budget' | 'timeout'>

/** Converts limits to a part of the note of a run; empty if there are none. */
export function capsNote({ budget, timeout }: Caps): JsonObject {
  if (budget === undefined && timeout === undefined) return {}
  return {
    caps: {
      ...(budget === undefined ? {} : { budget: { ...budget } }),
      ...(timeout === undefined ? {} : { timeout }),
    },
  }
}

/** Returns the limits in the note of a run. */
export function keptCaps(note: JsonObject | undefined): Caps {
  const { budget, timeout } = isJsonObject(note?.['caps']) ? note['caps'] : {}
  return {
    ...(isJsonObject(budget) ? { budget } : {}),
    ...(typeof timeout === 'number' ? { timeout } : {}),
  }
}
