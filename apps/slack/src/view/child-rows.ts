import type { TaskUpdateChunk } from '@slack/types'
import { hasAnswer, type RunEvent } from '@troupe/schema'
import { contentText } from '@troupe/timeline'
import { oneLine, escapeSlack } from './slack-text.ts'

/** A row of a message, for one call of an agent. */
interface ChildRow {
  readonly id: string
  readonly title: string
  readonly status: TaskUpdateChunk['status']
  readonly details: string
  readonly output: string
}

/** The rows of a root run, in the order of their calls. */
export interface ChildRows {
  readonly rows: ReadonlyMap<string, ChildRow>
  /** Row keys by child run id. */
  readonly rowOfRun: ReadonlyMap<string, string>
  /** Calls beyond the maximum number of rows. */
  readonly hidden: ReadonlyMap<string, ChildRow>
}

export const NO_ROWS: ChildRows = { rows: new Map(), rowOfRun: new Map(), hidden: new Map() }

/** Maximum number of rows in a message. Further calls are counted in one row. */
const MAX_ROWS = 40
/** Slack allows 256 characters, and escaping makes a text longer. */
const TITLE = 120
const WORDS = 120

/** Returns the rows after an event. Only calls of agents change them. */
export function reduceRows(rows: ChildRows, event: RunEvent): ChildRows {
  switch (event.type) {
    case 'tool-call':
      return event.childInstance === undefined
        ? rows
        : withRow(rows, keyOf(event), {
            title: titleOf(rows, event.runId, event.childInstance),
            status: 'pending',
            details: words(inputOf(event.args)),
            output: '',
          })
    case 'tool-start':
      return updateRow(rows, keyOf(event), { status: 'in_progress' })
    case 'run-start':
      return event.parentRunId === undefined
        ? rows
        : {
            ...rows,
            rowOfRun: new Map(rows.rowOfRun).set(event.runId, `${event.parentRunId}/${event.callId}`),
          }
    case 'tool-result':
      return updateRow(rows, keyOf(event), {
        status: hasAnswer(event.outcome) ? 'complete' : 'error',
        output: words(
          hasAnswer(event.outcome) ? contentText(event.content) : (event.error?.message ?? event.outcome),
        ),
      })
    default:
      return rows
  }
}

/** Closes all open rows as errors, with a reason. */
export function closeRows(rows: ChildRows, reason: string): ChildRows {
  let closed = rows
  for (const [key, { status }] of [...rows.rows, ...rows.hidden])
    if (isOpen(status)) closed = updateRow(closed, key, { status: 'error', output: words(reason) })
  return closed
}

/** Returns the update chunks of the rows that changed. */
export function changedRows(before: ChildRows, now: ChildRows): readonly TaskUpdateChunk[] {
  const chunks = [...now.rows]
    .filter(([key, row]) => before.rows.get(key) !== row)
    .map(([, row]) => toChunk(row))
  return before.hidden === now.hidden || now.hidden.size === 0 ? chunks : [...chunks, toChunk(hiddenRow(now))]
}

function toChunk({ id, title, status, details, output }: ChildRow): TaskUpdateChunk {
  return {
    type: 'task_update',
    id,
    title,
    status,
    ...(details === '' ? {} : { details }),
    ...(output === '' ? {} : { output }),
  }
}

function hiddenRow({ hidden }: ChildRows): ChildRow {
  const all = [...hidden.values()]
  const open = all.filter(({ status }) => isOpen(status)).length
  const failed = all.filter(({ status }) => status === 'error').length
  const status = open > 0 ? 'in_progress' : failed > 0 ? 'error' : 'complete'
  return {
    id: 'more',
    title: `${all.length} more`,
    status,
    details: '',
    output: failed > 0 ? `${failed} failed` : '',
  }
}

function withRow(rows: ChildRows, key: string, row: Omit<ChildRow, 'id'>): ChildRows {
  const known = rows.rows.get(key) ?? rows.hidden.get(key)
  const id = known?.id ?? `call-${rows.rows.size + rows.hidden.size + 1}`
  const group = rows.rows.has(key) || (known === undefined && rows.rows.size < MAX_ROWS) ? 'rows' : 'hidden'
  return { ...rows, [group]: new Map(rows[group]).set(key, { ...row, id }) }
}

function updateRow(rows: ChildRows, key: string, change: Partial<ChildRow>): ChildRows {
  const row = rows.rows.get(key) ?? rows.hidden.get(key)
  return row === undefined ? rows : withRow(rows, key, { ...row, ...change })
}

function titleOf({ rows, rowOfRun }: ChildRows, runId: string, instance: string): string {
  const above = rows.get(rowOfRun.get(runId) ?? '')?.title
  const own = escapeSlack(oneLine(instance, TITLE), { atLineStart: false })
  return above === undefined || above.length + own.length > TITLE ? own : `${above} › ${own}`
}

function keyOf({ runId, callId }: RunEvent): string {
  return `${runId}/${callId}`
}

function inputOf(args: Readonly<Record<string, unknown>>): string {
  const { text } = args
  return typeof text === 'string' ? text : JSON.stringify(args)
}

function words(text: string): string {
  const line = oneLine(text, WORDS)
  const escaped = escapeSlack(line, { atLineStart: false })
  return escaped.length <= 2 * WORDS ? escaped : oneLine(text, 40).replaceAll(/[&<>]/gu, ' ')
}

function isOpen(status: ChildRow['status']): boolean {
  return status === 'pending' || status === 'in_progress'
}
