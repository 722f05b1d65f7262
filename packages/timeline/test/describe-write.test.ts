import type { Json, JsonObject, WriteTarget } from '@troupe/schema'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { callLines, describeCall } from '../src/index.ts'

const LINES = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`)
const FILE: WriteTarget = { state: 'text', text: LINES.join('\n'), changedAt: 1000 }

function linesOf(args: JsonObject, file: WriteTarget = FILE, requestedAt?: number): readonly string[] {
  const target = requestedAt === undefined ? { file } : { file, requestedAt }
  return callLines(describeCall('filesystem.write', { path: 'a.txt', ...args }, target))
}

describe('describeCall with the present content of the file', () => {
  it('a whole file is described by its changed lines and the lines around them', () => {
    const content = LINES.with(8, 'new').join('\n')
    expect(linesOf({ content })).toEqual([
      'path: a.txt',
      'content:',
      '  … 5 unchanged lines',
      '  │ line 6',
      '  │ line 7',
      '  │ line 8',
      '  - line 9',
      '  + new',
      '  │ line 10',
      '  │ line 11',
      '  │ line 12',
    ])
  })

  it('edits are described by the lines of the file that they change', () => {
    const edits = [
      { find: 'line 1\nline 2', replace: 'line 1\ntwo' },
      { find: '12', replace: 'twelve' },
    ]
    const lines = linesOf({ edits })
    expect(lines.filter((line) => /^ {2}[+-]/u.test(line))).toEqual([
      '  - line 2',
      '  + two',
      '  - line 12',
      '  + line twelve',
    ])
    expect(lines[1]).toBe('edits:')
  })

  it('appended text is described after the last lines of the file', () => {
    expect(linesOf({ content: '\nend', mode: 'append' }).slice(-3)).toEqual([
      '  │ line 12',
      '  + end',
      'mode: append',
    ])
  })

  it.each<[string, JsonObject, WriteTarget, string]>([
    ['a new file', { content: 'x' }, { state: 'missing' }, 'The file does not exist yet.'],
    [
      'edits of a missing file',
      { edits: [{ find: 'a', replace: 'b' }] },
      { state: 'missing' },
      'The file does not exist: the call will fail.',
    ],
    [
      'an existing file',
      { content: 'x', mode: 'create' },
      FILE,
      'The file exists already: the call will fail.',
    ],
    [
      'an edit without a match',
      { edits: [{ find: 'nothing', replace: 'b' }] },
      FILE,
      'The text of edits[0] is not in the file: the call will fail.',
    ],
    [
      'an edit with several matches',
      { edits: [{ find: 'line', replace: 'b' }] },
      FILE,
      'The text of edits[0] is in the file more than once: the call will fail.',
    ],
    ['the same content', { content: LINES.join('\n') }, FILE, 'The call does not change the file.'],
    [
      'a hidden file',
      { content: 'x' },
      { state: 'hidden', reason: 'Too\u202E large.' },
      'The present content of the file is not shown. Too\\u{202e} large.',
    ],
  ])('%s is noted below the call', (_name, args, file, note) => {
    expect(linesOf(args, file).at(-1)).toBe(note)
  })

  it('a file that was changed after the request is noted, an older one is not', () => {
    const note = 'The file was changed after the call was requested.'
    expect(linesOf({ content: 'x' }, FILE, 999).at(-1)).toBe(note)
    expect(linesOf({ content: 'x' }, FILE, 1000)).not.toContain(note)
  })

  it('arguments that the tool does not have stay visible', () => {
    const edits = [{ find: 'line 1\n', replace: 'one\n', hidden: 'secret' }] as Json
    expect(linesOf({ edits }).join('\n')).toContain('edits[0].hidden: secret')
  })

  it('a very different large file is compared in bounded work, and cut at the limit', () => {
    const text = Array.from({ length: 20_000 }, (_, index) => `old ${index}`).join('\n')
    const content = Array.from({ length: 20_000 }, (_, index) => `new ${index}`).join('\n')
    expect(linesOf({ content }, { state: 'text', text, changedAt: 0 }).at(-1)).toMatch(
      /^… \d+ more characters/u,
    )
  })

  it('removed lines are those of the file, added ones those of the new content, in order', () => {
    const line = fc.constantFrom('a', 'b', 'c', '')
    const text = fc.array(line, { minLength: 1, maxLength: 30 }).map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(text, text, (before, content) => {
        const { parts } = describeCall(
          'filesystem.write',
          { path: 'a.txt', content },
          { file: { state: 'text', text: before, changedAt: 0 } },
        )
        const lines = parts.find(({ kind }) => kind === 'change')?.lines ?? []
        const left: (string | undefined)[] = []
        const right: (string | undefined)[] = []
        for (const { text: shown, change } of lines) {
          const count = change === 'skipped' ? Number(/^\d+/u.exec(shown)?.[0]) : 1
          for (let index = 0; index < count; index += 1) {
            const own = change === 'skipped' ? undefined : shown
            if (change !== 'added') left.push(own)
            if (change !== 'removed') right.push(own)
          }
        }
        expect(left.map((shown, index) => shown ?? before.split('\n')[index])).toEqual(before.split('\n'))
        expect(right.map((shown, index) => shown ?? content.split('\n')[index])).toEqual(content.split('\n'))
      }),
    )
  })
})
