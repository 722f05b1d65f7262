import type { OutputContract } from '@troupe/schema'

/**
 * Returns the output contract of the caller, or else the agent's own. If the caller wants JSON without a
 * schema, the agent's schema applies.
 */
export function outputContract(own: OutputContract, wanted: OutputContract | undefined): OutputContract {
  if (wanted === undefined) return own
  if (wanted.format !== 'json' || wanted.schema !== undefined || own.schema === undefined) return wanted
  return { format: 'json', schema: own.schema }
}
