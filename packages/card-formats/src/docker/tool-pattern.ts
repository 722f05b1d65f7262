import { mcpToolName } from '@troupe/schema'
import { FILE_TOOLS } from './docker-tools.ts'

/** A parsed pattern of `permissions`. */
export interface ToolPattern {
  /** Canonical names, and globs of them. */
  readonly names: readonly string[]
  /** The arguments to compare, by docker-agent's names. */
  readonly conditions: readonly { readonly argument: string; readonly pattern: string }[]
}

const QUALIFIED = /^mcp:(?<server>[^:]+):(?<tool>[^:]+)$/u
/** A condition begins with a colon only before `key=`; names of tools and values may contain colons. */
const CONDITION = /:(?<argument>\w+)=/gu

/**
 * Parses a pattern such as `read_*`, `shell:cmd=ls*` or `mcp:github:get_*`. Names that are not docker-agent's
 * own are taken for MCP tools.
 */
export function readToolPattern(pattern: string): ToolPattern {
  const found = [...pattern.matchAll(CONDITION)]
  const conditions = found.map((match, index) => ({
    argument: match.groups?.['argument'] ?? '',
    pattern: pattern.slice(match.index + match[0].length, found[index + 1]?.index ?? pattern.length),
  }))
  return { names: namesOf(pattern.slice(0, found[0]?.index ?? pattern.length)), conditions }
}

function namesOf(text: string): readonly string[] {
  const { server, tool } = QUALIFIED.exec(text)?.groups ?? {}
  if (server !== undefined && tool !== undefined) return [mcpToolName(server, tool)]
  const name = text.replace(/^mcp:/u, '').toLowerCase()
  if (name === '*') return ['*']
  const own = [...FILE_TOOLS].filter(([known]) => fits(known, name)).map(([, canonical]) => canonical)
  const isKnown = FILE_TOOLS.has(name)
  return [...new Set([...own, ...(isKnown ? [] : [`*__${text.replace(/^mcp:/u, '')}`])])]
}

/** Matches a name against a pattern with `*`, without building a regular expression. */
function fits(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return name === pattern
  if (!name.startsWith(first) || !name.endsWith(last)) return false
  let from = first.length
  for (const part of rest) {
    const at = name.indexOf(part, from)
    if (at === -1) return false
    from = at + part.length
  }
  return from <= name.length - last.length
}
