/**
 * What a tool lets an agent do besides its work. The first three together let a text that the agent reads carry off what the agent can
 * see, so the check of a team looks for them.
 */
export const TOOL_CAPABILITIES = ['reads_private', 'reads_untrusted', 'egress', 'destructive'] as const

/** See {@link TOOL_CAPABILITIES}. */
export type ToolCapability = (typeof TOOL_CAPABILITIES)[number]
