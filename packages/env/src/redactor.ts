import type { Redactor } from '@troupe/schema'
import { hideCutSecrets } from './cut-secrets.ts'
import { redactPieces } from './redact-pieces.ts'
import { replaceAll, type Needle } from './replace-all.ts'
import { secretForms } from './secret-forms.ts'
import type { Secret } from './secrets.ts'

/** A literal `{{secret:` in a text that is sealed, so that nobody can have a value put in its place. */
const OPENING = '{{secret:'
const LITERAL = `${OPENING}}}`
const SEALED = /\{\{secret:(?<name>[^{}:]*)(?::(?<form>\d{1,3}))?\}\}/gu

/**
 * Hides the values of secrets: plain, JSON-escaped, HTML-escaped, URL-encoded, hexadecimal, and base64 (also inside a longer encoded text). The
 * longest form wins where two begin at one place. Undefined: there is nothing to hide.
 */
export function createRedactor(secrets: readonly Secret[]): Redactor | undefined {
  const forms = formsByName(secrets)
  const shown = toNeedles(forms, (name) => `[redacted:${name}]`)
  if (shown.length === 0) return undefined
  const sealed = toNeedles(forms, (name, index) => `${OPENING}${name}${index === 0 ? '' : `:${index}`}}}`)
  const sealing = [...sealed, { text: OPENING, replacement: LITERAL }].toSorted(byLength)
  const starts = byFirstCharacter(shown)
  return {
    redact: (text) => hideCutSecrets(replaceAll(text, shown), shown),
    seal: (text) => replaceAll(text, sealing),
    reveal: (text) => text.replaceAll(SEALED, (...match) => revealed(match, forms)),
    pieces: () => redactPieces(shown, starts),
  }
}

function formsByName(secrets: readonly Secret[]): ReadonlyMap<string, readonly string[]> {
  const forms = new Map<string, Set<string>>()
  for (const secret of secrets) {
    const name = shownName(secret.name)
    const known = forms.get(name) ?? new Set()
    for (const form of secretForms(secret.value)) known.add(form)
    if (known.size > 0) forms.set(name, known)
  }
  return new Map([...forms].map(([name, known]) => [name, [...known]]))
}

/** A name goes into JSON and into braces as it is. */
function shownName(name: string): string {
  return name.replaceAll(/[^\w.-]/gu, '_')
}

/** The longest first. A form that two names share belongs to the first. */
function toNeedles(
  forms: ReadonlyMap<string, readonly string[]>,
  replacement: (name: string, index: number) => string,
): readonly Needle[] {
  const needles = new Map<string, Needle>()
  for (const [name, texts] of forms) {
    for (const [index, text] of texts.entries()) {
      if (!needles.has(text)) needles.set(text, { text, replacement: replacement(name, index) })
    }
  }
  return [...needles.values()].toSorted(byLength)
}

function byLength(one: Needle, other: Needle): number {
  return other.text.length - one.text.length
}

function byFirstCharacter(needles: readonly Needle[]): ReadonlyMap<string, readonly Needle[]> {
  return Map.groupBy(needles, ({ text }) => text.charAt(0))
}

/** What was sealed; a name that no secret has any more stays as it is. */
function revealed(match: readonly unknown[], forms: ReadonlyMap<string, readonly string[]>): string {
  const [written, name, form] = match as readonly [string, string, string | undefined]
  if (name === '' && form === undefined) return OPENING
  return forms.get(name)?.[Number(form ?? 0)] ?? written
}
