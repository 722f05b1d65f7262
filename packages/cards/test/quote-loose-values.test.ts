import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quoteLooseValues } from '../src/file/card-text.ts'

describe('quoteLooseValues', () => {
  it('quoting loose values never changes valid YAML or the number of lines', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 30 }), { minLength: 1 }), (values) => {
        const yaml = values.map((value, index) => `key${index}: ${JSON.stringify(value)}`).join('\n')
        expect(quoteLooseValues(yaml)).toBeUndefined()
        const loose = values.map((value, index) => `key${index}: a: ${value.replaceAll(/\s/gu, ' ')}`)
        const quoted = quoteLooseValues(loose.join('\n'))
        expect(quoted?.text.split('\n').length ?? loose.length).toBe(loose.length)
      }),
    )
  })
})
