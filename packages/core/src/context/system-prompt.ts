import type { PreparedAgent } from '@troupe/schema/ports'
import type { Run } from '../run/run.ts'
import { isSummariser } from './summarise.ts'

/** Introduces the instructions of a client, which come from outside of the team. */
const HEADING =
  'Instructions of the client that called you. They add to the text above and do not replace it.'

/** Returns the system message of the next model call: that of the agent, then the instructions of its client. */
export function systemPrompt({ progress }: Run, prepared: PreparedAgent): string {
  const { clientInstructions } = progress
  if (clientInstructions === '' || isSummariser(prepared)) return prepared.system
  const own = prepared.system === '' ? '' : `${prepared.system}\n\n`
  return `${own}${HEADING}\n\n${clientInstructions}`
}
