import type { JsonObject } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { cardOptions } from '../src/card-editor/card-completion.ts'
import { yamlCursorAt } from '../src/card-editor/front-matter.ts'
import { problemRange } from '../src/card-editor/problem-range.ts'

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'name of the agent' },
    mode: { enum: ['interactive', 'tools'] },
    model: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    agents: { type: 'array', items: { type: 'string' } },
    hidden: { type: 'boolean' },
    limits: { type: 'object', properties: { maxTurns: { type: 'integer' }, maxCost: { type: 'number' } } },
    guard: {
      type: 'object',
      properties: {
        input: {
          type: 'array',
          items: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/use' }] },
        },
      },
    },
    mcpServers: { type: 'object', additionalProperties: { type: 'object', properties: { url: {} } } },
  },
  $defs: { use: { type: 'object', properties: { use: {}, action: { enum: ['deny', 'note'] } } } },
}
const NAMES = { models: ['openai/gpt-5', 'passthrough'], agents: ['Clerk'], tools: ['search'] }

/** Returns the labels offered at `|` in the text. */
function offered(marked: string): readonly string[] | undefined {
  const offset = marked.indexOf('|')
  const cursor = yamlCursorAt(marked.replace('|', ''), offset)
  return cursor && cardOptions(cursor, { schema: SCHEMA, names: NAMES }).map(({ label }) => label)
}

describe('completion in cards', () => {
  it('offers the keys that the card does not have yet', () => {
    const keys = offered('---\nname: A\nmo|\nmode: tools\n---\n')
    expect(keys).toContain('model')
    expect(keys).not.toContain('name')
    expect(keys).not.toContain('mode')
  })

  it('offers the keys of a nested mapping, also below a list entry', () => {
    expect(offered('---\nlimits:\n  maxTurns: 3\n  |\n---\n')).toEqual(['maxCost'])
    expect(offered('---\nguard:\n  input:\n    - use: x\n      |\n---\n')).toEqual(['action'])
    expect(offered('---\nguard:\n  input:\n    - use: x\n      action: |\n---\n')).toEqual(['deny', 'note'])
    expect(offered('---\nmcpServers:\n  docs:\n    u|\n---\n')).toEqual(['url'])
  })

  it('returns to the keys of the card after a list without indentation', () => {
    expect(offered('---\nagents:\n- Clerk\nhid|\n---\n')).toContain('hidden')
  })

  it('offers enums, booleans, models and agents as values', () => {
    expect(offered('---\nmode: |\n---\n')).toEqual(['interactive', 'tools'])
    expect(offered('---\nhidden: t|\n---\n')).toEqual(['true', 'false'])
    expect(offered('---\nmodel: open|\n---\n')).toEqual(NAMES.models)
    expect(offered('---\nmodel: [passthrough, |]\n---\n')).toEqual(NAMES.models)
    expect(offered('---\nagents:\n  - |\n---\n')).toEqual(['Clerk'])
  })

  it('offers nothing in comments, text blocks, the prompt, or a card without front matter', () => {
    expect(offered('---\nname: A # mo|\n---\n')).toBeUndefined()
    expect(offered('---\nname: |-\n  mo\n---\n'.replace('|-', '>-').replace('mo', 'mo|'))).toBeUndefined()
    expect(offered('---\nname: A\n---\nmo|\n')).toBeUndefined()
    expect(offered('mo|')).toBeUndefined()
  })

  it('replaces the word that is typed, not the text before it', () => {
    const text = '---\nmodel: [passthrough, op'
    expect(yamlCursorAt(text, text.length)?.from).toBe(text.length - 2)
  })
})

describe('ranges of problems', () => {
  const TEXT = '---\nname: A\r\n  limits: { maxTurns: x }\n---\n'
  const at = (line?: number, column?: number): string => {
    const { from, to } = problemRange(TEXT, { line, column })
    return TEXT.slice(from, to)
  }

  it('a problem underlines the key or value at its line and column', () => {
    expect(at(2, 1)).toBe('name')
    expect(at(2, 7)).toBe('A')
    expect(at(3, 13)).toBe('maxTurns')
  })

  it('a problem at the end of a line, after the text or without a place underlines a whole line', () => {
    expect(at(3, 90)).toBe('limits: { maxTurns: x }')
    expect(at(1, 4)).toBe('---')
    expect(at(99, 1)).toBe('')
    expect(at()).toBe('---')
  })
})
