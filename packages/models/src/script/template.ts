import { getOwn, isJsonObject, type Json } from '@troupe/schema'

/** Values for placeholders: the last user text and the tool results of the last turn. */
export interface TemplateData {
  readonly input: string
  readonly results: readonly TemplateResult[]
}

/** A tool result as text, and as a value if it is JSON. */
export interface TemplateResult {
  readonly text: string
  readonly json: Json | undefined
}

/** A text with filled placeholders, or the problem. */
export type Filled = { readonly text: string } | { readonly problem: string }

const PLACEHOLDER = /\{\{(?<name>[^{}]*)\}\}/gu
const FORM = /^(?:input|results\.\d{1,4}\.(?:text|json(?:\.[^.]+)*))$/u

/**
 * Fills `{{input}}`, `{{results.N.text}}` and `{{results.N.json.path}}` in one pass. Inserted text is not
 * scanned again.
 */
export function fillTemplate(template: string, data: TemplateData): Filled {
  const problems: string[] = []
  const text = template.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const value = lookUp(name.trim(), data)
    if (value === undefined) problems.push(whole)
    return value ?? whole
  })
  const [first] = problems
  if (first === undefined) return { text }
  const count = data.results.length
  return {
    problem: `${first} names nothing; the last turn has ${count} tool ${count === 1 ? 'result' : 'results'}`,
  }
}

/** Describes the first invalid placeholder in the texts of a value. `undefined` if there is none. */
export function findBadPlaceholder(value: unknown): string | undefined {
  if (typeof value === 'string') {
    const bad = [...value.matchAll(PLACEHOLDER)].find(
      (match) => !FORM.test((match.groups?.['name'] ?? '').trim()),
    )
    if (bad === undefined) return undefined
    return `unknown placeholder ${bad[0]}; there are {{input}}, {{results.N.text}} and {{results.N.json.path}}`
  }
  if (typeof value !== 'object' || value === null) return undefined
  for (const member of Object.values(value)) {
    const problem = findBadPlaceholder(member)
    if (problem !== undefined) return problem
  }
  return undefined
}

function lookUp(name: string, { input, results }: TemplateData): string | undefined {
  if (name === 'input') return input
  const [, index, kind, ...path] = name.split('.')
  const result = results[Number(index)]
  if (result === undefined) return undefined
  if (kind === 'text') return result.text
  const value = path.reduce<Json | undefined>(memberOf, result.json)
  return typeof value === 'string' || value === undefined ? value : JSON.stringify(value)
}

function memberOf(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value))
    return /^\d{1,9}$/u.test(key) ? (value as readonly Json[])[Number(key)] : undefined
  return isJsonObject(value) ? getOwn(value, key) : undefined
}
