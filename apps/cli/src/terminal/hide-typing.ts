import { spawnSync } from 'node:child_process'
import type { Input } from './terminal.ts'

/**
 * Keeps a terminal from showing what is typed while nobody reads it, and from moving its cursor at Enter. Keys that are signals stay signals. Node has
 * no call for it; where there is no `stty`, such as on Windows, a terminal shows keys only to who reads them. The answer shows them again.
 */
export function hideTyping(stdin: Input): () => void {
  const { fd } = stdin
  if (stdin.isTTY !== true || fd === undefined) return () => undefined
  setEcho(fd, '-echo')
  return () => setEcho(fd, 'echo')
}

function setEcho(fd: number, mode: 'echo' | '-echo'): void {
  // where it fails, typing is seen as it was
  spawnSync('stty', [mode], { stdio: [fd, 'ignore', 'ignore'] })
}
