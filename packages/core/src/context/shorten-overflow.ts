import { messagesForModel } from '../session/loop-hooks.ts'
import type { OnContextOverflow } from '../model/on-context-overflow.ts'
import { availableTokens } from './available-tokens.ts'
import { shortenContext } from './shorten-context.ts'

/** Shortens a conversation that the provider rejected as too long, and returns the messages to send. */
export const shortenOverflow: OnContextOverflow = async (run, { prepared }) => {
  const available = availableTokens(run, prepared)
  if (!(await shortenContext(run, prepared, { reason: 'overflow', available }))) return undefined
  const messages = await messagesForModel(run)
  return 'code' in messages ? undefined : messages
}
