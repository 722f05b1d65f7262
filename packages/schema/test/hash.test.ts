import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { sha256Hex } from '../src/json.ts'

it('sha256Hex returns the SHA-256 of the UTF-8 bytes, whatever was hashed before', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.integer({ min: 0, max: 700 }).map((length) => 'é'.repeat(length)),
  )
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 5 }), (all) => {
      for (const text of all) expect(sha256Hex(text)).toBe(createHash('sha256').update(text).digest('hex'))
    }),
  )
})
