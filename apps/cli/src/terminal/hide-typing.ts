import { spawnSync } from 'node:child_process'
import type { Input } from './terminal.ts'

/**
 * Turns off echo and canonical mode of a terminal while no line is being read. Typed keys stay in the input;
 * canonical mode would lose a Ctrl-D in them. Signal keys still work. Node has no API for this; without
 * `stty`, such as on Windows, terminals only echo while a program reads. Returns a function that turns both
 * on again.
 */
export function hideTyping(stdin: Input): () => void {
  const { fd } = stdin
  if (stdin.isTTY !== true || fd === undefined) return () => undefined
  setModes(fd, ['-echo', '-icanon'])
  return () => setModes(fd, ['echo', 'icanon'])
}

function setModes(fd: number, modes: readonly string[]): void {
  // If this fails, the terminal echoes as before.
  spawnSync('stty', [...modes], { stdio: [fd, 'ignore', 'ignore'] })
}
