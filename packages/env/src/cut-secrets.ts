import type { Needle } from './replace-all.ts'

const ELLIPSIS = '…'
/** A shorter beginning says little and may stand there by chance. */
const SHORTEST = 6

/** Hides the beginnings of needles that were cut off with `…`: whoever shortens a text may do so before its secrets are hidden. */
export function hideCutSecrets(text: string, needles: readonly Needle[]): string {
  let result = ''
  let from = 0
  for (let at = text.indexOf(ELLIPSIS); at !== -1; at = text.indexOf(ELLIPSIS, at + 1)) {
    const cut = beginningBefore(text.slice(from, at), needles)
    if (cut !== undefined) result += text.slice(from, at - cut.length) + cut.replacement
    else result += text.slice(from, at)
    from = at
  }
  return result + text.slice(from)
}

/** The longest beginning of a needle that the text ends with. */
function beginningBefore(
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
