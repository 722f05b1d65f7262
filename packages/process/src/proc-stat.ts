import { readFileSync } from 'node:fs'

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessMark {
  readonly pid: number
  /** When it started, in ticks since the machine did. */
  readonly start: number
}

/** What Linux says of a living process; undefined when there is none, or no /proc. Zombies are dead. */
export function procStat(pid: number | 'self'): (ProcessMark & { readonly group: number }) | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    // no such process, or another system: nothing is known
    return undefined
  }
  // the name, in brackets, may hold anything
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, , group] = fields
  if (state === 'Z' || state === 'X') return undefined
  return { pid: Number.parseInt(text, 10), group: Number(group), start: Number(fields[START]) }
}

/** The start time is the 22nd field; two come before the state. */
const START = 19

/** A process and what it started, as far as it is known now. */
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
    // it ended, or the kernel does not say
    return []
  }
}
