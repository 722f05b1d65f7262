/**
 * Capabilities of tools that matter for security. With the first three, untrusted content that an agent reads
 * can exfiltrate private data, so `troupe check` looks for that combination.
 */
export const TOOL_CAPABILITIES = ['reads_private', 'reads_untrusted', 'egress', 'destructive'] as const

/** See {@link TOOL_CAPABILITIES}. */
export type ToolCapability = (typeof TOOL_CAPABILITIES)[number]
