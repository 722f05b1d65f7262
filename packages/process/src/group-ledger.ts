import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { descendants, procStat, type ProcessMark } from './proc-stat.ts'
import { processGroup } from './process-group.ts'

/** What is noted of process groups, so that the next program ends those that a killed one left behind. */
export interface GroupLedger {
  /** Notes a group that was just started by this process. */
  record(pid: number): GroupRecord
  /** Ends every noted group whose program is gone; how many there were. */
  sweep(): number
}

/** The note of one group. */
export interface GroupRecord {
  /** Notes what the leader has started since: when it has died, they are what the group is known by. */
  refresh(): void
  /** The group is gone. */
  strike(): void
}

interface Note {
  readonly boot: string
  readonly owner: ProcessMark
  readonly group: number
  readonly members: readonly ProcessMark[]
}

/**
 * A ledger of one small file for each group in a folder, which is made when it is needed. Numbers of processes are used again, so a
 * group is only ended when one of its noted members still runs, with the same start time, in the same group, since the same start of
 * the machine. Without /proc nothing is noted. Never throws: a folder that cannot be written costs the notes.
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
      return { refresh, strike: () => remove(file) }
    },
    sweep() {
      const boot = bootId()
      return list(folder).filter((name) => sweepOne(join(folder, name), boot)).length
    },
  }
}

const NO_RECORD: GroupRecord = { refresh: () => undefined, strike: () => undefined }

function sweepOne(file: string, boot: string | undefined): boolean {
  const note = read(file)
  if (note !== undefined && note.boot === boot && isAlive(note.owner)) return false
  remove(file)
  if (note === undefined || note.boot !== boot || !note.members.some((mark) => isAlive(mark, note.group)))
    return false
  processGroup(note.group).signal('SIGKILL')
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
    // nothing was ever noted
    return []
  }
}

function read(file: string): Note | undefined {
  try {
    const note = JSON.parse(readFileSync(file, 'utf8')) as Note
    return note.group > 1 && Array.isArray(note.members) ? note : undefined
  } catch {
    // half a note, or somebody else's file: it says nothing
    return undefined
  }
}

function write(folder: string, file: string, note: Note): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(file, JSON.stringify(note), { mode: 0o600 })
  } catch {
    // see createGroupLedger: the notes are a net below the net
  }
}

function remove(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // it stays, and says nothing that would still be true
  }
}
