import { getOwn, type ToolDefinition } from '@troupe/schema'
import { toolDigest } from './lock-tools.ts'
import type { LockedTools } from './tool-lock.ts'

/** Differences between the tools of a server and the lock, as the server's own tool names. */
export interface ToolDrift {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  /** Tools that match the lock. */
  readonly unchanged: readonly ToolDefinition[]
}

/** Compares the tools of a server with the locked ones. */
export function compareTools(locked: LockedTools, tools: readonly ToolDefinition[]): ToolDrift {
  const unchanged: ToolDefinition[] = []
  const added: string[] = []
  const changed: string[] = []
  const offered = new Set<string>()
  for (const tool of tools) {
    const { name, text } = toolDigest(tool) ?? { name: tool.name, text: '' }
    const expected = getOwn(locked, name)
    offered.add(name)
    if (expected === text) unchanged.push(tool)
    else (expected === undefined ? added : changed).push(name)
  }
  return { added, changed, removed: Object.keys(locked).filter((name) => !offered.has(name)), unchanged }
}
