import { describe, expect, it } from 'vitest'
import { parseCard } from '../src/index.ts'

const parse = (yaml: string) => parseCard(`---\ndescription: d\n${yaml}\n---\nx\n`, { path: '/a.md' })

describe('a closing bracket at the column of its key', () => {
  it('a list whose closing bracket is at the column of the key is read, with correct positions below it', () => {
    const { definition, problems, positionOf } = parse('tools: [\n  "a",\n  "b"\n]\nmodel: openai/gpt-5')
    expect(problems).toEqual([])
    expect(definition?.tools).toEqual({ allow: ['a', 'b'] })
    expect(positionOf(['model'])).toMatchObject({ line: 7, column: 1 })
  })

  it('a nested list and a mapping may end at the column of their keys', () => {
    const { definition, problems } = parse(
      'mcpServers:\n  s: {\n    command: x,\n    args: [\n      "y"\n    ]\n  }',
    )
    expect(problems).toEqual([])
    expect(definition?.mcpServers).toMatchObject({ s: { command: 'x', args: ['y'] } })
  })

  it('an item at the column of its key is still an error', () => {
    expect(parse('tools: [\n"a"\n]').problems).toMatchObject([{ code: 'card_bad_yaml' }])
  })

  it('a text with hundreds of such brackets is an error', () => {
    const lists = Array.from({ length: 300 }, (_, index) => `k${index}: [\n]`).join('\n')
    expect(parse(lists).problems).toMatchObject([{ code: 'card_bad_yaml' }])
  })
})
