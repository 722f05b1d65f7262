/** Short names of Claude models in other tools, each with the newest model as of 2026-11-21. */
export const MODEL_ALIASES: ReadonlyMap<string, string> = new Map([
  ['sonnet', 'anthropic/claude-sonnet-4-6'],
  ['haiku', 'anthropic/claude-haiku-4-5'],
  ['opus', 'anthropic/claude-opus-4-7'],
  ['fable', 'anthropic/claude-fable-5-1'],
])
