import { plainText } from '../plain-text.ts'

/** HTML that is inserted unchanged. Only created by {@link html}. */
export interface Markup {
  readonly html: string
}

type Insertion = string | number | Markup | undefined | readonly Insertion[]

/**
 * Creates HTML from a template. Inserted text is escaped, inserted markup is not. Attribute values must be in
 * double quotes.
 */
export function html(parts: TemplateStringsArray, ...insertions: readonly Insertion[]): Markup {
  const [first = '', ...rest] = parts
  return { html: first + rest.map((part, index) => toHtml(insertions[index]) + part).join('') }
}

function toHtml(insertion: Insertion): string {
  if (insertion === undefined) return ''
  if (typeof insertion === 'string' || typeof insertion === 'number') return escapeHtml(String(insertion))
  return 'html' in insertion ? insertion.html : insertion.map(toHtml).join('')
}

/** Escapes a text for elements and attributes. Removes control characters and marks that reorder text. */
function escapeHtml(text: string): string {
  return plainText(text, { lines: true })
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
