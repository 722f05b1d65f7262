import { describe, expect, it } from 'vitest'
import { printNote } from '../src/reporter/reload.ts'
import { wrapLine } from '../src/terminal/wrap.ts'
import { troupe } from './team.ts'
import { testContext } from './test-context.ts'

describe('wrapLine', () => {
  it('a line that fits is not changed', () => {
    expect(wrapLine('  │ a  b ', 20)).toEqual(['  │ a  b '])
  })

  it('a long line breaks at spaces and continues below its text', () => {
    expect(wrapLine('  Worker[3]: No road leads to Lisbon', 20)).toEqual([
      '  Worker[3]: No road',
      '  leads to Lisbon',
    ])
  })

  it('the bar of a value of several lines is repeated, and the sign of a diff is not', () => {
    expect(wrapLine('  │ away from the street', 16)).toEqual(['  │ away from', '  │ the street'])
    expect(wrapLine('  + away from the street', 16)).toEqual(['  + away from', '    the street'])
  })

  it('the bars of a tree are repeated, and a hanging indent follows them', () => {
    expect(wrapLine('│  │  tools: read, write', 16, 2)).toEqual([
      '│  │  tools:',
      '│  │    read,',
      '│  │    write',
    ])
  })

  it('a word that is longer than a line is broken', () => {
    expect(wrapLine('abcdefgh', 3)).toEqual(['abc', 'def', 'gh'])
  })
})

describe('findings and notes on stderr', () => {
  const terminal = { tty: true, columns: 60, env: { NO_COLOR: '1' } }
  const bad = '---\nname: Bad\nmodel: passthrough\nlimits: {maxTurns: 3, maxTurnsPerConversation: 3}\n---\nx'
  const files = {
    'bad.md': bad,
    'a.eval.yaml': 'agent: Bad\ncases: [{ id: a, input: x, assert: [no-problems] }]\n',
  }

  it.each([
    ['run', 'bad.md'],
    ['eval', 'a.eval.yaml'],
  ])('troupe %s wraps findings at the width of a terminal only, with a hanging indent', async (...args) => {
    const finding = /^bad\.md:4:23 {2}error .* \[card_unknown_key\]$/mu
    const wrapped = (await troupe(args, files, terminal)).err()
    const lines = wrapped.split('\n')
    const first = lines.findIndex((line) => line.startsWith('bad.md:4:23  error  '))
    expect(lines[first + 1]).toMatch(/^ {4}\S/u)
    expect(lines.slice(first).filter(({ length }) => length >= 60)).toEqual([])
    expect((await troupe(args, files)).err()).toMatch(finding)
  })

  it('a note wraps at the width of a terminal', () => {
    const context = testContext(terminal)
    printNote(`Resuming the run run_${'0'.repeat(32)}. The result of 1 finished call is reused.`, {}, context)
    expect(
      context
        .err()
        .split('\n')
        .map(({ length }) => length >= 60),
    ).toEqual([false, false, false])
  })
})
