/** How keys of providers look, also where nobody told us of them: providers repeat the key they refuse, and proxies whole headers. */
const PATTERNS: readonly RegExp[] = [
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{12,}/gu,
  /\bAIza[A-Za-z0-9_-]{20,}/gu,
  /\b(?:gsk|xai|hf)[-_][A-Za-z0-9_-]{16,}/gu,
  /(?<=\bBearer\s+)[A-Za-z0-9._~+/=-]{8,}/gu,
]

/** The text without anything that looks like a key. */
export function hideKeys(text: string): string {
  let hidden = text
  for (const pattern of PATTERNS) hidden = hidden.replaceAll(pattern, '[redacted:key]')
  return hidden
}
