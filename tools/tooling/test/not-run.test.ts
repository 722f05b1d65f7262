import { describe, expect, it } from 'vitest'
import { openIds } from '../check/not-run.ts'

describe('the requirements that a run leaves open', () => {
  const passed = (name: string) => ({ name, passed: true })
  const skipped = (name: string) => ({ name, passed: false })

  it('openIds returns the ids of tests that did not run and that no passed test cites', () => {
    const notRun = [
      skipped('the page > opens [D36 D5]'),
      skipped('the page > closes [D4 R2]'),
      skipped('no id'),
    ]
    expect(openIds(notRun, [...notRun, passed('a card > loads [B1 D5]')])).toEqual(['D4', 'D36'])
  })

  it('openIds ignores a list in a title that only looks like ids', () => {
    expect(openIds([skipped('reads [D4] from a list'), skipped('reads [x D4]')], [])).toEqual([])
  })
})
