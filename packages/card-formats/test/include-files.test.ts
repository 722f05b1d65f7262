import { verifies } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { parseCard, type ParsedCard } from './cards.ts'

function read(prompt: string, files: Readonly<Record<string, string>> = {}, path = '/team/a.ai'): ParsedCard {
  return parseCard(`---\ndescription: d\n---\n${prompt}\n`, {
    path,
    readText: (file) => {
      const text = files[file]
      if (text === undefined) throw Object.assign(new Error(`no such file: ${file}`), { code: 'ENOENT' })
      return text
    },
  })
}

describe('a prompt that includes files', () => {
  it('holds what they hold, each relative to the file that names it', () => {
    const card = read('You. ${include:parts/tone.md} End.', {
      '/team/parts/tone.md': 'Be calm. ${include:words.md}',
      '/team/parts/words.md': '\uFEFFShort\r\nwords.',
    })
    expect(card.problems).toEqual([])
    expect(card.definition?.instruction).toBe('You. Be calm. Short\nwords. End.')
    expect(card.report).toContainEqual({
      key: '(prompt) ${include:…}',
      status: 'translated',
      to: 'instruction',
      reason: 'with parts/tone.md, words.md',
    })
  })

  it.each(['../secret.md', '/etc/passwd', 'parts/../../secret.md', 'gone.md'])(
    `is an error where a file lies outside of its folder, or is not there: %s ${verifies('R18')}`,
    (path) => {
      const card = read(`\${include:${path}}`, { '/secret.md': 'secret', '/etc/passwd': 'secret' })
      expect(card.definition).toBeUndefined()
      expect(card.problems).toMatchObject([{ code: 'card_include', severity: 'error', line: 1 }])
      expect(card.problems[0]?.message).not.toContain('secret"')
    },
  )

  it('ends where files include each other', () => {
    const card = read('${include:b.md}', { '/team/b.md': '${include:b.md}' })
    expect(card.problems).toMatchObject([{ code: 'card_include' }])
    expect(card.problems[0]?.message).toContain('more than 8 files include each other')
  })

  it('ends where they grow together', () => {
    const files = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [
        `/team/${index}.md`,
        `\${include:${index + 1}.md}`.repeat(40) + 'x'.repeat(1000),
      ]),
    )
    expect(read('${include:0.md}', files).problems[0]?.code).toBe('card_include')
  })

  it('is not read where nothing can be', () => {
    const card = parseCard('${include:b.md}', { path: '/team/a.ai' })
    expect(card.problems.map(({ code }) => code)).toContain('card_include')
  })

  it('stays as it is in cards of ours', () => {
    expect(read('${include:b.md}', {}, '/team/a.md').definition?.instruction).toBe('${include:b.md}')
  })
})
