import type { Failure } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { Terminal } from '../terminal/terminal.ts'

/** Says on stderr what went wrong, of which class and code, and what to do. `word` stands in the place of "error". */
export function printFailure(reason: Failure, { stderr, style }: Terminal, word = 'error'): void {
  const text = plainText(reason.message, { lines: true })
  const head = word === 'error' ? style.red('error:') : style.yellow(`${word}:`)
  stderr.write(`${head} ${text} ${style.dim(`[${reason.class}/${reason.code}]`)}\n`)
  if (reason.remediation !== '') stderr.write(`  fix: ${plainText(reason.remediation, { lines: true })}\n`)
}
