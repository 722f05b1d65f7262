import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPlainYaml } from '../src/yaml/plain-yaml.ts'
import { readYaml } from '../src/yaml/yaml.ts'
import { CORPUS_DIALECTS, corpusFiles, corpusPath } from './corpus.ts'

const PLAIN = `# a card
name: helper
description: Finds facts, and reports them (briefly)
version: 1.2.0
$schema: ./card.schema.json

model:
  - openai/gpt-4.1-mini
  - "anthropic/claude-haiku"
temperature: 0.2
maxOutputTokens: 2000
hidden: false
usage:
servers: [search, files]
tools:
  search: ['web_*', news]
  # of the disk
  files:
  - read_file
limits:
  maxTurns: 12
  toolTimeout: 30s
env: []
`

/** What parts of YAML texts look like, plain ones and others. */
const WORDS =
  `a name b-c $d true null __proto__ constructor << - -- --- . .. ... ? : # ~ no é 30s 1:30 1 -1 +2 1.5 .5 1e3 0x1F 0o7 010
  .inf .nan ' " '' "x" 'y' "\\ \\ | > [ ] [] {} , { } [a,b] ['c',1] &a *a !!str !x % @ \` * ( / < = ^ ;`.split(
    /\s+/u,
  )
const PIECES = [
  ...WORDS,
  ': ',
  '- ',
  '? ',
  ', ',
  ' ',
  '  ',
  ' # c',
  '\n',
  '\n  ',
  ':\n',
  '\n- ',
  '\n  - ',
  '\n#c\n',
  '\t',
  '\0',
  '\uFEFF',
]
const key = fc.constantFrom('a', 'b', 'name', 'a-b', '$c', 'True', 'toString', 'x y')
const scalar = fc.oneof(
  fc.constantFrom(...PIECES),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 4 }).map(join),
)
const line = fc
  .tuple(
    fc.constantFrom('', '', '', ' ', '  ', '    '),
    fc.constantFrom('', '- ', '-   '),
    fc.option(key),
    scalar,
  )
  .map(
    ([indent, dash, name, value]) =>
      `${indent}${dash}${name === null ? '' : `${name}:`}${name && value ? ' ' : ''}${value}`,
  )
const document = fc.oneof(
  fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n')),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map(join),
)
/** Lines of a card in another order and at other columns. */
const mixed = fc
  .array(fc.tuple(fc.constantFrom('', '', '', ' ', '  '), fc.constantFrom(...PLAIN.split('\n'))), {
    maxLength: 8,
  })
  .map((lines) => lines.map(join).join('\n'))
/** A piece that is put into a text in the place of others. */
const edit = fc.tuple(fc.nat(PLAIN.length), fc.nat(3), fc.constantFrom('', ...PIECES))

describe('plain YAML', () => {
  it('is read without a parser of all of YAML', () => {
    expect(readPlainYaml(PLAIN)).toStrictEqual(parsed(PLAIN))
  })

  it('is read as the parser reads it, or left to it, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(document, mixed), (text) => {
        expect(differenceIn(text)).toBeUndefined()
      }),
      { numRuns: 4000 },
    )
  })

  it('is read as the parser reads it after any change of a card', () => {
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        expect(differenceIn(edits.reduce(change, PLAIN))).toBeUndefined()
      }),
      { numRuns: 4000 },
    )
  })

  it.each(CORPUS_DIALECTS)('of cards of %s is read as the parser reads it', (dialect) => {
    for (const file of corpusFiles(dialect)) {
      const text = readFileSync(corpusPath(dialect, file), 'utf8')
      expect(differenceIn(text.split(/^---.*\n/mu)[1] ?? text)).toBeUndefined()
    }
  })

  it('is left to the parser where the limits of its size could be passed', () => {
    const long = 'a: [x]\n'
    expect(readPlainYaml(long)).toEqual({ a: ['x'] })
    expect(readPlainYaml(`${long}# ${'x'.repeat(20_000)}`)).toBeUndefined()
    const deep = Array.from({ length: 40 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')
    expect(readPlainYaml(deep)).toBeUndefined()
  })
})

/** A text of which plain reading gives what the parser does not give, in value or in order. */
function differenceIn(text: string): string | undefined {
  const plain = readPlainYaml(text)
  if (plain === undefined) return undefined
  const expected = parsed(text)
  const isSame = isDeepStrictEqual(plain, expected) && JSON.stringify(plain) === JSON.stringify(expected)
  return isSame ? undefined : text
}

function parsed(text: string): unknown {
  const read = readYaml(text, 1)
  return 'value' in read ? read.value : read
}

function change(text: string, [at, length, piece]: readonly [number, number, string]): string {
  return text.slice(0, at) + piece + text.slice(at + length)
}

function join(parts: readonly string[]): string {
  return parts.join('')
}
