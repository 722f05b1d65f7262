import { verifies } from '@troupe/testkit/internal'
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
  it('a prompt contains the files it includes, each relative to the file that names it', () => {
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
    `a prompt is an error if an included file is outside the folder or does not exist: %s ${verifies('R18')}`,
    (path) => {
      const card = read(`\${include:${path}}`, { '/secret.md': 'secret', '/etc/passwd': 'secret' })
      expect(card.definition).toBeUndefined()
      expect(card.problems).toMatchObject([{ code: 'card_include', severity: 'error', line: 1 }])
      expect(card.problems[0]?.message).not.toContain('secret"')
    },
  )

  it('a prompt with files that include each other terminates', () => {
    const card = read('${include:b.md}', { '/team/b.md': '${include:b.md}' })
    expect(card.problems).toMatchObject([{ code: 'card_include' }])
    expect(card.problems[0]?.message).toContain('more than 8 files include each other')
  })

  it('a prompt with includes that multiply is limited in size', () => {
    const files = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [
        `/team/${index}.md`,
        `\${include:${index + 1}.md}`.repeat(40) + 'x'.repeat(1000),
      ]),
    )
    expect(read('${include:0.md}', files).problems[0]?.code).toBe('card_include')
  })

  it('a prompt is not read without file access', () => {
    const card = parseCard('${include:b.md}', { path: '/team/a.ai' })
    expect(card.problems.map(({ code }) => code)).toContain('card_include')
  })

  it('a prompt with includes stays unchanged in Troupe cards', () => {
    expect(read('${include:b.md}', {}, '/team/a.md').definition?.instruction).toBe('${include:b.md}')
  })
})
