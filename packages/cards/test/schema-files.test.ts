import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { parseCard } from '../src/index.ts'
import { errorsOf } from './card-text.ts'

const FILES: ReadonlyMap<string, string> = new Map([
  ['/team/in.json', '\uFEFF{"type": "object", "properties": {"city": {"type": "string"}}}'],
  ['/team/shared/out.json', '{"type": "array"}'],
  ['/shared/out.json', '{}'],
  ['/team/list.json', '[]'],
  ['/team/broken.json', '{"type": '],
  ['/team/deep.json', '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000)],
  ['/team/large.json', `{"a": "${'x'.repeat(1024 * 1024)}"}`],
])

const readText = (path: string): string => {
  const text = FILES.get(path)
  if (text === undefined) throw Object.assign(new Error(`ENOENT: no such file ${path}`), { code: 'ENOENT' })
  return text
}

const parse = (yaml: string): ReturnType<typeof parseCard> =>
  parseCard(`---\ndescription: d\n${yaml}\n---\nhi`, { path: '/team/a.md', readText })

describe('a schema given as a path', () => {
  it(`a schema path is resolved relative to the card and must be inside its folder ${verifies('R3', 'C26', 'B16')}`, () => {
    const { definition } = parse('input: {schema: ./in.json}\noutput: {schema: ./x/../shared/out.json}')
    expect(definition?.input).toEqual({
      format: 'json',
      schema: { type: 'object', properties: { city: { type: 'string' } } },
    })
    expect(definition?.output).toEqual({ format: 'json', schema: { type: 'array' } })
    expect(parse('output: {schema: /team/shared/out.json}').definition?.output.schema).toEqual({
      type: 'array',
    })
    expect(parse('tool_input_schema: in.json').definition?.input.schema).toMatchObject({ type: 'object' })
  })

  it.each([
    ['input: {schema: none.json}', 'card_bad_value', '/team/none.json cannot be read: ENOENT'],
    ['input: {schema: ../shared/out.json}', 'card_bad_value', '/shared/out.json is outside the folder'],
    ['input: {schema: /shared/out.json}', 'card_bad_value', '/shared/out.json is outside the folder'],
    ['input: {schema: /team-evil/out.json}', 'card_bad_value', 'is outside the folder'],
    ['output: {schema: list.json}', 'invalid_schema', '/team/list.json does not contain an object'],
    ['output: {schema: broken.json}', 'invalid_schema', '/team/broken.json is not valid JSON'],
    ['output: {schema: deep.json}', 'invalid_schema', '/team/deep.json is nested more than 64 levels deep'],
    ['output: {schema: large.json}', 'invalid_schema', '/team/large.json is larger than 1 MiB'],
  ])('a schema file must contain a schema: %s', (yaml, code, text) => {
    const card = parse(yaml)
    expect(card.definition).toBeUndefined()
    expect(card.problems).toMatchObject([{ code, line: 3 }])
    expect(card.problems[0]?.message).toContain(text)
    expect(card.problems[0]?.column).toBeGreaterThan(7)
  })

  it('a schema path is rejected if no files can be read', () => {
    const local = parseCard('---\ninput: {schema: in.json}\n---\nhi', { path: '/t/a.md' })
    expect(errorsOf(local)).toEqual([
      '2:9 card_bad_value `input.schema`: schema files such as "in.json" cannot be read here; write the schema in the card.',
    ])
  })

  it('a schema path is rejected in a remote card', () => {
    const card = parseCard('---\ninput: {schema: in.json}\n---\nhi', { path: 'https://example.com/a.md' })
    expect(errorsOf(card)).toEqual([
      '2:9 remote_card_forbidden `input.schema`: remote cards may not read files such as "in.json"; write the schema in the card.',
    ])
  })
})
