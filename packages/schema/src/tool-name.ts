import { sha256Hex } from './hash.ts'

/** The one owner of tool identity (R2): canonical names for hooks, events and rules; wire names for models. */

const WIRE_LIMIT = 64
const HASH_LENGTH = 8

/** The canonical name of a child agent as a tool: `agent__<Name>` (A36). */
export function agentToolName(agent: string): string {
  return `agent__${agent}`
}

/** The canonical name of an MCP tool: `<server>__<tool>` (B40). */
export function mcpToolName(server: string, tool: string): string {
  return `${server}__${tool}`
}

/** The name a model sees: `[a-zA-Z0-9_-]{1,64}`, starting with a letter or `_`. Each illegal character becomes `_`; an over-long name keeps its head and a hash. */
export function toWireName(name: string): string {
  const legal = name.replaceAll(/[^a-zA-Z0-9_-]/gu, '_')
  const clean = /^[a-zA-Z_]/u.test(legal) ? legal : `_${legal}`
  return clean.length <= WIRE_LIMIT ? clean : withHash(clean, name)
}

/** A wire name made unique by a short hash of the canonical name. */
export function withHash(wire: string, canonical: string): string {
  return `${wire.slice(0, WIRE_LIMIT - HASH_LENGTH - 1)}_${sha256Hex(canonical).slice(0, HASH_LENGTH)}`
}
