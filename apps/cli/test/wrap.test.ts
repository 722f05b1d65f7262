import { describe, expect, it } from 'vitest'
import { wrapLine } from '../src/terminal/wrap.ts'

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
