import { isJsonObject, type AgentTool, type Json } from '@troupe/schema'
import * as fc from 'fast-check'
import { parse, stringify } from 'yaml'
import { describe, expect, it } from 'vitest'
import { editCard, editExportedTool } from '../src/edit/index.ts'
import { parseCard } from '../src/index.ts'

const TRAVEL = `---
# Who books.
name: Travel
description: 'Books trips.'   # short

exports:
  # What hosts see.
  tools:
    - name: book
      description: Books a flight. # to anywhere
      parameters:
        type: object
        properties:
          to: {type: string} # a city
        required: [to]
      prompt: |
        Book a flight to {to}.

        Be quick.
    - name: cancel
      description: "Cancels it."
      parameters: {type: object, properties: {id: {type: string}}}
      prompt: Cancel {id}.

# How long.
limits: {maxTurns: 3}
---

The prompt,   with --- dashes  
and trailing spaces.  
`
const AT = { path: 'travel.md' }
const book: AgentTool = {
  name: 'book',
  description: 'Books a flight or a train.',
  parameters: {
    type: 'object',
    properties: { to: { type: 'string' }, seats: { type: 'integer' } },
    required: ['to'],
  },
  prompt: 'Book {seats} seats to {to}.\n\nBe quick.\n',
}

function edited(...args: Parameters<typeof editCard>): string {
  const { text, problem } = editCard(...args)
  expect(problem).toBe(undefined)
  return text ?? ''
}

function withTool(text: string, name: string, tool: AgentTool | undefined): string {
  const { text: result, problem } = editExportedTool(text, { name, tool }, AT)
  expect(problem).toBe(undefined)
  return result ?? ''
}

describe('editing a tool of a card', () => {
  it('editing a tool changes only its own lines and keeps comments and the order of keys', () => {
    expect(withTool(TRAVEL, 'book', book)).toBe(
      TRAVEL.replace('Books a flight. # to', 'Books a flight or a train. # to')
        .replace(
          'to: {type: string} # a city\n',
          'to: {type: string} # a city\n          seats:\n            type: integer\n',
        )
        .replace('Book a flight to {to}.', 'Book {seats} seats to {to}.'),
    )
  })

  it('editing a tool keeps its keys that the new one does not set: version, needs and cache', () => {
    const more =
      'version: 2.0.0 # since spring\n      needs: [visa]\n      cache: {ttl: 10m}\n      parameters:\n'
    const card = TRAVEL.replace('parameters:\n', more)
    const text = withTool(card, 'book', book)
    expect(text).toContain('version: 2.0.0 # since spring\n')
    expect(parse(text.split('---\n')[1] ?? '')).toMatchObject({
      exports: {
        tools: [{ ...book, version: '2.0.0', needs: ['visa'], cache: { ttl: '10m' } }, { name: 'cancel' }],
      },
    })
  })

  it('a new tool is added after the others, or to a card without tools', () => {
    const text = withTool(TRAVEL, 'ride', { ...book, name: 'ride' })
    expect(text.startsWith(TRAVEL.slice(0, TRAVEL.indexOf('\n# How long.')))).toBe(true)
    expect(text.endsWith(TRAVEL.slice(TRAVEL.indexOf('\n# How long.')))).toBe(true)
    expect(parseCard(text, AT).definition?.exports.tools.map(({ name }) => name)).toEqual([
      'book',
      'cancel',
      'ride',
    ])
    const bare = '---\nname: A\ndescription: a\n---\nHelp.'
    const first = withTool(bare, 'book', book)
    expect(first.startsWith('---\nname: A\ndescription: a\nexports:\n  tools:\n    - name: book\n')).toBe(
      true,
    )
    expect(parseCard(first, AT).definition?.exports.tools).toEqual([book])
  })

  it('removing a tool also removes the list if it was the last one', () => {
    const one = withTool(TRAVEL, 'book', undefined)
    expect(parseCard(one, AT).definition?.exports.tools.map(({ name }) => name)).toEqual(['cancel'])
    expect(one).toContain('# What hosts see.')
    expect(parseCard(withTool(one, 'cancel', undefined), AT).definition?.exports.tools).toEqual([])
    expect(withTool(TRAVEL, 'none', undefined)).toBe(TRAVEL)
  })

  it('an edit that would break the card is rejected', () => {
    const broken = { ...book, prompt: '' }
    const { problem } = editExportedTool(TRAVEL, { name: 'book', tool: broken }, AT)
    expect(problem).toMatchObject({
      code: 'card_bad_value',
      message: expect.stringContaining('exports.tools.0.prompt'),
    })
  })
})

