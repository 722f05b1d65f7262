import { spawnSync } from 'node:child_process'
import type { Input } from './terminal.ts'

/**
 * Keeps a terminal from showing what is typed while nobody reads it, and from moving its cursor at Enter. The keys wait as they were typed: of lines that
 * the terminal itself puts together a Ctrl-D would be lost. Those that are signals stay signals. Node has no call for it; where there is no `stty`, such as
 * on Windows, a terminal shows keys only to who reads them. The answer turns both on again.
 */
export function hideTyping(stdin: Input): () => void {
  const { fd } = stdin
  if (stdin.isTTY !== true || fd === undefined) return () => undefined
  setModes(fd, ['-echo', '-icanon'])
  return () => setModes(fd, ['echo', 'icanon'])
}

function setModes(fd: number, modes: readonly string[]): void {
  // where it fails, typing is seen as it was
  spawnSync('stty', [...modes], { stdio: [fd, 'ignore', 'ignore'] })
}
