interface WindowRow {
  readonly names: RegExp
  /** Token limit for a request and its answer together. */
  readonly tokens: number
}

/**
 * Documented context windows by provider; the first match applies. These are the sizes available to every
 * account. A size that is too small only shortens conversations earlier.
 */
const WINDOWS: Readonly<Record<string, readonly WindowRow[]>> = {
  openai: [
    { names: /^gpt-5-chat/u, tokens: 128_000 },
    // limit for the request, out of 400,000
    { names: /^gpt-5/u, tokens: 272_000 },
    { names: /^gpt-4\.1/u, tokens: 1_047_576 },
    { names: /^(?:gpt-4o|chatgpt-4o|gpt-4-turbo|o1-mini)/u, tokens: 128_000 },
    { names: /^o\d/u, tokens: 200_000 },
    { names: /^gpt-4(?:-\d{4})?$/u, tokens: 8192 },
    { names: /^gpt-3\.5-turbo/u, tokens: 16_385 },
  ],
  anthropic: [{ names: /^claude-/u, tokens: 200_000 }],
  google: [{ names: /^gemini-(?:1\.5|2|3)/u, tokens: 1_048_576 }],
}

/** Returns the context window of a model in tokens, or `undefined` if it is not known. */
export function listedWindow(provider: string, model: string): number | undefined {
  const rows = Object.hasOwn(WINDOWS, provider) ? (WINDOWS[provider] ?? []) : []
  return rows.find(({ names }) => names.test(model))?.tokens
}
