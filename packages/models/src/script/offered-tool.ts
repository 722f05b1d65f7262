import { toWireName, withHash } from '@troupe/schema'

/**
 * Returns the wire name of the offered tool with this wire or canonical name. Returns an unknown name
 * unchanged.
 */
export function offeredToolName(name: string, offered: ReadonlySet<string>): string {
  const wire = toWireName(name)
  return [name, withHash(wire, name), wire].find((candidate) => offered.has(candidate)) ?? name
}
