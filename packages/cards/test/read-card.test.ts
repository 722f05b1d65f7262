import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempProject, verifies, type TempProject } from '@troupe/testkit/internal'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { localFiles, readCard, readCardFolder } from '../src/index.ts'

let project: TempProject

beforeEach(async () => {
  project = await tempProject()
})
afterEach(() => project.remove())

const at = (file: string): string => join(project.path, file)
const names = (): readonly string[] =>
  readCardFolder(project.path).map((card) => card.path.slice(project.path.length + 1))

describe('readCard', () => {
  it('readCard reads a file of any name that is a card', async () => {
    await project.write('README', '---\ndescription: d\n---\nYou are an agent.')
    await project.write('troupe.json', '{"instruction": "x"}')
    expect(readCard(at('README')).definition).toMatchObject({
      name: 'README',
      source: { kind: 'file', path: at('README'), folder: project.path },
    })
    expect(readCard(at('troupe.json')).definition?.name).toBe('troupe')
  })

  it('readCard reads schema files beside the card', async () => {
    await project.write('schemas/out.json', '{"type": "object"}')
    await project.write('a.md', '---\noutput: {schema: schemas/out.json}\n---\nhi')
    expect(readCard(at('a.md')).definition?.output).toEqual({ format: 'json', schema: { type: 'object' } })
  })

  it('readCard reports a file that cannot be read, without a position in it', async () => {
    await mkdir(at('folder.md'))
    await symlink('nowhere.md', at('dangling.md'))
    await symlink('loop.md', at('loop.md'))
    await writeFile(at('latin1.md'), Buffer.from('h\u00E9', 'latin1'))
    await project.write('replaced.ai', 'a \uFFFD that is meant')
    await writeFile(at('large.md'), Buffer.alloc(1024 * 1024 + 1, 32))
    for (const file of ['none.md', 'folder.md', 'dangling.md', 'loop.md', 'latin1.md', 'bad\u0000name.md']) {
      const card = readCard(at(file))
      expect(card.definition).toBeUndefined()
      expect(card.problems).toMatchObject([{ code: 'card_unreadable', severity: 'error', file: at(file) }])
      expect(card.problems[0]).not.toHaveProperty('line')
    }
    expect(readCard(at('large.md')).problems).toMatchObject([{ code: 'card_too_large' }])
    expect(readCard(at('replaced.ai')).definition?.instruction).toContain('\uFFFD')
  })
})

