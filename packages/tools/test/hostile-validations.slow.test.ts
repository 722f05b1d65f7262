import { HOSTILE_VALIDATIONS } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { createValidator, schemaProblem } from '../src/index.ts'

const EXCEEDING: ReadonlySet<string> = new Set([
  '300 patterns of properties on 20,000 keys',
  '900 conditions on each of 400,000 items',
  '45,000 unique objects',
])

describe('a schema and a value that are expensive to validate', () => {
  for (const { name, make } of HOSTILE_VALIDATIONS) {
    it(`an expensive validation has the same verdict each time, after a bounded amount of work: ${name}`, () => {
      const { schema, value } = make()
      const problem = schemaProblem(schema)
      expect(schemaProblem(schema)).toBe(problem)
      const verdict = createValidator()(schema, value)
      expect(createValidator()(schema, value)).toEqual(verdict)
      const problems = verdict.ok ? [] : verdict.problems
      expect(problems.length).toBeLessThanOrEqual(10)
      expect(Math.max(0, ...problems.map((text) => text.length))).toBeLessThanOrEqual(400)
    })
  }

  it.each(
    HOSTILE_VALIDATIONS.filter(({ name }) => EXCEEDING.has(name)).map((each) => [each.name, each] as const),
  )('a validation is rejected with a reason if its work exceeds the budget: %s', (_name, { make }) => {
    const { schema, value } = make()
    expect(createValidator()(schema, value)).toEqual({
      ok: false,
      problems: [expect.stringMatching(/too much work/u)],
    })
  })
})
