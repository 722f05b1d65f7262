import type { RunSummary } from '../run-service/run-view.ts'
import type { ChangedRun } from '../run-service/changed-runs.ts'
import { sseBlock } from '../sse/event-stream.ts'

/** The rights of the reader of a change log. */
export interface ChangeScope {
  /** Principal whose runs the reader sees; `undefined` for all. */
  readonly principal: string | undefined
  readonly isOperator: boolean
}

/** A change of what the server lists. */
export type ChangeEntry =
  | { readonly type: 'runs'; readonly runs: readonly ChangedRun[] }
  /** The open approvals of a principal, or of all. */
  | { readonly type: 'approvals'; readonly principal: string | undefined; readonly total: number }
  /** The conversations of a principal, or of all. */
  | { readonly type: 'sessions'; readonly principal: string | undefined }
  /** Another list of the server, such as the schedules. */
  | { readonly type: 'reload'; readonly list: string; readonly forOperators: boolean }

/** The latest changes of a server. Readers that are too far behind have to load everything again. */
export interface ChangeLog {
  append(entry: ChangeEntry): void
  /** Makes all readers load everything again. */
  reset(): void
  /** Creates a reader that begins after the change with this id. */
  read(scope: ChangeScope, after: string | undefined): ChangeReader
}

/** The position of one client. */
export interface ChangeReader {
  /** Returns the next changes as server-sent events; `undefined` if there are none. */
  next(): string | undefined
}

/** Maximum number of changes that are kept. */
const MAX_ENTRIES = 500
/** Maximum number of characters of an input in a change. */
const MAX_INPUT = 500
/** Time after which an `EventSource` reconnects, in ms. */
const RETRY_MS = 2000

/** Creates an empty log. `epoch` distinguishes its ids from those of earlier logs. */
export function createChangeLog(epoch: string): ChangeLog {
  let entries: ChangeEntry[] = []
  let start = 0
  const end = (): number => start + entries.length

  /** Returns the position of an id of this log that is still available. */
  function positionOf(id: string | undefined): number | undefined {
    const [, text = ''] = id?.startsWith(`${epoch}-`) === true ? id.split('-') : []
    const position = /^\d{1,15}$/u.test(text) ? Number(text) : -1
    return position < start || position > end() ? undefined : position
  }

  return {
    append(entry) {
      entries.push(entry)
      if (entries.length <= MAX_ENTRIES) return
      start += 1
      entries = entries.slice(1)
    },
    reset() {
      start = end() + 1
      entries = []
    },
    read(scope, after) {
      let position = positionOf(after) ?? -1
      let isNew = true
      return {
        next() {
          const head = isNew ? `retry: ${RETRY_MS}\n\n` : ''
          isNew = false
          const from = position
          position = end()
          const id = `${epoch}-${position}`
          if (from < start) return head + changeBlock({ type: 'reset' }, id)
          const shown = entries.slice(from - start).flatMap((entry) => toChange(entry, scope))
          const blocks = shown.map((change, index) =>
            changeBlock(change, index === shown.length - 1 ? id : undefined),
          )
          return head === '' && blocks.length === 0 ? undefined : head + blocks.join('')
        },
      }
    },
  }
}

/** A change as a client receives it. */
export type SentChange =
  | { readonly type: 'reset' }
  | { readonly type: 'runs'; readonly runs: readonly RunSummary[] }
  | { readonly type: 'approvals'; readonly total: number }
  | { readonly type: 'sessions' }
  | { readonly type: 'reload'; readonly list: string }

/** Formats a change. Its type is the event of the block too, for clients that listen by event. */
function changeBlock(change: SentChange, id: string | undefined): string {
  return sseBlock(change, { id, event: change.type })
}

function toChange(entry: ChangeEntry, { principal, isOperator }: ChangeScope): readonly SentChange[] {
  switch (entry.type) {
    case 'runs': {
      const own = entry.runs.filter((run) => principal === undefined || run.principal === principal)
      return own.length === 0 ? [] : [{ type: 'runs', runs: own.map((run) => toRow(run, principal)) }]
    }
    case 'approvals':
      return entry.principal === principal ? [{ type: 'approvals', total: entry.total }] : []
    case 'sessions':
      return entry.principal === principal ? [{ type: 'sessions' }] : []
    default:
      return entry.forOperators && !isOperator ? [] : [{ type: 'reload', list: entry.list }]
  }
}

function toRow({ run, principal }: ChangedRun, listed: string | undefined): RunSummary {
  const row = run.input.length > MAX_INPUT ? { ...run, input: run.input.slice(0, MAX_INPUT) } : run
  return listed === undefined && principal !== undefined ? { ...row, principal } : row
}
