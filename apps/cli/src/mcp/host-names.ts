/** MCP hosts whose configuration can be printed. */
export const HOST_NAMES = ['claude', 'codex', 'vscode', 'cursor'] as const

export type HostName = (typeof HOST_NAMES)[number]
