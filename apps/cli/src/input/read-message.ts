import { text } from 'node:stream/consumers'
import { troupeError, type AgentDefinition } from '@troupe/schema'
import type { CommandContext } from '../context.ts'

/**
 * The message of a run: the words, with stdin in the place of a `-` among them; stdin alone when there are no words and
 * something is piped in; undefined when there is neither: no words, and at most a line break from stdin, as in a program that is started by
 * another one sees. Throws `usage_invalid` for a message that is empty.
 */
export async function readMessage(
  words: readonly string[],
  context: CommandContext,
): Promise<string | undefined> {
  if (words.length === 0 && !context.terminal.piped) return undefined
  const wantsInput = words.length === 0 || words.includes('-')
  const input = wantsInput ? await readAll(context) : ''
  if (words.length === 0 && input === '') return undefined
  const spoken = words.filter((word) => word !== '-').join(' ')
  const message = [spoken, input].filter((part) => part !== '').join('\n\n')
  if (message.trim() !== '') return message
  throw troupeError('usage_invalid', 'The message is empty.', {
    fix: wantsInput
      ? 'Nothing but space came from stdin; write the message behind the card.'
      : 'Write it behind the card.',
  })
}

/**
 * What is said when nobody said anything: the example of the card (C25), so that a card can be tried as it is. Throws `usage_invalid` where it
 * has none.
 */
export function exampleMessage({ name, usage }: Pick<AgentDefinition, 'name' | 'usage'>): string {
  if (usage !== undefined) return usage
  throw troupeError('usage_invalid', `There is no message, and ${name} has no example of one (\`usage\`).`, {
    fix: 'Write it behind the card, or pipe it in: echo "Hello" | troupe run <card>.',
  })
}

/** All of stdin without a byte order mark and the line break at its end. Throws the reason when the program is stopped first. */
async function readAll({ terminal, stop }: CommandContext): Promise<string> {
  const stopped = new Promise<never>((_resolve, reject) => {
    const abort = (): void => reject(stop.signal.reason)
    if (stop.signal.aborted) abort()
    else stop.signal.addEventListener('abort', abort, { once: true })
  })
  const whole = await Promise.race([text(terminal.stdin), stopped])
  return whole.replace(/^\uFEFF/u, '').replace(/\r?\n$/u, '')
}
