import { expect, it } from 'vitest'
import { createPrincipals } from '../src/principals.ts'

it('a token says who its caller is each time it comes, and one that differs anywhere is nobody', () => {
  const find = createPrincipals([
    { token: 'first-token', principal: 'first' },
    { token: 'second-token', principal: 'second' },
    { token: 'third-token' },
  ])
  const caller = (token: string): string | undefined =>
    find(new Headers({ authorization: `Bearer ${token}` }))
  for (let time = 0; time < 3; time += 1) {
    expect(['first-token', 'second-token', 'third-token'].map(caller)).toEqual(['first', 'second', 'local'])
    expect(
      ['first-toke', 'first-tokem', 'First-token', 'first-token1', 'x', '__proto__'].map(caller),
    ).toEqual(Array.from({ length: 6 }, () => undefined))
  }
})
