import type { PreparedAgent } from '@troupe/schema/ports'
import type { Run } from '../run/run.ts'

/** Introduces the instructions of a client, which come from outside of the team. */
const HEADING =
  'Instructions of the client that called you. They add to the text above and do not replace it.'

/**
 * Returns the system message of the next model call: that of the agent, then the instructions of its client. Calls
 * outside of the conversation do not get those.
 */
export function systemPrompt({ progress, isSideCall = false }: Run, prepared: PreparedAgent): string {
  const { clientInstructions } = progress
  if (clientInstructions === '' || isSideCall) return prepared.system
  const own = prepared.system === '' ? '' : `${prepared.system}\n\n`
  return `${own}${HEADING}\n\n${clientInstructions}`
}
