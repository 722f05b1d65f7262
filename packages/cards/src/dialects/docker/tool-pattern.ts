import { mcpToolName } from '@troupe/schema'
import { FILE_TOOLS } from './docker-tools.ts'

/** What a pattern of `permissions` stands for. */
export interface ToolPattern {
  /** Canonical names, and globs of them. */
  readonly names: readonly string[]
  /** True when it holds for some arguments only. */
  readonly isPartial: boolean
}

const QUALIFIED = /^mcp:(?<server>[^:]+):(?<tool>[^:]+)$/u

/** A pattern over names of tools, such as `read_*`, `shell:cmd=ls*` or `mcp:github:get_*`. Names that are none of docker-agent's own are those of MCP tools. */
export function namesOfPattern(pattern: string): ToolPattern {
  const { server, tool } = QUALIFIED.exec(pattern)?.groups ?? {}
  if (server !== undefined && tool !== undefined)
    return { names: [mcpToolName(server, tool)], isPartial: false }
  const [name = '', ...parts] = pattern.replace(/^mcp:/u, '').split(':')
  const isPartial = parts.length > 0
  if (name === '*') return { names: ['*'], isPartial }
  const own = [...FILE_TOOLS].filter(([known]) => fits(known, name)).map(([, canonical]) => canonical)
  const isKnown = FILE_TOOLS.has(name)
  return { names: [...new Set([...own, ...(isKnown ? [] : [`*__${name}`])])], isPartial }
}

/** True for a name that fits a pattern with `*`. No expression is built from it. */
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
