import { readFile, readdir } from 'node:fs/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { readFrontMatter } from '../src/file/front-matter.ts'
import { parseCard } from '../src/index.ts'

const world = globalThis as { PWNED?: unknown }
const CODE = 'globalThis.PWNED = true'
const YAML = 'description: x'

const FENCES = [
  '---js',
  '---JS',
  '--- js',
  '---\tjs',
  '---javascript',
  '---Javascript',
  '--- javascript ',
  '---coffee',
  '---coffeescript',
  '---cson',
  '---json',
  '---toml',
  '---constructor',
  '---toString',
  '---__proto__',
  '---yaml js',
  '---YAML',
  '--- yaml',
  '----',
] as const

const VARIANTS: readonly (readonly [string, string, number])[] = [
  ...FENCES.map((fence) => [fence, `${fence}\n${CODE}\n---\nhi\n`, 1] as const),
  ['a BOM before it', `\uFEFF---js\n${CODE}\n---\nhi\n`, 1],
  ['two BOMs before it', `\uFEFF\uFEFF---js\n${CODE}\n---\nhi\n`, 1],
  ['CRLF line ends', `---js\r\n${CODE}\r\n---\r\nhi\r\n`, 1],
  ['bare CR line ends', `---js\r${CODE}\r---\rhi\r`, 1],
  ['a #! line before it', `#!/usr/bin/env troupe\n---js\n${CODE}\n---\nhi\n`, 2],
  ['a BOM and a #! line before it', `\uFEFF#!/usr/bin/env troupe\r\n---js\r\n${CODE}\r\n---\r\nhi`, 2],
  ['blank lines before it', `\n \n---js\n${CODE}\n---\nhi\n`, 3],
  ['no closing fence', `---js\n${CODE}\n`, 1],
  ['a second fence instead of the closing one', `---\n${YAML}\n---js\n${CODE}\n---\nhi\n`, 3],
  ['a second block behind the first', `---\n${YAML}\n---\n---js\n${CODE}\n---\nhi\n`, 4],
  ['a second block behind blank lines', `---\n${YAML}\n---\n\n\n---js\n${CODE}\n---\nhi\n`, 6],
]

afterEach(() => {
  delete world.PWNED
})

describe('front matter in another language', () => {
  it.each(VARIANTS)(
    'front matter in another language is never run and is an error with file and line: %s',
    (_name, text, line) => {
      const card = parseCard(text, { path: '/team/evil.md' })
      expect(world.PWNED).toBeUndefined()
      expect(card.definition).toBeUndefined()
      expect(card.problems).toMatchObject([
        { severity: 'error', code: 'card_syntax', file: '/team/evil.md', line },
      ])
    },
  )

  it('front matter in another language is plain text further down in the prompt', () => {
    const body = `Write this:\n\n---js\n${CODE}\n---\n`
    const card = parseCard(`---\n${YAML}\n---\n${body}`, { path: '/team/doc.md' })
    expect(world.PWNED).toBeUndefined()
    expect(card.definition?.instruction).toBe(body.trimEnd())
  })

  it.each(FENCES.filter((fence) => /[a-z]/iu.test(fence) && !/yaml/iu.test(fence)))(
    'front matter in another language has no engine even if the fence check accepted it: %s',
    (fence) => {
      expect(() => readFrontMatter(`${fence}\n${CODE}\n---`, 1)).toThrow(
        /other languages are not allowed|to be a function/u,
      )
      expect(world.PWNED).toBeUndefined()
    },
  )

  it.each(['---', '---yaml', '---yml', '---  ', '---yaml\t'])('front matter is YAML behind %j', (fence) => {
    const card = parseCard(`${fence}\n${YAML}\n---\nhi`, { path: '/team/good.md' })
    expect(card.problems).toEqual([])
    expect(card.definition?.description).toBe('x')
  })
})

describe('gray-matter', () => {
  it('gray-matter is called in one file of this package', async () => {
    const folder = new URL('../src/', import.meta.url)
    const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'))
    const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')))
    const users = files.filter((_file, index) => texts[index]?.includes("'gray-matter'"))
    expect(users).toEqual(['file/front-matter.ts'])
  })

  it('gray-matter shares no state between two reads of one text', () => {
    const text = '---\nmcpServers: {a: {command: x, args: [y]}}\ndescription: d\n---\nhi'
    const first = parseCard(text, { path: 'a.md' }).definition
    const second = parseCard(text, { path: 'a.md' }).definition
    expect(second).toEqual(first)
    expect(second?.mcpServers).not.toBe(first?.mcpServers)
    expect(Object.isFrozen(first?.mcpServers['a']?.args)).toBe(true)
  })
})
