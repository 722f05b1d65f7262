import { OpenList, type OpenEntry } from '@troupe/schema'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

describe('a list of what is open', () => {
  it('has what was added and not yet taken out, whatever the order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(19), { maxLength: 200 }), (choices) => {
        const list = new OpenList<number>()
        const open = new Map<OpenEntry<number>, number>()
        for (const [step, choice] of choices.entries()) {
          const chosen = [...open.keys()][choice]
          const isTaken = chosen !== undefined && list.delete(chosen)
          if (chosen === undefined) open.set(list.add(step), step)
          else open.delete(chosen)
          expect(isTaken).toBe(chosen !== undefined)
          expect(list.values().toSorted((a, b) => a - b)).toEqual(
            [...open.values()].toSorted((a, b) => a - b),
          )
          expect(list.size).toBe(open.size)
        }
      }),
    )
  })

  it('takes out each once, and holds nothing of it any more', () => {
    const list = new OpenList<object>()
    const first = list.add({})
    list.add({})
    expect(list.delete(first)).toBe(true)
    expect(first.value).toBeUndefined()
    expect(list.delete(first)).toBe(false)
    expect(list.size).toBe(1)
  })
})
