interface Row {
  readonly names: RegExp
  /** Tokens of a request and its answer together. */
  readonly tokens: number
}

/**
 * Context windows as the providers document them, by provider, the first that fits: the size every account has. A model that is not here has none
 * that is known. Too small a number only shortens conversations earlier.
 */
const WINDOWS: Readonly<Record<string, readonly Row[]>> = {
  openai: [
    { names: /^gpt-5-chat/u, tokens: 128_000 },
    // of the 400,000, a request may have no more
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

/** The context window of a provider's model in tokens; undefined: it is not known. */
export function listedWindow(provider: string, model: string): number | undefined {
  const rows = Object.hasOwn(WINDOWS, provider) ? (WINDOWS[provider] ?? []) : []
  return rows.find(({ names }) => names.test(model))?.tokens
}
