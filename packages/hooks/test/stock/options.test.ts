import { describe, expect, it } from 'vitest'
import { audit, clamp, deny, redact, retry, STOCK_HOOKS, type OptionsError } from '../../src/index.ts'

function problemsOf(make: () => unknown): OptionsError['problems'] {
  try {
    make()
  } catch (thrown) {
    const { code, problems } = thrown as OptionsError
    return code === 'hook_bad_option' ? problems : []
  }
  return []
}

describe('options of stock hooks', () => {
  it('the options of stock hooks match the documented ones', () => {
    expect([...STOCK_HOOKS.keys()]).toEqual([
      'audit',
      'redact',
      'clamp',
      'deny',
      'retry',
      'cache',
      'rateLimit',
      'approve',
    ])
  })

  it('invalid options of stock hooks are reported one by one with their path and the known options', () => {
    expect(problemsOf(() => retry({ atempts: 2, delay: 'soon' } as never))).toEqual([
      { path: ['delay'], message: expect.stringContaining('`delay`: must be a number of ms') },
      {
        path: ['atempts'],
        message: '`atempts` is not an option',
        known: expect.arrayContaining(['attempts', 'delay', 'tools']),
      },
    ])
    expect(problemsOf(() => clamp({ args: { 'a.b': { min: 3, max: 2 } } }))).toEqual([
      { path: ['args', 'a.b'], message: '`args.a.b`: `min` is greater than `max`' },
    ])
  })

  it('missing required options of stock hooks are reported', () => {
    expect(problemsOf(() => deny({} as never)).map(({ path }) => path)).toEqual([['tools']])
    expect(problemsOf(() => STOCK_HOOKS.get('rateLimit')?.({})).map(({ path }) => path)).toEqual([
      ['calls'],
      ['per'],
    ])
  })

  it.each(['(?<=a)b', '(a', '(a)\\1', 'a*', 'x{900}{900}'])(
    'stock hooks reject the pattern %s',
    (pattern) => {
      expect(problemsOf(() => redact({ patterns: ['fine', pattern] }))).toMatchObject([
        { path: ['patterns', 1] },
      ])
    },
  )

  it('audit rejects a file with another extension and a file that it cannot write', () => {
    expect(problemsOf(() => audit({ file: 'card.md' }))).toMatchObject([{ path: ['file'] }])
    expect(problemsOf(() => audit({ file: 'audit.jsonl' }))).toMatchObject([{ path: ['file'] }])
  })
})
