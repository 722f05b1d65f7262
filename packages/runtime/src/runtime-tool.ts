import { toWireName, type ToolDefinition } from '@troupe/schema'

/** A tool that Troupe itself brings: its source and its server are `runtime` (B43). */
export function runtimeTool(tool: Omit<ToolDefinition, 'wireName' | 'source' | 'server'>): ToolDefinition {
  return Object.freeze({ ...tool, wireName: toWireName(tool.name), source: 'runtime', server: 'runtime' })
}

/** The canonical names of all tools that this package has. */
export const RUNTIME_TOOL_NAMES = [
  'shell.execute',
  'filesystem.read',
  'filesystem.list',
  'filesystem.search',
  'filesystem.write',
  'human.ask',
  'skill.read',
  'shared.get',
  'shared.set',
] as const
