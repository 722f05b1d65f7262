import type { AgentTool } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { neededNames, needProblems } from '../src/index.ts'

function tool(name: string, more: Partial<AgentTool> = {}): AgentTool {
  return { name, description: name, parameters: { type: 'object' }, prompt: name, ...more }
}

const messages = (...tools: readonly AgentTool[]): readonly string[] =>
  needProblems(tools, '1.4.0').map(({ problem }) => problem.message)

describe(`requirements between tools of an agent ${verifies('D53')}`, () => {
  it('required tools are returned by name, in order', () => {
    const needs = ['visa', { tool: 'weather', version: '1.0.0' }]
    expect(neededNames(tool('book', { needs }))).toEqual(['visa', 'weather'])
    expect(needProblems([tool('book', { needs }), tool('visa'), tool('weather')], '1.4.0')).toEqual([])
  })

  it('a required tool must exist', () => {
    const problems = needProblems([tool('visa'), tool('book', { needs: ['visa', 'constructor'] })], '1.4.0')
    expect(problems).toEqual([
      { problem: expect.objectContaining({ code: 'export_need_unmet' }), tool: 1, need: 1 },
    ])
    expect(problems[0]?.problem.message).toBe(
      'exports.tools: book needs constructor, which does not exist. Existing tools: visa, book.',
    )
  })

  it('required tools must not form a cycle', () => {
    expect(
      messages(
        tool('a', { needs: ['b'] }),
        tool('b', { needs: ['c'] }),
        tool('c', { needs: ['a'] }),
        tool('d', { needs: ['d'] }),
        tool('e', { needs: ['a'] }),
      ),
    ).toEqual([
      'exports.tools: a needs b needs c needs a, which is a cycle.',
      'exports.tools: b needs c needs a needs b, which is a cycle.',
      'exports.tools: c needs a needs b needs c, which is a cycle.',
      'exports.tools: d needs d, which is a cycle.',
    ])
  })

  it('required tools are visited once, however many paths lead to them', () => {
    const steps = Array.from({ length: 60 }, (_, index) => [`a${index}`, `b${index}`])
    const tools = steps.flatMap((names, index) =>
      names.map((name) => tool(name, { needs: steps[index + 1] ?? [] })),
    )
    expect(messages(...tools)).toEqual([])
  })

  it.each([
    ['1.4.0', true],
    ['1.3.9', true],
    ['1.4.1', false],
    ['2.0.0', false],
    ['0.9.0', false],
    ['1.4', false],
  ])('the version range %s is compared with 1.4.0: %s', (version, fits) => {
    const found = messages(tool('book', { needs: [{ tool: 'visa', version }] }), tool('visa'))
    expect(found).toEqual(
      fits ? [] : [`exports.tools: book needs version ${version} of visa, which is 1.4.0.`],
    )
  })

  it('a version range below 1.0.0 accepts only the same minor version', () => {
    const visa = tool('visa', { version: '0.3.2' })
    const book = (version: string) => tool('book', { needs: [{ tool: 'visa', version }] })
    expect(messages(book('0.3.1'), visa)).toEqual([])
    expect(messages(book('0.2.0'), visa)).toHaveLength(1)
  })

  it('a required tool must get the arguments that it requires', () => {
    const text = { type: 'string' } as const
    const visa = tool('visa', {
      parameters: {
        type: 'object',
        properties: { country: text, passport: text, days: text },
        required: ['country', 'passport', 'days'],
      },
    })
    const book = tool('book', {
      needs: ['visa'],
      parameters: {
        type: 'object',
        properties: { country: text, passport: text, days: { type: 'string', default: '7' } },
        required: ['country'],
      },
    })
    expect(messages(book, visa)).toEqual([
      'exports.tools: visa requires passport, which book neither requires nor has a default for.',
    ])
  })
})
