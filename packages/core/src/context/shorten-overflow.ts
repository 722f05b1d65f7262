import { messagesForModel } from '../session/loop-hooks.ts'
import type { OnContextOverflow } from '../model/on-context-overflow.ts'
import { roomOf } from './room.ts'
import { shortenContext } from './shorten-context.ts'

/** Shortens the conversation that a provider called too long, and gives what is then to be sent. */
export const shortenOverflow: OnContextOverflow = async (run, { prepared }) => {
  const room = roomOf(run, prepared)
  if (!(await shortenContext(run, prepared, { reason: 'overflow', room }))) return undefined
  const messages = await messagesForModel(run)
  return 'code' in messages ? undefined : messages
}
