import type { ErrorObject } from 'ajv/dist/2020.js'

const MAX_PROBLEMS = 10
const MAX_TEXT = 200

/** One short text for each problem: the path of the value and what it must be. */
export function problemTexts(errors: readonly ErrorObject[]): readonly string[] {
  const texts = new Set<string>()
  for (const error of errors) {
    texts.add(problemText(error))
    if (texts.size === MAX_PROBLEMS) break
  }
  return [...texts]
}

function problemText(error: ErrorObject): string {
  const text = `${error.instancePath} ${error.message ?? `breaks ${error.keyword}`}${detail(error)}`.trim()
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`
}

/** What the message leaves out. */
function detail({ keyword, params }: ErrorObject): string {
  const facts = params as Readonly<Record<string, unknown>>
  switch (keyword) {
    case 'additionalProperties':
      return `: ${JSON.stringify(facts['additionalProperty'])}`
    case 'unevaluatedProperties':
      return `: ${JSON.stringify(facts['unevaluatedProperty'])}`
    case 'enum':
      return `: ${JSON.stringify(facts['allowedValues'])}`
    case 'const':
      return `: ${JSON.stringify(facts['allowedValue'])}`
    default:
      return ''
  }
}
