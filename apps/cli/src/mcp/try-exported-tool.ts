import { randomUUID } from 'node:crypto'
import type { Host } from '@troupe/host'
import type { ExportedTool, DirectCallOptions } from '@troupe/meta-mcp'
import {
  isJsonObject,
  type AgentDefinition,
  type Failure,
  type JsonObject,
  type Outcome,
} from '@troupe/schema'
import type { CommandContext } from '../terminal/context.ts'

export interface ExportedToolResult {
  readonly outcome: Outcome
  /** The answer, or the failure as text. */
  readonly text: string
  readonly failure?: Failure
  /** Result in the form that MCP clients receive. */
  readonly result: JsonObject
}

/** Calls an exported tool of an agent as an MCP client would. */
export async function tryExportedTool(
  { wireName }: ExportedTool,
  args: JsonObject,
  {
    host,
    agent,
    run,
    clock,
  }: Pick<CommandContext, 'clock'> & {
    readonly host: Host
    readonly agent: AgentDefinition
    readonly run: DirectCallOptions
  },
): Promise<ExportedToolResult> {
  const { createMetaMcp } = await import('@troupe/meta-mcp')
  const meta = createMetaMcp({ agent, runner: host, clock, newContextId: randomUUID })
  const result = await meta.call(wireName, args, run)
  const { content, isError, structuredContent, _meta: more } = result
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  const data = isError === true ? (more?.['failure'] ?? structuredContent) : more
  const { outcome } = data as { readonly outcome: Outcome }
  const failed = isError === true && isJsonObject(data) ? { failure: data as unknown as Failure } : {}
  return { outcome, text, ...failed, result: { ...result } as unknown as JsonObject }
}
