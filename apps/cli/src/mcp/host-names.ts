/** The MCP hosts whose configuration can be printed. */
export const HOST_NAMES = ['claude', 'codex', 'vscode', 'cursor'] as const

/** See {@link HOST_NAMES}. */
export type HostName = (typeof HOST_NAMES)[number]
