import { sha256Hex } from './hash.ts'

/**
 * The only module that creates tool names: canonical names for hooks, events and rules, and wire names for
 * models.
 */

const WIRE_LIMIT = 64
const HASH_LENGTH = 8

/** Returns the canonical name of a child agent as a tool: `agent__<Name>`. */
export function agentToolName(agent: string): string {
  return `agent__${agent}`
}

/** Returns the canonical name of an MCP tool: `<server>__<tool>`. */
export function mcpToolName(server: string, tool: string): string {
  return `${server}__${tool}`
}

const CLIENT_PREFIX = 'client__'

/** Returns the canonical name of a tool of the client: `client__<tool>`. */
export function clientToolName(tool: string): string {
  return `${CLIENT_PREFIX}${tool}`
}

/** Returns the name under which the client knows a tool, from its canonical name. */
export function readClientToolName(name: string): string {
  return name.slice(CLIENT_PREFIX.length)
}

/**
 * Returns the name that the model sees: `[a-zA-Z0-9_-]{1,64}`, starting with a letter or `_`. Invalid
 * characters become `_`. A name that is too long is cut and gets a hash.
 */
export function toWireName(name: string): string {
  const legal = name.replaceAll(/[^a-zA-Z0-9_-]/gu, '_')
  const clean = /^[a-zA-Z_]/u.test(legal) ? legal : `_${legal}`
  return clean.length <= WIRE_LIMIT ? clean : withHash(clean, name)
}

/** Makes a wire name unique by a short hash of the canonical name. */
export function withHash(wire: string, canonical: string): string {
  return `${wire.slice(0, WIRE_LIMIT - HASH_LENGTH - 1)}_${sha256Hex(canonical).slice(0, HASH_LENGTH)}`
}
