import { readFileSync } from 'node:fs'

/** Identity of a process. The start time distinguishes it from later processes with the same PID. */
export interface ProcessMark {
  readonly pid: number
  /** Start time in clock ticks since boot. */
  readonly start: number
}

/** Reads the state of a process from /proc. `undefined` without /proc, or if it does not run. */
export function procStat(pid: number | 'self'): (ProcessMark & { readonly group: number }) | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    // no such process, or not Linux
    return undefined
  }
  // the process name, in parentheses, may contain spaces and parentheses
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, , group] = fields
  if (state === 'Z' || state === 'X') return undefined
  return { pid: Number.parseInt(text, 10), group: Number(group), start: Number(fields[START]) }
}

/** Index of the start time, field 22, counted from the state, which is field 3. */
const START = 19

/** Returns the PIDs of a process and its known descendants. */
export function descendants(pid: number): readonly number[] {
  const found = [pid]
  for (const each of found) found.push(...children(each))
  return found
}

function children(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return text.split(' ').filter(Boolean).map(Number)
  } catch {
    // the process has ended, or the kernel does not list children
    return []
  }
}
