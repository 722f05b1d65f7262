import { createHash } from 'node:crypto'
import { canonicalJson, type ToolDefinition } from '@troupe/schema'
import { serverToolOf } from '../tools/tool-definition.ts'
import type { LockedTools } from './tool-lock.ts'

/** Converts the tools of a lease to a lock entry. */
export function lockTools(tools: readonly ToolDefinition[]): LockedTools {
  return Object.fromEntries(
    tools.flatMap((tool) => {
      const digest = toolDigest(tool)
      return digest === undefined ? [] : [[digest.name, digest.text]]
    }),
  )
}

/** Digest of a tool under the server's own name. */
export interface ToolDigest {
  readonly name: string
  readonly text: string
}

const known = new WeakMap<ToolDefinition, ToolDigest>()

/**
 * Returns the digest of a tool's description, schema and hints; `undefined` for tools that do not come from a
 * server.
 */
export function toolDigest(definition: ToolDefinition): ToolDigest | undefined {
  const before = known.get(definition)
  const tool = serverToolOf(definition)
  if (before !== undefined || tool === undefined) return before
  const { name, description, inputSchema, readOnly, idempotent, destructive, openWorld = null } = tool
  const said = { name, description, inputSchema, readOnly, idempotent, destructive, openWorld }
  const text = `sha256-${createHash('sha256').update(canonicalJson(said)).digest('base64url')}`
  const digest = { name, text }
  known.set(definition, digest)
  return digest
}
