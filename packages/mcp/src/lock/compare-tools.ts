import { getOwn, type ToolDefinition } from '@troupe/schema'
import { toolDigest } from './lock-tools.ts'
import type { LockedTools } from './tool-lock.ts'

/** How the tools of a server differ from those in the lock; the server's own names. */
export interface ToolDrift {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  /** Those that are as they were locked. */
  readonly kept: readonly ToolDefinition[]
}

/** Compares what a server offers with what was locked (S15). */
export function compareTools(locked: LockedTools, tools: readonly ToolDefinition[]): ToolDrift {
  const kept: ToolDefinition[] = []
  const added: string[] = []
  const changed: string[] = []
  const offered = new Set<string>()
  for (const tool of tools) {
    const { name, text } = toolDigest(tool) ?? { name: tool.name, text: '' }
    const expected = getOwn(locked, name)
    offered.add(name)
    if (expected === text) kept.push(tool)
    else (expected === undefined ? added : changed).push(name)
  }
  return { added, changed, removed: Object.keys(locked).filter((name) => !offered.has(name)), kept }
}
