import { expect, it } from 'vitest'
import { glossaryWords, longCells } from '../docs/prose.ts'

it('finds words of a page that the glossary replaces, with their line', () => {
  const page = '# Runs\n\nThe run goes on after the crash.\nEvery listener is told.'
  expect(glossaryWords('docs/runs.md', page)).toMatchObject([
    { line: 3, found: 'goes on' },
    { line: 4, found: 'told' },
  ])
})

it('accepts such words in code and in addresses', () => {
  const page = ['The agent `desk` and [its page](desk.md).', '```console', '$ troupe run desk.md', '```']
  expect(glossaryWords('docs/runs.md', page.join('\n'))).toEqual([])
})

it('finds table cells over 20 words in tables that people write, and counts code as one word', () => {
  const words = Array.from({ length: 19 }, () => 'word').join(' ')
  const page = [
    '| a | b |',
    '|---|---|',
    `| ${words} \`one piece of code\` | x |`,
    `| ${words} one more | x |`,
    '<!-- errors:start -->',
    `| ${words} in a generated table | x |`,
    '<!-- errors:end -->',
  ]
  expect(longCells(page.join('\n'))).toEqual([{ line: 4, words: 21 }])
})
