import { expect, it } from 'vitest'
import { createOverlay, secretsInUse } from '../src/index.ts'

const overlay = createOverlay([
  {
    origin: 'override',
    values: { PLAIN: 'plain-value-1', HOST: 'example.com', DSN: 'postgres://u:pass-word-1@db/x' },
  },
])
const found = (config: unknown): readonly (readonly [string, string])[] =>
  secretsInUse(config, overlay, 'servers.a').map(({ name, value }) => [name, value])

it.each([
  ['a variable under a key that is secret', { apiKey: '${PLAIN}' }, [['PLAIN', 'plain-value-1']]],
  ['a variable in a header', { headers: { authorization: 'Bearer ${PLAIN}' } }, [['PLAIN', 'plain-value-1']]],
  [
    'a literal header, with and without its scheme',
    { headers: { Authorization: 'Bearer literal-1' } },
    [
      ['servers.a.headers.Authorization', 'Bearer literal-1'],
      ['servers.a.headers.Authorization', 'literal-1'],
    ],
  ],
  ['what follows an option', { args: ['-y', '--token', 'literal-2'] }, [['servers.a.args.2', 'literal-2']]],
  ['what is glued to an option', { args: ['--api-key=literal-3'] }, [['servers.a.args.0', 'literal-3']]],
  [
    'a password in an address',
    { url: 'https://u:literal-4@${HOST}/' },
    [
      ['HOST', 'https://u:literal-4@example.com/'],
      ['HOST', 'literal-4'],
    ],
  ],
  [
    'a key in the query of an address',
    { url: 'https://h/?x=1&api_key=lit%20eral' },
    [
      ['servers.a.url', 'https://h/?x=1&api_key=lit%20eral'],
      ['servers.a.url', 'lit%20eral'],
      ['servers.a.url', 'lit eral'],
    ],
  ],
])('secretsInUse finds %s', (_what, config, secrets) => {
  expect(found(config)).toEqual(secrets)
})

it('secretsInUse finds nothing in plain values', () => {
  expect(
    found({
      command: 'npx',
      args: ['-y', 'x@1'],
      url: 'https://${HOST}/v1',
      headers: { accept: 'a/b' },
      n: 3,
    }),
  ).toEqual([])
})
