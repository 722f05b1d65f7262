/** The protocols that `troupe serve` can do without, as `--no-<name>`. Those of `@troupe/server`; written here, as help loads nothing. */
export const HEADEND_WORDS = [
  'web',
  'rest',
  'runs',
  'tools',
  'openai',
  'anthropic',
  'mcp',
  'a2a',
  'agui',
  'chat',
] as const

/** See {@link HEADEND_WORDS}. */
export type HeadendWord = (typeof HEADEND_WORDS)[number]
