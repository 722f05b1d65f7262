import type { Failure } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { Terminal } from '../terminal/terminal.ts'

/** Prints a failure on stderr with its class, code and fix. `word` replaces "error". */
export function printFailure(reason: Failure, { stderr, style }: Terminal, word = 'error'): void {
  const text = plainText(reason.message, { lines: true })
  const head = word === 'error' ? style.red('error:') : style.yellow(`${word}:`)
  stderr.write(`${head} ${text} ${style.dim(`[${reason.class}/${reason.code}]`)}\n`)
  if (reason.remediation !== '') stderr.write(`  fix: ${plainText(reason.remediation, { lines: true })}\n`)
}
