/**
 * Protocols of `@troupe/server` that `--no-<name>` switches off. Repeated here because `--help` must not load
 * the package.
 */
export const HEADEND_FLAGS = [
  'web',
  'rest',
  'runs',
  'push',
  'tools',
  'schedules',
  'evals',
  'hooks',
  'openai',
  'anthropic',
  'mcp',
  'a2a',
  'agui',
  'chat',
] as const

export type HeadendFlag = (typeof HEADEND_FLAGS)[number]

/** MCP hosts whose configuration can be printed. */
export const HOST_NAMES = ['claude', 'codex', 'vscode', 'cursor'] as const

export type HostName = (typeof HOST_NAMES)[number]
