import { resolve, sep } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isBelow, isInside } from '../src/paths.ts'

const folder = resolve('/team')

describe('isInside', () => {
  it.each([
    ['the folder itself', folder],
    ['the folder with a separator at its end', `${folder}${sep}`],
    ['a file in it', resolve(folder, 'card.md')],
    ['a file in a folder in it', resolve(folder, 'a/b/card.md')],
    ['a file whose name begins with two dots', resolve(folder, '..card.md')],
    ['a path that leads out of it and back', `${folder}${sep}..${sep}team${sep}card.md`],
  ])('isInside returns true for %s', (_what, path) => {
    expect(isInside(folder, path)).toBe(true)
  })

  it.each([
    ['the folder above it', resolve('/')],
    ['a file beside it', resolve('/card.md')],
    ['a folder whose name begins with its name', resolve('/team-2/card.md')],
    ['a path that leads out of it', `${folder}${sep}a${sep}..${sep}..${sep}card.md`],
  ])('isInside returns false for %s', (_what, path) => {
    expect(isInside(folder, path)).toBe(false)
    expect(isBelow(folder, path)).toBe(false)
  })
})

describe('isBelow', () => {
  it('isBelow returns true for a path in the folder', () => {
    expect(isBelow(folder, resolve(folder, 'card.md'))).toBe(true)
    expect(isBelow(folder, resolve(folder, '..card.md'))).toBe(true)
  })

  it('isBelow returns false for the folder itself', () => {
    expect(isBelow(folder, folder)).toBe(false)
    expect(isBelow(folder, `${folder}${sep}`)).toBe(false)
  })
})
