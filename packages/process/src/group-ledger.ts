import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { processGroup } from './process-group.ts'

/**
 * Files that record process groups, so that the next start can kill groups left behind by a killed program.
 */
export interface GroupLedger {
  /** Records a group that this process just started. */
  record(pid: number): GroupRecord
  /** Kills every recorded group whose owner no longer runs. Returns the number of killed groups. */
  sweep(): number
}

/** The record of one process group. */
export interface GroupRecord {
  /** Records the current descendants of the leader, which identify the group after the leader exits. */
  refresh(): void
  /** Deletes the record after the group has ended. */
  remove(): void
}

interface GroupEntry {
  readonly boot: string
  readonly owner: ProcessMark
  readonly group: number
  readonly members: readonly ProcessMark[]
}

/**
 * Creates a ledger with one small file per group in `folder`, which is created on demand. PIDs are reused, so
 * a group is only killed if a recorded member is still running with the same start time and group since the
 * same boot. Records nothing without /proc. Never throws: if the folder is not writable, nothing is recorded.
 */
export function createGroupLedger(folder: string): GroupLedger {
  return {
    record(group) {
      const owner = procStat('self')
      const boot = bootId()
      if (owner === undefined || boot === undefined) return NO_RECORD
      const file = join(folder, `${group}.json`)
      const refresh = (): void =>
        write(folder, file, { boot, owner: markOf(owner), group, members: membersOf(group) })
      refresh()
      return { refresh, remove: () => remove(file) }
    },
    sweep() {
      const boot = bootId()
      return list(folder).filter((name) => sweepOne(join(folder, name), boot)).length
    },
  }
}

const NO_RECORD: GroupRecord = { refresh: () => undefined, remove: () => undefined }

function sweepOne(file: string, boot: string | undefined): boolean {
  const entry = read(file)
  if (entry !== undefined && entry.boot === boot && isAlive(entry.owner)) return false
  remove(file)
  if (entry === undefined || entry.boot !== boot || !entry.members.some((mark) => isAlive(mark, entry.group)))
    return false
  processGroup(entry.group).signal('SIGKILL')
  return true
}

function isAlive({ pid, start }: ProcessMark, group?: number): boolean {
  const now = procStat(pid)
  return now?.start === start && (group === undefined || now.group === group)
}

function membersOf(group: number): readonly ProcessMark[] {
  return descendants(group).flatMap((pid) => {
    const stat = procStat(pid)
    return stat?.group === group ? [markOf(stat)] : []
  })
}

function markOf({ pid, start }: ProcessMark): ProcessMark {
  return { pid, start }
}

function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    // not Linux
    return undefined
  }
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => /^\d+\.json$/u.test(name))
  } catch {
    // nothing was recorded yet
    return []
  }
}

function read(file: string): GroupEntry | undefined {
  try {
    const entry = JSON.parse(readFileSync(file, 'utf8')) as GroupEntry
    return entry.group > 1 && Array.isArray(entry.members) ? entry : undefined
  } catch {
    // a partly written record or an unrelated file
    return undefined
  }
}

function write(folder: string, file: string, entry: GroupEntry): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(file, JSON.stringify(entry), { mode: 0o600 })
  } catch {
    // ignored: the records are only a second safety net, see createGroupLedger
  }
}

function remove(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // ignored: a stale record matches no running process
  }
}

/** Identity of a process. The start time distinguishes it from later processes with the same PID. */
interface ProcessMark {
  readonly pid: number
  /** Start time in clock ticks since boot. */
  readonly start: number
}

/** Reads the state of a process from /proc. `undefined` without /proc, or if it does not run. */
function procStat(pid: number | 'self'): (ProcessMark & { readonly group: number }) | undefined {
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
function descendants(pid: number): readonly number[] {
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
