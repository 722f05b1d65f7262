import { plainText } from '@troupe/timeline'
import { markdownLines } from './markdown-stream.ts'
import { outputText } from '../reporter/answer.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { TeamChat } from './team-chat.ts'

const LONGEST = 2000

/** Returns the lines that summarise a continued conversation: the number of turns and the last one. */
export function recap(
  talk: Pick<TeamChat, 'agent' | 'sessionId' | 'turns'>,
  terminal: Terminal,
): readonly string[] {
  const { style, stderr } = terminal
  const { turns } = talk
  const count = turns.length === 1 ? '1 turn' : `${turns.length} turns`
  const head = style.dim(
    `Conversation ${plainText(talk.sessionId ?? '')} with ${plainText(talk.agent)}: ${count}.`,
  )
  const last = turns.at(-1)
  if (last === undefined) return [head]
  const said = outputText(last.output).slice(0, LONGEST)
  return [
    head,
    `${style.cyan('>')} ${plainText(last.message, { max: LONGEST })}`,
    ...markdownLines(said, { width: (stderr.columns ?? 80) - 1, style }),
  ]
}
