import { plainText } from '@troupe/timeline'
import { refreshSize, type Terminal } from '../terminal/terminal.ts'
import { wrapText } from '../terminal/wrap.ts'

/** Matches the instance number, which differs between turns. */
const INSTANCE_NUMBER = /\[\d+\](?=: )/u

/** Returns a function that prints the warnings of a turn, word-wrapped and without those of earlier turns. */
export function createChatWarnings({ stderr, style }: Terminal): (warnings: readonly string[]) => void {
  const printed = new Set<string>()
  return (warnings) => {
    for (const warning of warnings) {
      const fact = warning.replace(INSTANCE_NUMBER, '')
      if (printed.has(fact)) continue
      printed.add(fact)
      const line = `${style.yellow('warning:')} ${plainText(warning)}`
      refreshSize(stderr)
      stderr.write(`${wrapText(line, stderr)}\n`)
    }
  }
}
