import type { McpServerConfig, ToolDefinition } from '@troupe/schema'
import type { ServerTool } from './server-tool.ts'
import { toToolDefinition, type CallServerTool } from './tool-definition.ts'

/**
 * The tools of one server across successive lists. An unchanged tool remains the same object, so that its
 * validator is compiled once.
 */
export interface ToolCatalogue {
  /**
   * Returns the definitions for a new list, and the changes since the previous list; `changes` is `undefined`
   * if there are none or the list is the first.
   */
  update(listed: readonly ServerTool[]): {
    readonly tools: readonly ToolDefinition[]
    readonly changes?: string
  }
}

interface ToolCatalogueEntry {
  readonly fingerprint: string
  readonly definition: ToolDefinition
}

export function createToolCatalogue(options: {
  readonly server: string
  readonly config: McpServerConfig
  readonly call: CallServerTool
}): ToolCatalogue {
  let known: ReadonlyMap<string, ToolCatalogueEntry> | undefined
  return {
    update(listed) {
      const before = known
      const now = new Map(listed.map((tool) => [tool.name, entryFor(tool, before?.get(tool.name))]))
      known = now
      const tools = Object.freeze([...now.values()].map((entry) => entry.definition))
      const changes = before === undefined ? undefined : changesBetween(before, now)
      return changes === undefined ? { tools } : { tools, changes }
    },
  }

  function entryFor(tool: ServerTool, before: ToolCatalogueEntry | undefined): ToolCatalogueEntry {
    if (before?.fingerprint === tool.fingerprint) return before
    return { fingerprint: tool.fingerprint, definition: toToolDefinition(tool, options) }
  }
}

function changesBetween(
  before: ReadonlyMap<string, ToolCatalogueEntry>,
  now: ReadonlyMap<string, ToolCatalogueEntry>,
): string | undefined {
  const added = [...now.keys()].filter((name) => !before.has(name))
  const removed = [...before.keys()].filter((name) => !now.has(name))
  const changed = [...now].filter(([name, entry]) => before.has(name) && before.get(name) !== entry)
  const parts = [
    ...namesAfter('added', added),
    ...namesAfter(
      'changed',
      changed.map(([name]) => name),
    ),
    ...namesAfter('removed', removed),
  ]
  return parts.length === 0 ? undefined : parts.join('; ')
}

function namesAfter(word: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${word} ${names.join(', ')}`]
}
