import { readFileSync } from 'node:fs'
import { errorMessage } from '@troupe/schema'

/** A zombie is dead: it only waits for its parent, which some containers do not have. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+[ZX]/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch (thrown) {
    // no such process; or no such folder, where the system has none
    return errorMessage(thrown).includes('ENOENT') && process.platform !== 'linux'
  }
}
