/** The short names of Claude models that other products use, with the newest model of each as of 2026-11-21. */
export const MODEL_ALIASES: ReadonlyMap<string, string> = new Map([
  ['sonnet', 'anthropic/claude-sonnet-4-6'],
  ['haiku', 'anthropic/claude-haiku-4-5'],
  ['opus', 'anthropic/claude-opus-4-7'],
  ['fable', 'anthropic/claude-fable-5-1'],
])
