import { readFileSync, readdirSync } from 'node:fs'
import { troupeError } from '@troupe/schema'
import { settle } from './clock/fake-clock.ts'

/** Compares the open resources of this process with those at the start. */
export interface LeakCheck {
  /**
   * Throws with a list if additional resources stay open for this time in ms. Default: 30,000 ms, which is
   * reached only by a leak.
   */
  assertClean(options?: { readonly maxWaitMs?: number }): Promise<void>
}

const WATCHED: ReadonlySet<string> = new Set([
  'ProcessWrap',
  'PipeWrap',
  'TCPServerWrap',
  'TCPSocketWrap',
  'Timeout',
  'FSEventWrap',
])

/** Records the child processes, sockets, pipes and timers that are open now. */
export function leakCheck(): LeakCheck {
  const before = openNow()
  return {
    async assertClean({ maxWaitMs = 30_000 } = {}) {
      const giveUp = performance.now() + maxWaitMs
      let leaked = moreThan(before, openNow())
      while (leaked.length > 0 && performance.now() < giveUp) {
        await settle()
        leaked = moreThan(before, openNow())
      }
      if (leaked.length > 0) throw troupeError('usage_invalid', `Left open: ${leaked.join(', ')}.`)
    },
  }
}

function openNow(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) {
    if (WATCHED.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  for (const pid of childProcesses()) counts.set(`child process ${pid}`, 1)
  return counts
}

function childProcesses(): readonly string[] {
  try {
    const text = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
    return text.split(' ').filter((pid) => pid !== '')
  } catch {
    // /proc exists only on Linux; elsewhere the count of ProcessWrap has to suffice
    return []
  }
}

function moreThan(before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>): readonly string[] {
  const more: string[] = []
  for (const [kind, count] of now) {
    const extra = count - (before.get(kind) ?? 0)
    if (extra > 0) more.push(`${kind}${extra > 1 ? ` ×${extra}` : ''}`)
  }
  return more
}

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
