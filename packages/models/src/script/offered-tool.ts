import { toWireName, withHash } from '@troupe/schema'

/** The wire name of the offered tool that a script means by its wire or canonical name; a name that is not offered stays as it is. */
export function offeredToolName(name: string, offered: ReadonlySet<string>): string {
  const wire = toWireName(name)
  return [name, withHash(wire, name), wire].find((candidate) => offered.has(candidate)) ?? name
}
