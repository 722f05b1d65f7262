import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** The living members of a process group, zombies left out: they are dead and wait for their parent only. */
export function groupMembers(pgid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/u.test(entry))
    .map(Number)
    .filter((pid) => isMember(pid, pgid))
}

/** Waits until a condition holds; fails after a minute or more, saying what did not come. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 6000; turn += 1) {
    if (await holds()) return
    await pause(10)
  }
  throw new Error(`did not happen: ${what}`)
}

function isMember(pid: number, pgid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(group) === pgid && state !== 'Z' && state !== 'X'
  } catch {
    // it ended while we looked
    return false
  }
}
