import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as fc from 'fast-check'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { convertCard, parseCard, parseCards } from './cards.ts'
import { CORPUS_DIALECTS, corpusFiles, corpusPath } from './corpus.ts'

const readText = (path: string): string => readFileSync(path, 'utf8')

describe.each(CORPUS_DIALECTS)('conversion of files of %s', (dialect) => {
  it.each(corpusFiles(dialect))(
    `a converted file is a Troupe card with the same definition: %s ${verifies('R4')}`,
    (file) => {
      const path = corpusPath(dialect, file)
      const text = readText(path)
      const before = parseCards(text, { path, readText }).flatMap(({ definition }) => definition ?? [])
      const { cards } = convertCard(text, { path, readText })
      expect(cards.map(({ name }) => name)).toEqual(before.map(({ name }) => name))
      for (const [index, card] of cards.entries()) {
        const after = parseCard(card.text, { path: join(dirname(path), `converted-${index}.md`), readText })
        expect(after.problems.filter(({ code }) => code !== 'card_no_description')).toEqual([])
        expect(after.dialect).toBe('troupe')
        expect(after.report.filter(({ status }) => status === 'ignored')).toEqual([])
        expect(after.definition?.digest).toBe(before[index]?.digest)
      }
    },
  )
})

const CLAUDE = '/p/.claude/agents/a.md'

describe('conversion of a card', () => {
  it('a conversion keeps the prompt byte for byte, and the line endings of the file', () => {
    const body = '\r\n  Be brief. \r\n\r\n# Rules\r\n- one\r\n\r\n'
    const text = `\uFEFF---\r\nname: a\r\ndescription: d\r\ntools: Read\r\n---\r\n${body}`
    const [card] = convertCard(text, { path: CLAUDE }).cards
    expect(card?.text.endsWith(`---\r\n${body}`)).toBe(true)
    expect(card?.text.replaceAll('\r\n', '')).not.toContain('\n')
  })

  it('a conversion keeps comments with the keys they belong to and reports what it dropped', () => {
    const text = [
      '---',
      '# who it is',
      'name: a',
      'description: d # short',
      '# as few as possible',
      'maxTurns: 3',
      'color: red # the colour of danger',
      '---',
      'Be brief.',
    ].join('\n')
    expect(convertCard(text, { path: CLAUDE }).cards[0]?.text).toBe(
      [
        '---',
        'dialect: troupe',
        '# who it is',
        'name: a',
        '# short',
        'description: d',
        'tools:',
        '  - filesystem.read',
        '  - filesystem.list',
        '  - filesystem.search',
        '  - filesystem.write',
        '  - shell.execute',
        '  - web.fetch',
        '  - todo.read',
        '  - todo.write',
        '# as few as possible',
        'limits:',
        '  maxTurns: 3',
        'permissions:',
        '  ask:',
        '    - filesystem.write',
        '    - shell.execute',
        '    - web.fetch',
        'runtimeTools:',
        '  - filesystem',
        '  - shell',
        '  - fetch',
        '  - todo',
        '# the colour of danger',
        '# not converted from Claude Code:',
        '#   color: it only affects the Claude Code interface',
        '---',
        'Be brief.',
      ].join('\n'),
    )
  })

  it('a conversion does not treat headings in text as comments', () => {
    const text = 'title: T\ndescription: d\ninstructions: |\n  # Heading\n  Go.\nextensions: []\n'
    const [card] = convertCard(text, { path: '/p/t.yaml' }).cards
    expect(card?.text.endsWith('---\n# Heading\nGo.\n')).toBe(true)
    expect(card?.text.match(/# Heading/gu)).toHaveLength(1)
  })

  it('a conversion keeps trailing blanks and line endings of text', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\t', ':', '#', '-', "'"), minLength: 1 })
    const others = fc.constantFrom({}, { tools: ['Read'] }, { color: 'red' })
    fc.assert(
      fc.property(text, others, (end, other) => {
        const description = `x${end}`
        const front = JSON.stringify({ name: 'a', description, ...other })
        for (const path of [CLAUDE, '/p/.opencode/agents/a.md', '/p/a.md']) {
          const { definition } = parseCard(`---\n${front}\n---\nx\n`, { path })
          const [card] = convertCard(`---\n${front}\n---\nx\n`, { path }).cards
          const converted = parseCard(card?.text ?? '', { path: '/p/a.md' })
          expect(converted.definition?.description).toBe(definition?.description)
          expect([description, undefined]).toContain(definition?.description)
        }
      }),
      { examples: ['\n\n', '\n...\n', '\n \n\n', '\n...\n\n', '\n---\n\n'].map((end) => [end, {}]) },
    )
  })

  it('a conversion writes a prompt that starts like front matter as a key', () => {
    const text = JSON.stringify({ instruction: '---js\nx', description: 'd' })
    const [card] = convertCard(text, { path: '/p/t.json' }).cards
    expect(parseCard(card?.text ?? '', { path: '/p/t.md' }).definition?.instruction).toBe('---js\nx')
  })

  it('a conversion creates one card for each agent of a file', () => {
    const path = corpusPath('docker-agent', 'team.yaml')
    expect(convertCard(readText(path), { path }).cards.map(({ name }) => name)).toEqual([
      'root',
      'writer',
      'checker',
    ])
  })

  it('a conversion of a file with errors reports the errors and creates no card', () => {
    const conversion = convertCard('---\ndescription: d\nmaxTurns: many\n---\nx', { path: CLAUDE })
    expect(conversion.cards).toEqual([])
    expect(conversion.problems).toMatchObject([{ code: 'card_bad_value', line: 3 }])
    expect(convertCard('---js\n---\n', { path: CLAUDE }).problems).toMatchObject([{ code: 'card_syntax' }])
  })
})
