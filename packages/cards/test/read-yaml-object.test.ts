import { describe, expect, it } from 'vitest'
import { readYamlObject } from '../src/index.ts'

describe('readYamlObject', () => {
  it('readYamlObject returns the mapping and the position of a key, or of the nearest one around it', () => {
    const read = readYamlObject('a: 1\nlist:\n  - name: x\n')
    if ('message' in read) throw new Error(read.message)
    expect(read.value).toEqual({ a: 1, list: [{ name: 'x' }] })
    expect(read.positionOf(['list', 0, 'name'])).toEqual({ line: 3, column: 5 })
    expect(read.positionOf(['list', 0, 'missing'])).toEqual({ line: 3, column: 5 })
  })

  it.each(['a: &x 1\nb: *x\n', 'a: !include x\n', '__proto__: 1\n', '- a\n', 'a: [\n'])(
    'readYamlObject refuses %j with a position',
    (text) => {
      expect(readYamlObject(text)).toMatchObject({
        message: expect.any(String) as unknown,
        position: { line: expect.any(Number) as unknown },
      })
    },
  )
})
