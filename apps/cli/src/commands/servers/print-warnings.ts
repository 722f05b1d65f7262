import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../../terminal/context.ts'

/** Prints warnings about a server on stderr. Secrets must already be removed. */
export function printWarnings(warnings: readonly string[], { terminal }: CommandContext): void {
  for (const warning of warnings) terminal.stderr.write(`warning: ${plainText(warning)}\n`)
}
