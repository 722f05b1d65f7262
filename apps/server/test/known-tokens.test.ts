import type { Failure } from '@troupe/schema'
import { fakeClock } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { createPrincipals } from '../src/gate/principals.ts'

const TOKENS = [
  { token: 'the-first-token-1', principal: 'first' },
  { token: 'the-second-token-2', principal: 'second' },
  { token: 'the-third-token-3' },
]

function knownCallers() {
  const clock = fakeClock(1_000_000)
  const principals = createPrincipals(TOKENS, clock)
  return {
    clock,
    caller(token: string, address = '10.0.0.1'): string | Failure | undefined {
      const found = principals.identify(new Headers({ authorization: `Bearer ${token}` }), address)
      if (found instanceof Promise) throw new TypeError('tokens of the configuration need no promise')
      return found === undefined || 'code' in found ? found : found.principal
    },
  }
}

it('a token identifies its caller on every request, and a different token is always rejected', () => {
  const { caller } = knownCallers()
  for (let time = 0; time < 3; time += 1) {
    expect(TOKENS.map(({ token }) => caller(token))).toEqual(['first', 'second', 'local'])
    expect(
      ['the-first-token-', 'the-first-token-2', 'The-first-token-1', 'x', '__proto__'].map((token) =>
        caller(token),
      ),
    ).toEqual(Array.from({ length: 5 }, () => undefined))
  }
})

describe('throttling of wrong tokens', () => {
  it('an address must wait after ten wrong tokens, twice as long after each further one; other addresses need not', async () => {
    const { clock, caller } = knownCallers()
    for (let guess = 1; guess <= 10; guess += 1) expect(caller(`wrong-${guess}`)).toBeUndefined()
    expect(caller('wrong-11')).toMatchObject({ code: 'rate_limited', retryAt: 1_001_000 })
    expect(caller('wrong-11', '10.0.0.2')).toBeUndefined()
    await clock.advance(1000)
    expect(caller('wrong-12')).toBeUndefined()
    expect(caller('wrong-13')).toMatchObject({ retryAt: 1_003_000 })
    await clock.advance(2000)
    expect(caller('wrong-14')).toBeUndefined()
    expect(caller('wrong-15')).toMatchObject({ retryAt: 1_007_000 })
  })

  it('an address waits one minute at most, and is forgotten after 15 minutes', async () => {
    const { clock, caller } = knownCallers()
    for (let guess = 0; guess < 40; guess += 1) {
      caller(`wrong-${guess}`)
      await clock.advance(60_000)
    }
    expect(caller('wrong-a')).toBeUndefined()
    expect(caller('wrong-b')).toMatchObject({ retryAt: clock.now() + 60_000 })
    await clock.advance(900_000)
    expect(caller('wrong-c')).toBeUndefined()
    expect(caller('wrong-d')).toBeUndefined()
  })

  it('a throttled response does not reveal if a token is right, and callers with a known token are accepted', async () => {
    const { clock, caller } = knownCallers()
    expect(caller('the-first-token-1')).toBe('first')
    for (let guess = 1; guess <= 10; guess += 1) caller(`wrong-${guess}`)
    expect(caller('the-second-token-2')).toMatchObject({ code: 'rate_limited' })
    expect(caller('the-first-token-1')).toBe('first')
    await clock.advance(1000)
    expect(caller('the-second-token-2')).toBe('second')
  })

  it('an address is not throttled because a client repeats one old token', () => {
    const { caller } = knownCallers()
    for (let time = 0; time < 100; time += 1) expect(caller('an-old-token-0001')).toBeUndefined()
    expect(caller('the-first-token-1')).toBe('first')
  })
})

it('a token of fewer than 16 characters is rejected at startup, with a remediation', () => {
  const create = () => createPrincipals([{ token: 'fifteen-letters', principal: 'ada' }], fakeClock())
  expect(create).toThrowError('The token of ada has 15 characters; at least 16 are required.')
})
