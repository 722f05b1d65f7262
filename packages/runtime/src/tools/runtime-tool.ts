import { toWireName, type ToolDefinition } from '@troupe/schema'

/** Defines a built-in tool, whose source and server are `runtime`. */
export function runtimeTool(tool: Omit<ToolDefinition, 'wireName' | 'source' | 'server'>): ToolDefinition {
  return Object.freeze({ ...tool, wireName: toWireName(tool.name), source: 'runtime', server: 'runtime' })
}

/** Canonical names of all built-in tools. */
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
  'web.fetch',
  'web.search',
  'todo.read',
  'todo.write',
  'memory.list',
  'memory.read',
  'memory.write',
  'memory.delete',
] as const
