import { HOSTILE_TEXTS } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCard, type ParsedCard } from './cards.ts'

const HOSTILE_KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', '<<', '', ' ', '0']
const PATHS = ['/t/a.md', '/t/a.ai', '/t/a.yaml', '/t/a.json', '/t/__proto__.md']

/** Returns the errors in the result of parsing a card, with checks that hold for every card. */
function faultsOf(card: ParsedCard): readonly string[] {
  const faults: string[] = []
  const hasError = card.problems.some((problem) => problem.severity === 'error')
  if ((card.definition === undefined) !== hasError) faults.push('neither a definition nor an error, or both')
  if (!card.problems.every(({ line = 0, column = 0 }) => line > 0 && column > 0)) faults.push('not located')
  if (Object.keys(Object.prototype).length > 0 || 'polluted' in {}) faults.push('pollution')
  return faults
}

describe('any text', () => {
  const fragments = fc.constantFrom(
    '---',
    '---js',
    '\n',
    '\r\n',
    '\n  ',
    '\n- ',
    ': ',
    '? ',
    '- ',
    '&a ',
    '*a',
    '!!str ',
    '!x ',
    '|',
    '>',
    '"',
    "'",
    '#!',
    '# ',
    '{',
    '}',
    '[',
    ']',
    ', ',
    '\uFEFF',
    '\u0000',
    '\t',
    '%YAML 1.2',
    '...',
    'name',
    'description',
    'limits',
    'maxTurns',
    'tools',
    'instruction',
    'agents',
    'max_parallel',
    'request_params',
    'mcpServers',
    '3',
    '.inf',
    'null',
    '2m',
    ...HOSTILE_KEYS,
  )
  const yamlish = fc.array(
    fc.oneof({ arbitrary: fragments, weight: 5 }, { arbitrary: fc.string(), weight: 1 }),
    {
      maxLength: 60,
    },
  )

  it('any text is a definition or has an error, and never throws', () => {
    fc.assert(
      fc.property(yamlish, fc.constantFrom(...PATHS), (parts, path) => {
        expect(faultsOf(parseCard(parts.join(''), { path }))).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })

  it('any text inside fences is a definition or has an error, and never throws', () => {
    fc.assert(
      fc.property(yamlish, (parts) => {
        expect(faultsOf(parseCard(`---\n${parts.join('')}\n---\nhi`, { path: '/t/a.md' }))).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })
})

describe('any tree of values', () => {
  const keys = fc.oneof(
    fc.constantFrom(...HOSTILE_KEYS),
    fc.constantFrom(
      'name',
      'description',
      'limits',
      'tools',
      'input',
      'schema',
      'mcpServers',
      'exports',
      'model',
    ),
    fc.constantFrom(
      'max_turns',
      'child_timeout_sec',
      'tool_hooks',
      'request_params',
      'skills',
      'prompt',
      'polluted',
    ),
    fc.string({ maxLength: 5 }),
  )
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 4 }, tie('leaf'), tie('list'), tie('mapping')),
    leaf: fc.oneof(fc.integer(), fc.double(), fc.string(), fc.boolean(), fc.constant(null)),
    list: fc.array(tie('tree'), { maxLength: 4 }),
    mapping: fc
      .array(fc.tuple(keys, tie('tree')), { maxLength: 5 })
      .map((entries) => Object.fromEntries(entries) as object),
  }))
  const card = fc
    .array(fc.tuple(keys, tree), { maxLength: 8 })
    .map((entries) => Object.fromEntries(entries) as object)

  it('any tree of values pollutes no prototype, as JSON and as front matter', () => {
    fc.assert(
      fc.property(card, (fields) => {
        const text = JSON.stringify(fields)
        expect(faultsOf(parseCard(text, { path: '/t/a.json' }))).toEqual([])
        expect(faultsOf(parseCard(`---\n${text}\n---\nhi`, { path: '/t/a.md' }))).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })
})

describe('a hostile card', () => {
  it.each([
    ['aliases that multiply', 'card_bad_yaml'],
    ['an anchor inside of itself', 'card_bad_yaml'],
    ['merge keys', 'card_bad_yaml'],
    ['deep lists', 'card_bad_yaml'],
    ['deep mappings', 'card_bad_yaml'],
    ['deep keys', 'card_bad_yaml'],
    ['thousands of keys', 'card_unknown_key'],
    ['an endless key', 'card_unknown_key'],
    ['one endless line of keys', 'card_unknown_key'],
    ['a large file', 'card_too_large'],
  ])('a hostile card is reported with the error code of its kind: %s', (name, code) => {
    const { text = '' } = HOSTILE_TEXTS.card.find((each) => each.name === name) ?? {}
    expect(parseCard(text, { path: '/t/a.md' }).problems.map((problem) => problem.code)).toContain(code)
  })

  it.each([
    ...HOSTILE_TEXTS.card.map(({ name, text }) => [name, '/t/a.md', text] as const),
    ...HOSTILE_TEXTS.data.map(({ name, text }) => [name, '/t/a.yaml', text] as const),
    ...HOSTILE_TEXTS.data.map(({ name, text }) => [name, '/t/a.json', text] as const),
  ])('a hostile card ends in an error: %s in %s', (_name, path, text) => {
    const card = parseCard(text, { path })
    expect(faultsOf(card)).toEqual([])
    expect(card.definition).toBeUndefined()
    expect(card.problems.length).toBeLessThan(110)
    for (const { message } of card.problems) expect(message.length).toBeLessThan(500)
  })
})
