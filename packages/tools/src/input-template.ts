import { runInNewContext } from 'node:vm'
import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja'
import {
  errorMessage,
  failure,
  getOwn,
  isJsonObject,
  troupeError,
  type Failure,
  type Json,
  type JsonObject,
} from '@troupe/schema'

/** A template in the syntax of Jinja. */
export interface InputTemplate {
  /** The variables that need a value, sorted. Those that the template tests with `is defined` are left out. */
  readonly names: readonly string[]
  /**
   * Fills the template. Numbers and booleans are inserted and compared as text. Throws if a variable has no
   * value, or if rendering fails or exceeds its limits.
   */
  render(values: JsonObject): string
}

/** Maximum time to render a template with loops, macros or assignments, in ms. */
const MAX_RENDER_MS = 1000
/** Maximum items of one `range()`. */
const MAX_RANGE = 10_000
/** Maximum characters of the rendered text. */
const MAX_LENGTH = 1024 * 1024

/** Parses a template. Throws if it is not valid. */
export function parseInputTemplate(text: string): InputTemplate {
  const { source, literals } = keepOtherBraces(text)
  const program = parse(tokenize(source))
  const found = collectNames(program)
  const names = [...found.used]
    .filter((name) => !found.bound.has(name) && !found.tested.has(name))
    .filter((name) => !GLOBALS.has(name) && !literals.has(name))
    .toSorted()
  return {
    names,
    render: (values) => {
      const missing = names.filter((name) => getOwn(values, name) === undefined)
      if (missing.length > 0)
        throw troupeError('input_invalid', `The template has no value for ${missing.join(', ')}.`)
      const environment = createEnvironment({ ...textValues(values), ...Object.fromEntries(literals) })
      const run = (): unknown => new Interpreter(environment).run(program).value
      // Other templates cannot take long.
      const result = found.repeats ? runInNewContext('run()', { run }, { timeout: MAX_RENDER_MS }) : run()
      const rendered = String(result)
      if (rendered.length > MAX_LENGTH)
        throw troupeError('input_invalid', `The rendered text has more than ${MAX_LENGTH} characters.`)
      return rendered
    },
  }
}

/** Returns why a text is not a valid template, or `undefined`. */
export function templateSyntaxProblem(text: string): string | undefined {
  try {
    parseInputTemplate(text)
    return undefined
  } catch (error) {
    return errorMessage(error)
  }
}

/** Fills a template with values and the defaults of their schema. Returns a failure instead of throwing. */
export function fillInputTemplate(
  text: string,
  { values, schema }: { readonly values: JsonObject; readonly schema: JsonObject | undefined },
): string | Failure {
  try {
    return parseInputTemplate(text).render({ ...defaultsOf(schema), ...values })
  } catch (error) {
    return failure('input_invalid', errorMessage(error), 'Pass the input as a JSON object with all values.')
  }
}

function defaultsOf(schema: JsonObject | undefined): JsonObject {
  const { properties } = schema ?? {}
  const entries = Object.entries(isJsonObject(properties) ? properties : {})
  return Object.fromEntries(
    entries.flatMap(([name, property]): [string, Json][] => {
      const preset = isJsonObject(property) ? property['default'] : undefined
      return preset === undefined ? [] : [[name, preset]]
    }),
  )
}

const GLOBALS: ReadonlySet<string> = new Set([
  'true',
  'false',
  'none',
  'True',
  'False',
  'None',
  'range',
  'loop',
])

function createEnvironment(values: JsonObject): Environment {
  const environment = new Environment()
  for (const [name, value] of [
    ['true', true],
    ['false', false],
    ['none', null],
  ] as const) {
    environment.set(name, value)
    environment.set(
      name.replace(/^./u, (first) => first.toUpperCase()),
      value,
    )
  }
  environment.set('range', boundedRange)
  for (const [name, value] of Object.entries(values)) environment.set(name, value)
  return environment
}

function boundedRange(first: number, second?: number, step = 1): readonly number[] {
  const [start, stop] = second === undefined ? [0, first] : [first, second]
  const length = Math.max(Math.ceil((stop - start) / step), 0)
  if (!(length <= MAX_RANGE)) throw new RangeError(`range() has more than ${MAX_RANGE} items.`)
  return Array.from({ length }, (_, index) => start + index * step)
}

function textValues(values: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'number' || typeof value === 'boolean' ? String(value) : value,
    ]),
  )
}

/** Text in double braces on one line. */
const EXPRESSION = /\{\{(?<inner>[^{}\n]*)\}\}/gu
const RAW = /\{%[-+]?\s*(?<word>raw|endraw)\s*[-+]?%\}/gu

