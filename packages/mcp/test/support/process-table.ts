import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Returns the living members of a process group, without zombies, which only wait for their parent. */
export function groupMembers(pgid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/u.test(entry))
    .map(Number)
    .filter((pid) => isMember(pid, pgid))
}

/** Waits until a condition holds. Fails after a minute or more with a message that names `what`. */
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
    // the process ended in the meantime
    return false
  }
}
