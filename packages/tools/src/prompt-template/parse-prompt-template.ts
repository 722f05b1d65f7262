/** A part of a template, with where it stands in it: `start` and `end` count UTF-16 units from 0, `end` is behind the last. */
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string; readonly start: number; readonly end: number }
  | {
      readonly kind: 'placeholder'
      readonly path: readonly string[]
      readonly start: number
      readonly end: number
    }

/** A template in its parts, in order and without gaps. */
export type PromptTemplate = readonly TemplatePart[]

/** One sticky expression for all: an escaped brace, or a placeholder `{identifier}` or `{identifier.path}`. */
const TOKEN = /\{\{|\}\}|\{(?<path>[\p{ID_Start}_$][\p{ID_Continue}$-]*(?:\.[\p{ID_Continue}$-]+)*)\}/gu

/**
 * Reads a prompt template (R15) in one pass. Placeholders are `{identifier}` and `{identifier.path}`; `{{` is a literal `{`, and the `}}` that
 * closes it a literal `}`; every other brace is literal, so JSON may stand in a prompt as it is. Every text is a template: nothing is refused.
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
    // without a {{ before it, }} is the end of two objects of JSON
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