/**
 * Replaces text in `{% raw %}` blocks, and text in double braces that is no expression, by variables with that
 * text, so that it stays as it is.
 */
function keepOtherBraces(text: string): {
  readonly source: string
  readonly literals: ReadonlyMap<string, string>
} {
  const literals = new Map<string, string>()
  const literal = (written: string): string => {
    const name = `_literal_${literals.size}`
    literals.set(name, written)
    return `{{ ${name} }}`
  }
  const expressions = (part: string): string =>
    part.replaceAll(EXPRESSION, (written, inner: string) =>
      isExpression(inner) ? written : literal(written),
    )
  const parts: string[] = []
  let at = 0
  let raw: number | undefined
  for (const { 0: tag, index, groups } of text.matchAll(RAW)) {
    if (raw === undefined && groups?.['word'] === 'raw') {
      parts.push(expressions(text.slice(at, index)))
      raw = index + tag.length
    } else if (raw !== undefined && groups?.['word'] === 'endraw') {
      parts.push(literal(text.slice(raw, index)))
      raw = undefined
      at = index + tag.length
    }
  }
  if (raw !== undefined) throw new SyntaxError('`{% raw %}` has no `{% endraw %}`.')
  return { source: [...parts, expressions(text.slice(at))].join(''), literals }
}

function isExpression(inner: string): boolean {
  if (/^\s*[A-Za-z_]\w*\s*$/u.test(inner)) return true
  try {
    return parse(tokenize(`{{${inner}}}`)).body.length === 1
  } catch {
    return false
  }
}

interface FoundNames {
  readonly used: Set<string>
  /** Names that the template itself defines. */
  readonly bound: Set<string>
  /** Names that may be undefined, because the template tests for it. */
  readonly tested: Set<string>
  /** True if the template has loops, macros or assignments, which may repeat work. */
  repeats: boolean
}

/** A node of the syntax tree, whose members depend on its type. */
type Node = Readonly<Record<string, unknown>> & { readonly type?: unknown }

const TESTS: ReadonlySet<unknown> = new Set(['defined', 'undefined', 'none'])

function collectNames(program: object): FoundNames {
  const found: FoundNames = { used: new Set(), bound: new Set(), tested: new Set(), repeats: false }
  visit(program, found)
  return found
}

function visit(value: unknown, found: FoundNames): void {
  if (typeof value !== 'object' || value === null) return
  if (value instanceof Map || Array.isArray(value)) {
    for (const member of value) visit(member, found)
    return
  }
  for (const member of namesOfNode(value as Node, found)) visit(member, found)
}

/** Records the names that a node defines or tests, and returns the parts of it that use names. */
function namesOfNode(node: Node, found: FoundNames): readonly unknown[] {
  const { type: _type, operator: _operator, ...members } = node
  switch (node.type) {
    case 'Identifier':
      found.used.add(String(node['value']))
      return []
    case 'For':
      found.repeats = true
      bind(node['loopvar'], found)
      break
    case 'Set':
      found.repeats = true
      bind(node['assignee'], found)
      break
    case 'Macro':
      found.repeats = true
      bind([node['name'], node['args']], found)
      break
    case 'CallStatement':
      bind(node['callerArgs'], found)
      break
    case 'MemberExpression':
      return [node['object'], ...(node['computed'] === true ? [node['property']] : [])]
    case 'KeywordArgumentExpression':
      return [node['value']]
    case 'FilterExpression':
    case 'FilterStatement':
      return filterParts(node, found)
    case 'TestExpression':
      if (TESTS.has((node['test'] as Node)['value'])) test(node['operand'], found)
      return [node['operand']]
    default:
  }
  return Object.values(members)
}

function filterParts({ filter, operand, body }: Node, found: FoundNames): readonly unknown[] {
  const { type, value, callee, args = [] } = filter as Node
  const name = type === 'CallExpression' ? (callee as Node)['value'] : value
  if (name === 'default') test(operand, found)
  return [operand, body, args]
}

function bind(target: unknown, found: FoundNames): void {
  const own = collectNames({ target })
  for (const name of own.used) found.bound.add(name)
  for (const argument of Array.isArray(target) ? target.flat() : []) {
    const { type, key } = argument as Node
    if (type === 'KeywordArgumentExpression') found.bound.add(String((key as Node)['value']))
  }
}

function test(operand: unknown, found: FoundNames): void {
  for (const name of collectNames({ operand }).used) found.tested.add(name)
}
