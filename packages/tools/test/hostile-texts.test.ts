import { TroupeError } from '@troupe/schema'
import { HOSTILE_SCHEMAS, HOSTILE_TEXTS } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { createValidator, parseFunctionSpec } from '../src/index.ts'
import { parsePromptTemplate, templateProblems } from '../src/prompt-template.ts'

describe('hostile input', () => {
  it.each(HOSTILE_SCHEMAS.map((each) => [each.name, each] as const))(
    'the validator returns a verdict for hostile input: %s',
    (_name, { schema, value }) => {
      const verdict = createValidator()(schema, value)
      expect(typeof verdict.ok).toBe('boolean')
    },
  )

  it.each(HOSTILE_TEXTS.spec.map(({ name, text }) => [name, text] as const))(
    'hostile input is an invalid function spec, or one whose module does not exist: %s',
    (_name, text) => {
      let thrown: unknown
      try {
        expect(parseFunctionSpec(text).module.length).toBeGreaterThan(0)
      } catch (error) {
        thrown = error
      }
      expect(thrown === undefined || TroupeError.isInstance(thrown)).toBe(true)
    },
  )

  it.each(HOSTILE_TEXTS.template.map(({ name, text }) => [name, text] as const))(
    'hostile input is a valid template with a problem for each unknown placeholder: %s',
    (_name, text) => {
      const problems = templateProblems(parsePromptTemplate(text), {
        tool: { name: 'tool', description: 'A tool.' },
        parameters: { type: 'object', properties: {} },
      })
      expect(problems.every(({ placeholder }) => text.includes(placeholder))).toBe(true)
    },
  )
})

describe('unique items', () => {
  const problemsOf = (list: readonly unknown[]): readonly string[] => {
    const schema = { type: 'object', properties: { x: { type: 'array', uniqueItems: true } } }
    const verdict = createValidator()(schema, { x: list } as never)
    return verdict.ok ? [] : verdict.problems
  }

  it('unique items are compared by their content', () => {
    expect(problemsOf([1, '1', true, null, [1], { a: 1 }, {}, []])).toEqual([])
    expect(problemsOf([{ a: 1, b: [2] }, 0, { b: [2], a: 1 }])).toEqual([
      '/x must NOT have duplicate items (items ## 0 and 2 are identical)',
    ])
    expect(problemsOf(['__proto__', 'constructor', '__proto__'])).toHaveLength(1)
  })
})
