import { readFileSync } from 'node:fs'

/** Returns true for a running process, also of another user; false for a zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (thrown) {
    return (thrown as { readonly code?: unknown }).code === 'EPERM'
  }
  return !isZombie(pid)
}

function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The program name, in parentheses, may contain any character.
    return /^\) [ZX]/u.test(stat.slice(stat.lastIndexOf(')')))
  } catch {
    // Systems without /proc do not show zombies.
    return false
  }
}
