import { TroupeError } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseFunctionSpec } from '../src/index.ts'

describe('parseFunctionSpec', () => {
  it.each([
    ['tools.ts:add', { module: 'tools.ts', name: 'add' }],
    ['./lib/hooks.py:audit_hook', { module: './lib/hooks.py', name: 'audit_hook' }],
    ['C:\\agents\\tools.ts:add', { module: 'C:\\agents\\tools.ts', name: 'add' }],
    ['a:b.ts:$x', { module: 'a:b.ts', name: '$x' }],
    ['tools.ts:größe', { module: 'tools.ts', name: 'größe' }],
  ])(`parseFunctionSpec splits %s at its last colon ${verifies('B22')}`, (spec, expected) => {
    expect(parseFunctionSpec(spec)).toEqual(expected)
  })

  it.each([
    '',
    'add',
    'tools.ts',
    'tools.ts:',
    ':add',
    ' :add',
    'C:\\tools.ts',
    'tools.ts: add',
    'tools.ts:a/b',
    'a\0.ts:b',
  ])(`parseFunctionSpec rejects %o and states the expected form ${verifies('B24')}`, (spec) => {
    expect(() => parseFunctionSpec(spec)).toThrow(
      expect.objectContaining({
        code: 'function_bad_spec',
        message: expect.stringContaining('`module.ts:function`'),
      }),
    )
  })

  it('parseFunctionSpec splits any text losslessly or rejects it with its code', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ':', '.', '/', ' ', 'é', '\\') }), (spec) => {
        expect(splitOrCode(spec)).toBeOneOf([spec, 'function_bad_spec'])
      }),
    )
  })
})

function splitOrCode(spec: string): string | undefined {
  try {
    const { module, name } = parseFunctionSpec(spec)
    return `${module}:${name}`
  } catch (thrown) {
    return TroupeError.isInstance(thrown) ? thrown.code : undefined
  }
}