describe('an edit of a card', () => {
  it('an edit keeps CRLF line ends, the byte order mark and a shebang line', () => {
    const text = `\uFEFF#!/usr/bin/env troupe\n${TRAVEL}`.replaceAll('\n', '\r\n')
    const result = edited(text, { at: ['limits', 'maxTurns'], value: 5 }, AT)
    expect(result).toBe(text.replace('maxTurns: 3', 'maxTurns: 5'))
  })

  it('an edit keeps unindented lists and deeper indents', () => {
    const text =
      '---\nname: A\ndescription: a\nagents:\n- B # first\n- C\ncontext:\n    strategy: trim\n---\nHelp.\n'
    expect(edited(text, { at: ['agents', 2], value: 'D' }, AT)).toBe(text.replace('- C\n', '- C\n- D\n'))
    expect(edited(text, { at: ['context', 'keepTurns'], value: 2 }, AT)).toBe(
      text.replace('strategy: trim\n', 'strategy: trim\n    keepTurns: 2\n'),
    )
  })

  it('an edit adds front matter to a card without any', () => {
    expect(edited('Help.\n', { at: ['name'], value: 'A' }, AT)).toBe('---\nname: A\n---\nHelp.\n')
  })

  it('an edit writes YAML and JSON cards', () => {
    const yaml = '# a team\nname: A\ninstruction: >\n  Help\n  us.\n'
    expect(edited(yaml, { at: ['description'], value: 'a: b' }, { path: 'a.yaml' })).toBe(
      `${yaml}description: "a: b"\n`,
    )
    const json = '{\n\t"name": "A",\n\t"instruction": "Help."\n}\n'
    expect(edited(json, { at: ['name'], value: 'B' }, { path: 'a.json' })).toBe(json.replace('"A"', '"B"'))
  })

  it.each<[string, string, readonly (string | number)[], Json]>([
    ['a list in place of a card', '---\n- a\n---\n', ['name'], 'A'],
    ['a card that cannot be read', '---\nname: [\n---\n', ['name'], 'A'],
    ['a place in a text', TRAVEL, ['name', 'first'], 'A'],
    ['a place behind the end of a list', TRAVEL, ['exports', 'tools', 7], {}],
    ['a key that no card has', TRAVEL, ['exports', '__proto__'], 1],
    ['all keys at once by no key', TRAVEL, [], 'text'],
  ])('an edit rejects %s', (_what, text, at, value) => {
    const result = editCard(text, { at, value }, AT)
    expect(result.text).toBe(undefined)
    expect(result.problem?.code).toMatch(/^card_/u)
  })

  it('an edit changes only the requested parts or reports that it cannot', () => {
    const word = fc.oneof(
      fc.constantFrom(
        'a',
        'a: b',
        '# no',
        'yes',
        'null',
        '0x1f',
        '1e3',
        '- x',
        '"q"',
        "it's",
        'two\nlines\n',
        ' pad ',
        '---',
        '...',
        '\t',
        '~',
        '',
      ),
      fc.string({ maxLength: 12, unit: 'grapheme' }),
    )
    const scalar = fc.oneof(
      word,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    )
    const key = fc.constantFrom('alpha', 'beta', 'on', '1', 'constructor', 'a b')
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        scalar,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 3 }),
      ) as fc.Arbitrary<Json>,
    }))
    const fields = fc.dictionary(key, value, { maxKeys: 4 })
    const style = fc.record({
      indent: fc.constantFrom(2, 4),
      indentSeq: fc.boolean(),
      lineWidth: fc.constant(0),
    })
    const body = fc.constantFrom('Help.\n', '\n# Title  \n\n---more\n', 'no end', '')
    const steps = fc.array(fc.oneof(key, fc.nat({ max: 2 })), { minLength: 1, maxLength: 3 })
    let written = 0
    fc.assert(
      fc.property(fields, style, body, steps, value, (given, options, prose, at, next) => {
        const yaml = `# at the top\nname: A # the name\n${Object.keys(given).length === 0 ? '' : stringify(given, options)}# at the end\n`
        const card = `---\n${yaml}---\n${prose}`
        const known = parse(yaml) as Record<string, Json>
        const result = editCard(card, { at, value: next }, AT)
        const text = result.text ?? card
        written += result.text === undefined ? 0 : 1
        expect(text.endsWith(`---\n${prose}`)).toBe(true)
        expect(text).toContain('# at the top\nname: A # the name\n')
        expect(text).toContain('# at the end\n')
        const now = parse(text.slice(4, text.length - prose.length - 4)) as Record<string, Json>
        expect(without(now, at)).toEqual(without(known, at))
        expect(result.text === undefined ? next : valueAt(now, at)).toEqual(next)
      }),
      { numRuns: 500 },
    )
    expect(written).toBeGreaterThan(100)
  })
})

/** All top-level keys but the one that a path leads into. */
function without(fields: Readonly<Record<string, Json>>, [top]: readonly (string | number)[]): unknown {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== String(top)))
}

function valueAt(value: Json | undefined, at: readonly (string | number)[]): Json | undefined {
  return at.reduce<Json | undefined>((inside, step) => {
    if (Array.isArray(inside)) return (inside as readonly Json[])[Number(step)]
    return isJsonObject(inside) && Object.hasOwn(inside, step) ? inside[step] : undefined
  }, value)
}

describe('JSON with comments', () => {
  const change = { at: ['agent', 'a', 'prompt'], value: 'q' }

  it('JSON with comments can be edited if it contains none', () => {
    const text = '{"agent": {"a": {"prompt": "p"}}}'
    expect(editCard(text, change, { path: '/p/opencode.json' }).text).toBe('{"agent":{"a":{"prompt":"q"}}}')
  })

  it('an edit of JSON is rejected if comments would be lost', () => {
    const text = '{"agent": {"a": {"prompt": "p"}}} // the only one'
    const { problem } = editCard(text, change, { path: '/p/opencode.jsonc' })
    expect(problem).toMatchObject({ code: 'card_edit_refused' })
  })
})