describe('readCardFolder', () => {
  it(`readCardFolder reads only cards, sorted by name ${verifies('C17')}`, async () => {
    await project.write('zoe.ai', 'You are Zoe.')
    await project.write('ann.md', '---\ndescription: d\n---\nhi')
    await project.write('bob.agent.md', 'You are Bob.')
    await project.write('shebang.md', '\uFEFF#!/usr/bin/env troupe\n---\ndescription: d\n---\nhi')
    await project.write('card.yaml', 'instruction: hi')
    await project.write('card2.yml', 'description: d\n"instruction": hi')
    await project.write('card3.json', '{"instruction": "hi"}')
    await project.write('prose.md', 'Just prose.')
    await project.write('rule.md', '-----\nA Markdown rule.')
    await project.write('README.md', '---\ndescription: d\n---\nhi')
    await project.write('readme.de.md', '---\ndescription: d\n---\nhi')
    await project.write('SKILL.md', '---\nname: s\ndescription: d\n---\nhi')
    await project.write('troupe.json', '{"instruction": "x"}')
    await project.write('.hidden.md', '---\ndescription: d\n---\nhi')
    await project.write('data.yaml', 'steps:\n  - instruction: x\n')
    await project.write('broken.yaml', 'instructions: [\n')
    await project.write('data.json', '{"a": {"instruction": "x"}}')
    await project.write('list.json', '["instruction"]')
    await project.write('module.ts', 'export {}')
    await project.write('sub/deep.ai', 'You are deep.')
    await project.write('folder.md/x.ai', 'x')
    expect(names()).toEqual([
      'ann.md',
      'bob.agent.md',
      'card.yaml',
      'card2.yml',
      'card3.json',
      'shebang.md',
      'zoe.ai',
    ])
    for (const card of readCardFolder(project.path)) expect(card.definition).toBeDefined()
  })

  it('readCardFolder keeps valid cards if others are broken', async () => {
    await project.write('a-bad.md', '---js\nglobalThis.PWNED = 1\n---\nhi')
    await project.write('b-bad.md', '\n---\nname: x\n---\nhi')
    await project.write('c-bad.yaml', 'instruction: [\n')
    await project.write('d-bad.json', '{"instruction": }')
    await project.write('e-good.ai', 'hi')
    await writeFile(at('f-bad.ai'), Buffer.from([0xff, 0xfe]))
    await writeFile(at('g-large.md'), `---\n${' '.repeat(1024 * 1024)}\n---\n`)
    const cards = readCardFolder(project.path)
    expect(cards.map((card) => card.problems[0]?.code)).toEqual([
      'card_syntax',
      'card_syntax',
      'card_bad_yaml',
      'card_syntax',
      'card_no_description',
      'card_unreadable',
      'card_too_large',
    ])
    expect(cards.filter((card) => card.definition !== undefined)).toHaveLength(1)
    expect('PWNED' in globalThis).toBe(false)
  })

  it.each([
    ['recipe.yaml', 'title: t\n{% if x %}\nprompt: p\n'],
    ['team.yaml', 'models:\n  m: &m {model: a}\nagents:\n  root:\n    instruction: i\n'],
    ['agent.yaml', 'systemPrompt: "x\n'],
    ['agent.json', '{"systemPrompt": "x" "settings": {}}'],
  ])('readCardFolder reports broken files of other products: %s', async (name, text) => {
    await project.write(name, text)
    expect(names()).toEqual([name])
    expect(readCardFolder(project.path)[0]?.definition).toBeUndefined()
  })

  it.each([
    ['values.yaml', 'agents: &a [x]\n'],
    ['page.yaml', 'title: [\n'],
    ['notes.yaml', 'prompt: [\n'],
  ])('readCardFolder skips other broken files: %s', async (name, text) => {
    await project.write(name, text)
    expect(readCardFolder(project.path)).toEqual([])
  })

  it('readCardFolder ignores other files that cannot be read', async () => {
    await writeFile(at('image.json'), Buffer.from([0xff, 0xd8]))
    await writeFile(at('book.md'), `A long book.\n${'x'.repeat(1024 * 1024)}`)
    await writeFile(at('data.yaml'), `a: ${'x'.repeat(1024 * 1024)}`)
    expect(names()).toEqual([])
  })

  it('readCardFolder follows links to files, not to folders, and reports broken links', async () => {
    await project.write('shared/ann.md', '---\ndescription: d\n---\nhi')
    await symlink('shared/ann.md', at('link.md'))
    await symlink('shared', at('folder.ai'))
    await symlink('nowhere', at('dangling.ai'))
    await symlink('loop.ai', at('loop.ai'))
    const cards = readCardFolder(project.path)
    expect(cards.map((card) => [card.definition?.name, card.problems[0]?.code])).toEqual([
      [undefined, 'card_unreadable'],
      ['link', undefined],
      [undefined, 'card_unreadable'],
    ])
  })

  it('readCardFolder returns a card with a problem for a path that is not a folder', () => {
    expect(readCardFolder(at('none'))).toMatchObject([
      { path: at('none'), problems: [{ code: 'card_unreadable', file: at('none') }] },
    ])
  })

  it('readCardFolder returns no cards for an empty folder', () => {
    expect(readCardFolder(project.path)).toEqual([])
  })
})

it('a link to a file with variables is not included, whatever its name', async () => {
  await project.write('.env', 'KEY=1\n')
  await project.write('b.md', 'included')
  await symlink('.env', at('notes.md'))
  const { readText } = localFiles(at('a.md'))
  expect(readText(at('b.md'))).toBe('included')
  for (const name of ['.env', 'notes.md'])
    expect(() => readText(at(name))).toThrow('files with variables cannot be included')
})
