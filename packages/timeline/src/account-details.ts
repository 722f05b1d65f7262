import { addUsage, NO_USAGE, type RunEvent, type Usage } from '@troupe/schema'
import type { AccountDetails, ModelAccount, ToolAccount } from './account-view.ts'

/** Returns the row with one more event added. `usage` is the usage of the event. */
export function enterDetails<Row extends AccountDetails>(row: Row, event: RunEvent, usage: Usage): Row {
  return {
    ...row,
    usage: addUsage(row.usage, usage),
    models: event.type === 'usage' ? enterModel(row.models, event) : row.models,
    tools: event.type === 'tool-result' ? enterTool(row.tools, event) : row.tools,
  }
}

function enterModel(
  rows: readonly ModelAccount[],
  event: Extract<RunEvent, { readonly type: 'usage' }>,
): readonly ModelAccount[] {
  const { provider, model } = event
  const place = rows.findIndex((row) => row.provider === provider && row.model === model)
  const row = rows[place] ?? { provider, model, usage: NO_USAGE, latencyMs: 0 }
  return put(rows, place, {
    ...row,
    usage: addUsage(row.usage, event.tokens),
    latencyMs: row.latencyMs + event.latencyMs,
  })
}

function enterTool(
  rows: readonly ToolAccount[],
  event: Extract<RunEvent, { readonly type: 'tool-result' }>,
): readonly ToolAccount[] {
  const { toolName, source, server, outcome } = event
  const place = rows.findIndex(
    (row) => row.toolName === toolName && row.source === source && row.server === server,
  )
  const row = rows[place] ?? emptyTool(event)
  return put(rows, place, {
    ...row,
    calls: row.calls + 1,
    attempts: row.attempts + event.attempts,
    outcomes: { ...row.outcomes, [outcome]: (row.outcomes[outcome] ?? 0) + 1 },
    bytesIn: row.bytesIn + event.bytesIn,
    bytesOut: row.bytesOut + event.bytesOut,
    durationMs: row.durationMs + event.durationMs,
  })
}

function emptyTool(event: Extract<RunEvent, { readonly type: 'tool-result' }>): ToolAccount {
  return {
    toolName: event.toolName,
    source: event.source,
    ...(event.server === undefined ? {} : { server: event.server }),
    calls: 0,
    attempts: 0,
    outcomes: {},
    bytesIn: 0,
    bytesOut: 0,
    durationMs: 0,
  }
}

function put<Row>(rows: readonly Row[], place: number, row: Row): readonly Row[] {
  return place === -1 ? [...rows, row] : rows.with(place, row)
}
