import type { OutputContract } from '@troupe/schema'

/** The form in force: the caller's, else the agent's own. A caller that wants JSON and brings no schema is held to the agent's. */
export function outputContract(own: OutputContract, wanted: OutputContract | undefined): OutputContract {
  if (wanted === undefined) return own
  if (wanted.format !== 'json' || wanted.schema !== undefined || own.schema === undefined) return wanted
  return { format: 'json', schema: own.schema }
}
