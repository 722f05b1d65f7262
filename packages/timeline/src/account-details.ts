import { addUsage, NO_USAGE, type RunEvent, type Usage } from '@troupe/schema'
import type { AccountDetails, ModelAccount, ToolAccount } from './account-view.ts'

/** Returns the row with one more event added. `usage` is the usage of the event. */
export function addToDetails<Row extends AccountDetails>(row: Row, event: RunEvent, usage: Usage): Row {
  return {
    ...row,
    usage: addUsage(row.usage, usage),
    models: event.type === 'usage' ? addToModels(row.models, event) : row.models,
    tools: event.type === 'tool-result' ? addToTools(row.tools, event) : row.tools,
  }
}

function addToModels(
  rows: readonly ModelAccount[],
  event: Extract<RunEvent, { readonly type: 'usage' }>,
): readonly ModelAccount[] {
  const { provider, model } = event
  const index = rows.findIndex((row) => row.provider === provider && row.model === model)
  const row = rows[index] ?? { provider, model, usage: NO_USAGE, latencyMs: 0 }
  return putRow(rows, index, {
    ...row,
    usage: addUsage(row.usage, event.tokens),
    latencyMs: row.latencyMs + event.latencyMs,
  })
}

function addToTools(
  rows: readonly ToolAccount[],
  event: Extract<RunEvent, { readonly type: 'tool-result' }>,
): readonly ToolAccount[] {
  const { toolName, source, server, outcome } = event
  const index = rows.findIndex(
    (row) => row.toolName === toolName && row.source === source && row.server === server,
  )
  const row = rows[index] ?? emptyTool(event)
  return putRow(rows, index, {
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

function putRow<Row>(rows: readonly Row[], index: number, row: Row): readonly Row[] {
  return index === -1 ? [...rows, row] : rows.with(index, row)
}
