/**
 * Protocols of `@troupe/server` that `--no-<name>` switches off. Repeated here because `--help` must not load
 * the package.
 */
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

export type HeadendWord = (typeof HEADEND_WORDS)[number]
