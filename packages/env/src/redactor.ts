import type { Secret } from './secrets.ts'

/** Shorter values are too likely to stand in a text by chance. */
const SHORTEST = 8

interface Needle {
  readonly text: string
  readonly replacement: string
}

/**
 * A function that replaces secret values by `{{secret:NAME}}`, in plain text, JSON-escaped, URL-encoded, and base64 (also
 * inside a longer encoded text). The longest value wins where two begin at one place. Undefined: there is nothing to hide.
 */
export function createRedactor(secrets: readonly Secret[]): ((text: string) => string) | undefined {
  const replacements = new Map<string, string>()
  for (const { name, value } of secrets) {
    for (const form of formsOf(value)) {
      if (!replacements.has(form)) replacements.set(form, `{{secret:${name}}}`)
    }
  }
  if (replacements.size === 0) return undefined
  const needles = [...replacements]
    .map(([text, replacement]) => ({ text, replacement }))
    .toSorted((a, b) => b.text.length - a.text.length)
  return (text) => redact(text, needles)
}

/** One pass from left to right: a replacement is never looked at again. */
function redact(text: string, needles: readonly Needle[]): string {
  const found = needles
    .map((needle) => ({ needle, at: text.indexOf(needle.text) }))
    .filter(({ at }) => at !== -1)
  let result = ''
  let position = 0
  while (found.length > 0) {
    const next = found.reduce((best, match) => (match.at < best.at ? match : best))
    result += text.slice(position, next.at) + next.needle.replacement
    position = next.at + next.needle.text.length
    moveOn(text, found, position)
  }
  return result + text.slice(position)
}

function moveOn(text: string, found: { readonly needle: Needle; at: number }[], position: number): void {
  for (let index = found.length - 1; index >= 0; index -= 1) {
    const match = found[index]
    if (match === undefined || match.at >= position) continue
    match.at = text.indexOf(match.needle.text, position)
    if (match.at === -1) found.splice(index, 1)
  }
}

function formsOf(secret: string): ReadonlySet<string> {
  const value = secret.trim()
  if (value.length < SHORTEST) return new Set()
  // the way over bytes makes the text well-formed: encodeURIComponent refuses anything else
  const encoded = encodeURIComponent(Buffer.from(value, 'utf8').toString('utf8'))
  return new Set([
    value,
    JSON.stringify(value).slice(1, -1),
    encoded,
    encoded.replaceAll('%20', '+'),
    encoded.replaceAll(/%[0-9A-F]{2}/gu, (code) => code.toLowerCase()),
    ...base64Forms(value),
  ])
}

/** The value as base64 and base64url: whole, and as it looks one or two bytes into a longer text. */
function base64Forms(value: string): readonly string[] {
  const bytes = Buffer.from(value, 'utf8')
  const whole = bytes.toString('base64')
  const inside = [0, 1, 2].map((shift) => {
    const shifted = Buffer.concat([Buffer.alloc(shift), bytes])
    // characters that share bits with bytes beside the value depend on those
    const first = Math.ceil((shift * 8) / 6)
    const last = Math.floor((shifted.length * 8) / 6)
    return shifted.toString('base64').slice(first, last)
  })
  return [whole, whole.replaceAll('=', ''), ...inside].flatMap((form) => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_'),
  ])
}
