import { readFileSync } from 'node:fs'
import { errorMessage } from '@troupe/schema'

/** Returns true unless the process has ended. A zombie counts as ended: it only waits for its parent, and some containers have none. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+[ZX]/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch (thrown) {
    // no such process, or a system without `/proc`
    return errorMessage(thrown).includes('ENOENT') && process.platform !== 'linux'
  }
}
