import { isJsonObject, type JsonObject, type RunOptions } from '@troupe/schema'

/** What a run was held to by who began it. */
export type Caps = Pick<RunOptions, 'budget' | 'timeout'>

/** Caps as a part of what is kept with a run; without any it is empty. */
export function capsNote({ budget, timeout }: Caps): JsonObject {
  if (budget === undefined && timeout === undefined) return {}
  return {
    caps: {
      ...(budget === undefined ? {} : { budget: { ...budget } }),
      ...(timeout === undefined ? {} : { timeout }),
    },
  }
}

/** The caps that were kept with a run. */
export function keptCaps(note: JsonObject | undefined): Caps {
  const { budget, timeout } = isJsonObject(note?.['caps']) ? note['caps'] : {}
  return {
    ...(isJsonObject(budget) ? { budget } : {}),
    ...(typeof timeout === 'number' ? { timeout } : {}),
  }
}
