import { text } from 'node:stream/consumers'
import { troupeError } from '@troupe/schema'
import type { CommandContext } from './context.ts'

/**
 * The message of a run: the words, with stdin in the place of a `-` among them; stdin alone when there are no words and
 * it is not a terminal. Throws `usage_invalid` when there is no message.
 */
export async function readMessage(words: readonly string[], context: CommandContext): Promise<string> {
  const { stdin } = context.terminal
  if (words.length === 0 && stdin.isTTY === true) {
    throw troupeError('usage_invalid', 'There is no message.', {
      fix: 'Write it behind the card, or pipe it in: echo "Hello" | troupe run <card>.',
    })
  }
  const wantsInput = words.length === 0 || words.includes('-')
  const input = wantsInput ? await readAll(context) : ''
  const spoken = words.filter((word) => word !== '-').join(' ')
  const message = [spoken, input].filter((part) => part !== '').join('\n\n')
  if (message.trim() !== '') return message
  throw troupeError('usage_invalid', 'The message is empty.', {
    fix: wantsInput
      ? 'Nothing came from stdin; write the message behind the card.'
      : 'Write it behind the card.',
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
