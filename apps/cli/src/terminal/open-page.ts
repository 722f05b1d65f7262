import { createInterface } from 'node:readline'
import type { CommandContext } from './context.ts'

/**
 * Calls `onOpen` whenever the user types `o` and Enter. Returns a function that ends it. Reads the terminal only
 * in the foreground, because the shell stops a background process that reads it.
 */
export function listenForOpen(
  { terminal, watchForeground }: Pick<CommandContext, 'terminal' | 'watchForeground'>,
  onOpen: () => void,
): () => void {
  const lines = createInterface({ input: terminal.stdin, terminal: false })
  lines.pause()
  lines.on('line', (line) => {
    if (line.trim().toLowerCase() === 'o') onOpen()
  })
  const unwatch = watchForeground((isForeground) => {
    if (isForeground) lines.resume()
    else lines.pause()
  })
  return () => {
    unwatch()
    lines.close()
  }
}
