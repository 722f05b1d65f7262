/**
 * A part of a template with its position: `start` and `end` are zero-based UTF-16 offsets, `end` is
 * exclusive.
 */
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string; readonly start: number; readonly end: number }
  | {
      readonly kind: 'placeholder'
      readonly path: readonly string[]
      readonly start: number
      readonly end: number
    }

/** The parts of a template, in order and without gaps. */
export type PromptTemplate = readonly TemplatePart[]

/** Matches an escaped brace, or a placeholder `{identifier}` or `{identifier.path}`. */
const TOKEN = /\{\{|\}\}|\{(?<path>[\p{ID_Start}_$][\p{ID_Continue}$-]*(?:\.[\p{ID_Continue}$-]+)*)\}/gu

/**
 * Parses a prompt template. Placeholders are `{identifier}` and `{identifier.path}`. `{{` is a literal `{`,
 * and its closing `}}` a literal `}`. All other braces are literal, so that a prompt may contain JSON. Every
 * text is a valid template.
 */
export function parsePromptTemplate(text: string): PromptTemplate {
  const parts: TemplatePart[] = []
  const addText = (value: string, start: number, end: number): void => {
    if (value !== '') parts.push({ kind: 'text', text: value, start, end })
  }
  let at = 0
  let open = 0
  for (const match of text.matchAll(TOKEN)) {
    const { 0: token, index: start } = match
    const end = start + token.length
    // without a preceding {{, }} closes two JSON objects
    if (token === '}}' && open === 0) continue
    addText(text.slice(at, start), at, start)
    const path = match.groups?.['path']
    if (path === undefined) addText(token.slice(1), start, end)
    else parts.push({ kind: 'placeholder', path: path.split('.'), start, end })
    if (token === '{{') open += 1
    if (token === '}}') open -= 1
    at = end
  }
  addText(text.slice(at), at, text.length)
  return parts
}
