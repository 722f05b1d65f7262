import { readdirSync, readFileSync } from 'node:fs'

/** Returns the ids of running processes whose command line contains `text`. Linux only. Ignores zombies. */
export function findProcesses(text: string): readonly number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/u.test(entry) && isMatch(entry, text))
    .map(Number)
}

function isMatch(pid: string, text: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const isDead = /^[ZX]/u.test(stat.slice(stat.lastIndexOf(')') + 2))
    return !isDead && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
  } catch {
    // the process has ended meanwhile
    return false
  }
}
