import type { Needle } from './replace-all.ts'

const ELLIPSIS = '…'
/** Minimum length of a secret prefix to redact. Shorter prefixes reveal little and may match by chance. */
const SHORTEST = 6

/** Redacts secrets cut off by `…`, because text may be shortened before its secrets are redacted. */
export function hideCutSecrets(text: string, needles: readonly Needle[]): string {
  let result = ''
  let from = 0
  for (let at = text.indexOf(ELLIPSIS); at !== -1; at = text.indexOf(ELLIPSIS, at + 1)) {
    const cut = secretPrefixAtEnd(text.slice(from, at), needles)
    if (cut !== undefined) result += text.slice(from, at - cut.length) + cut.replacement
    else result += text.slice(from, at)
    from = at
  }
  return result + text.slice(from)
}

/** Returns the longest secret prefix that `text` ends with. */
function secretPrefixAtEnd(
  text: string,
  needles: readonly Needle[],
): { readonly length: number; readonly replacement: string } | undefined {
  const longest = needles[0]?.text.length ?? 0
  const tail = text.slice(-longest)
  for (let at = 0; at <= tail.length - SHORTEST; at += 1) {
    const end = tail.slice(at)
    const needle = needles.find((each) => each.text.startsWith(end))
    if (needle !== undefined) return { length: end.length, replacement: needle.replacement }
  }
  return undefined
}
