import { createLowlight } from 'lowlight'
import { GRAMMARS, grammarName } from './languages.ts'

/** A piece of code with the class of its colour. */
export interface CodeSpan {
  readonly text: string
  readonly className: string | undefined
}

const lowlight = createLowlight()

/** Highlights code. Returns `undefined` if the language is not known. */
export async function highlight(code: string, language: string): Promise<readonly CodeSpan[] | undefined> {
  const name = grammarName(language)
  const load = GRAMMARS.get(name)
  if (load === undefined) return undefined
  if (!lowlight.registered(name)) lowlight.register(name, (await load()).default)
  const spans: CodeSpan[] = []
  addSpans(lowlight.highlight(name, code).children as readonly HighlightNode[], undefined, spans)
  return spans
}

/** An element or text in the result of lowlight. */
interface HighlightNode {
  readonly type: string
  readonly value?: string
  readonly properties?: { readonly className?: readonly string[] }
  readonly children?: readonly HighlightNode[]
}

function addSpans(nodes: readonly HighlightNode[], className: string | undefined, spans: CodeSpan[]): void {
  for (const { type, value = '', properties, children = [] } of nodes) {
    if (type === 'text') spans.push({ text: value, className })
    else addSpans(children, properties?.className?.join(' ') ?? className, spans)
  }
}
