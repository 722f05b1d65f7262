import { getOwn, isJsonObject, type Json, type ToolResultOutput } from '@troupe/schema'
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { lastUserText } from '../embedded/embedded-model.ts'

/** Values for placeholders: the last user text and the tool results of the last turn. */
export interface TemplateData {
  readonly input: string
  readonly results: readonly TemplateResult[]
}

/** A tool result as text, and as a value if it is JSON. */
interface TemplateResult {
  readonly text: string
  readonly json: Json | undefined
}

/** A text with filled placeholders, or the problem. */
type Filled = { readonly text: string } | { readonly problem: string }

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
    problem: `${first} has no value; the last turn has ${count} tool ${count === 1 ? 'result' : 'results'}`,
  }
}

/** Describes the first invalid placeholder in the texts of a value. `undefined` if there is none. */
export function findBadPlaceholder(value: unknown): string | undefined {
  if (typeof value === 'string') {
    const bad = [...value.matchAll(PLACEHOLDER)].find(
      (match) => !FORM.test((match.groups?.['name'] ?? '').trim()),
    )
    if (bad === undefined) return undefined
    return `unknown placeholder ${bad[0]}; use {{input}}, {{results.N.text}} or {{results.N.json.path}}`
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

/**
 * Returns the placeholder data of a prompt. Results are those since the last answer of the model, in order.
 */
export function templateData(prompt: LanguageModelV4Prompt): TemplateData {
  const results: TemplateResult[] = []
  const start = prompt.findLastIndex((message) => message.role === 'assistant') + 1
  for (const message of prompt.slice(start)) {
    if (message.role !== 'tool') continue
    for (const part of message.content) if (part.type === 'tool-result') results.push(toResult(part.output))
  }
  return { input: lastUserText(prompt), results }
}

function toResult(output: ToolResultOutput): TemplateResult {
  switch (output.type) {
    case 'json':
    case 'error-json':
      return { text: JSON.stringify(output.value), json: output.value as Json }
    case 'text':
    case 'error-text':
      return fromText(output.value)
    case 'content':
      return fromText(output.value.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'))
    case 'execution-denied':
      return fromText(output.reason ?? '')
    default:
      return fromText('')
  }
}

/** Parses the text as JSON only if a placeholder uses it. */
function fromText(text: string): TemplateResult {
  return {
    text,
    get json() {
      return parseJson(text)
    },
  }
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    // plain text has no members; a placeholder that needs one reports the problem
    return undefined
  }
}
