import type { Json, JsonObject } from '@troupe/schema'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { callLines, describeCall, visibleText, type CallDescription } from '../src/index.ts'

describe('describeCall', () => {
  it('a file to write is described with its path and its new lines', () => {
    const call = describeCall('filesystem.write', { path: 'notes.md', content: '# Notes\n\nTea at 5.' })
    expect(call.action).toBe('Write notes.md')
    expect(callLines(call)).toEqual([
      'path: notes.md',
      'content:',
      '  1 │ # Notes',
      '  2 │ ',
      '  3 │ Tea at 5.',
    ])
  })

  it('edits of a file are described as removed and added lines', () => {
    const edits = [{ find: 'one\ntwo\nthree', replace: 'one\n2\nthree' }]
    const call = describeCall('filesystem.write', { path: 'notes.md', edits })
    expect(call.action).toBe('Edit notes.md')
    expect(callLines(call)).toEqual([
      'path: notes.md',
      'edits[0]:',
      '  │ one',
      '  - two',
      '  + 2',
      '  │ three',
    ])
  })

  it.each([
    [['status'], '$ git status'],
    [['commit', '-m', 'Fix the door'], "$ git commit -m 'Fix the door'"],
  ])('a program with the arguments %j is described as a command line', (args, line) => {
    const call = describeCall('shell.execute', { command: 'git', args, cwd: 'src' })
    expect(callLines(call)).toEqual(['command:', `  ${line}`, 'cwd: src'])
    expect(call.action).toBe(`Run ${line.slice(2)}`)
  })

  it('arguments of a program that need escapes are listed one by one', () => {
    const call = describeCall('shell.execute', { command: 'echo', args: ["it's", '-n'] })
    expect(callLines(call)).toEqual(['command:', '  $ echo', "args[0]: it's", 'args[1]: -n'])
  })

  it('an HTTP request is described by its method and address', () => {
    const call = describeCall('api.call', { method: 'DELETE', url: 'https://example.com/a', depth: 2 })
    expect(callLines(call)).toEqual(['request:', '  │ DELETE https://example.com/a', 'depth: 2'])
    expect(call.action).toBeUndefined()
  })

  it('nested arguments are listed by their paths, empty ones included', () => {
    const args = { to: [{ name: 'Ada' }, {}], tags: [], note: null, text: 'a\nb', none: '' }
    expect(callLines(describeCall('mail.send', args))).toEqual([
      'to[0].name: Ada',
      'to[1]: {}',
      'tags: []',
      'note: null',
      'text:',
      '  │ a',
      '  │ b',
      'none: ',
    ])
  })

  it('invisible characters and changes of the text direction are made visible', () => {
    const call = describeCall('shell.execute', { command: 'cat \u202Egnp.exe\u200B\r\u001B[2K' })
    expect(call.action).toBe('Run cat \\u{202e}gnp.exe\\u{200b}\\u{d}\\u{1b}[2K')
    expect(call.parts[0]?.lines).toEqual([{ text: 'cat \\u{202e}gnp.exe\\u{200b}\\u{d}\\u{1b}[2K' }])
  })

  it('arguments that are too long are cut, and the rest is counted', () => {
    const call = describeCall('mail.send', { body: 'x'.repeat(150_000), subject: 'hello' })
    expect(call.omitted).toBe(150_000 - (100_000 - 'body'.length) + 1 + 'subject'.length + 'hello\n'.length)
    expect(callLines(call).at(-1)).toMatch(/^… 50\d{3} more characters are not shown\.$/u)
    expect(
      describeCall('mail.send', { lines: Array.from({ length: 200_000 }, () => '') }).omitted,
    ).toBeGreaterThan(0)
  })

  it('every text and every name in the arguments appears in the description', () => {
    const known = fc.constantFrom(
      'command',
      'args',
      'url',
      'method',
      'path',
      'content',
      'edits',
      'cwd',
      'mode',
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom(
        'append',
        'GET',
        'https://example.com/',
        "it's",
        'a b',
        '$(x)',
        'a\nb\nc',
        '\u202E',
        '',
      ),
    )
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small', maxDepth: 6 },
        text,
        fc.constantFrom<Json>(1, true, null),
        fc.record({ find: text, replace: text }),
        fc.record({ oldText: text, newText: text }),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(text, tie('value'), { maxKeys: 4 }),
      ),
    }))
    const args = fc.dictionary(fc.oneof(known, text), value, { maxKeys: 6 }) as fc.Arbitrary<JsonObject>
    const tool = fc.constantFrom('filesystem.write', 'shell.execute', 'web.fetch', 'mail.send')
    fc.assert(
      fc.property(tool, args, (toolName, given) => {
        const description = describeCall(toolName, given)
        expect(description.omitted).toBe(0)
        const shown = textOf(description)
        for (const string of stringsIn(given))
          for (const line of string.split('\n')) expect(shown).toContain(visibleText(line))
        for (const key of namesIn(given)) expect(shown).toContain(visibleText(key))
      }),
    )
  })
})

const CHANGE_NAMES = new Set(['find', 'replace', 'oldText', 'newText', 'url', 'method'])

function textOf({ parts }: CallDescription): string {
  return parts.flatMap(({ label, lines }) => [label, ...lines.map(({ text }) => text)]).join('\n')
}

function stringsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  return value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(stringsIn)
}

/** Returns the names of members, without those that the form of the description implies. */
function namesIn(value: Json): readonly string[] {
  if (value === null || typeof value !== 'object') return []
  if (Array.isArray(value)) return value.flatMap(namesIn)
  return Object.entries(value).flatMap(([key, member]) => [
    ...(CHANGE_NAMES.has(key) || key === 'args' ? [] : [key]),
    ...namesIn(member),
  ])
}
