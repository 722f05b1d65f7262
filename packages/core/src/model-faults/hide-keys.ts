/**
 * Patterns of provider keys, for keys that are not known as secrets. Providers repeat a rejected key, and
 * proxies repeat whole headers.
 */
const PATTERNS: readonly RegExp[] = [
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{12,}/gu,
  /\bAIza[A-Za-z0-9_-]{20,}/gu,
  /\b(?:gsk|xai|hf)[-_][A-Za-z0-9_-]{16,}/gu,
  /(?<=\bBearer\s+)[A-Za-z0-9._~+/=-]{8,}/gu,
]

/** Redacts everything that looks like a key. */
export function hideKeys(text: string): string {
  let hidden = text
  for (const pattern of PATTERNS) hidden = hidden.replaceAll(pattern, '[redacted:key]')
  return hidden
}
