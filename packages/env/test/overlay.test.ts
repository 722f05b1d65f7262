import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { createOverlay } from '../src/index.ts'

const override = { origin: 'override', values: { KEY: 'from override' } }
const sidecar = { origin: '/team/troupe.env', values: { KEY: 'from sidecar', CITY: 'Paris' } }
const shell = { origin: 'process', values: { KEY: 'from shell', HOME: '/home/ann', EMPTY: undefined } }

describe('createOverlay', () => {
  it(`createOverlay resolves each name from the first layer that sets it and reports that layer ${verifies('R17', 'C41')}`, () => {
    const overlay = createOverlay([override, sidecar, shell])
    expect(overlay.get('KEY')).toBe('from override')
    expect(overlay.origin('KEY')).toBe('override')
    expect(overlay.get('CITY')).toBe('Paris')
    expect(overlay.origin('CITY')).toBe('/team/troupe.env')
    expect(overlay.origin('HOME')).toBe('process')
    expect(overlay.names()).toEqual(['CITY', 'HOME', 'KEY'])
  })

  it('createOverlay skips names whose value in a layer is undefined', () => {
    const overlay = createOverlay([{ origin: 'override', values: { KEY: undefined } }, sidecar])
    expect(overlay.get('KEY')).toBe('from sidecar')
    expect(createOverlay([shell]).names()).not.toContain('EMPTY')
  })

  it('createOverlay treats an empty string as a value', () => {
    expect(createOverlay([{ origin: 'override', values: { KEY: '' } }, sidecar]).get('KEY')).toBe('')
  })

  it(`createOverlay does not reflect later changes of its sources ${verifies('C43')}`, () => {
    const values: Record<string, string> = { KEY: 'first' }
    const layers = [{ origin: 'process', values }]
    const overlay = createOverlay(layers)
    values['KEY'] = 'second'
    values['NEW'] = 'new'
    layers.length = 0
    expect(overlay.get('KEY')).toBe('first')
    expect(overlay.names()).toEqual(['KEY'])
    expect(Object.isFrozen(overlay)).toBe(true)
    expect(Object.isFrozen(overlay.names())).toBe(true)
  })

  it(`a layer put in front of an overlay does not change the original overlay ${verifies('C45')}`, () => {
    const parent = createOverlay([sidecar])
    const child = parent.with({ origin: 'override', values: { KEY: 'of the child', OWN: 'x' } })
    expect(child.get('KEY')).toBe('of the child')
    expect(child.get('CITY')).toBe('Paris')
    expect(child.names()).toEqual(['CITY', 'KEY', 'OWN'])
    expect(parent.get('KEY')).toBe('from sidecar')
    expect(parent.get('OWN')).toBeUndefined()
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'createOverlay does not resolve %s unless a layer sets it',
    (name) => {
      expect(createOverlay([sidecar]).get(name)).toBeUndefined()
      const values = JSON.parse(`{"${name}": "mine"}`) as Record<string, string>
      const overlay = createOverlay([{ origin: 'override', values }])
      expect(overlay.get(name)).toBe('mine')
      expect(overlay.names()).toEqual([name])
      expect(Object.hasOwn(Object.prototype, 'mine')).toBe(false)
    },
  )

  it('createOverlay has the same fingerprint for the same names and values, whatever their order and origin', () => {
    const one = createOverlay([{ origin: 'override', values: { A: '1', B: '2' } }])
    const two = createOverlay([
      { origin: 'process', values: { B: '2' } },
      { origin: '/x.env', values: { A: '1' } },
    ])
    const other = createOverlay([{ origin: 'override', values: { A: '1', B: '3' } }])
    expect(one.fingerprint).toBe(two.fingerprint)
    expect(one.fingerprint).not.toBe(other.fingerprint)
    expect(one.fingerprint).toMatch(/^[0-9a-f]{64}$/u)
  })
})

describe('Overlay.secrets', () => {
  const secretNames = (values: Record<string, string>): readonly string[] =>
    createOverlay([{ origin: 'process', values }])
      .secrets()
      .map((secret) => secret.name)

  it('Overlay.secrets contains the variables whose names mark them as secret', () => {
    const value = 'sk-12345678'
    expect(
      secretNames({
        OPENAI_API_KEY: value,
        GITHUB_TOKEN: value,
        DB_PASSWORD: value,
        BASIC_AUTH: value,
        AWS_SECRET_ACCESS_KEY: value,
        github_pat: value,
      }),
    ).toHaveLength(6)
  })

  it('Overlay.secrets does not contain ordinary variables', () => {
    expect(
      secretNames({
        PATH: '/usr/bin:/bin',
        PWD: '/home/ann/team',
        OLDPWD: '/home/ann',
        SSH_AUTH_SOCK: '/run/agent.1',
        TOKEN_URL: 'https://example.com/token',
        KEY_FILE: '/etc/key.pem',
        MAX_TOKENS: '100000000',
        KEYBOARD: 'de-latin1',
        AUTHOR: 'Ann Example',
      }),
    ).toEqual([])
  })

  it('Overlay.secrets contains URLs with a password, and the password alone', () => {
    const url = 'postgres://ann:p%40ssword1@db.example.com:5432/main?x=a@b'
    expect(createOverlay([{ origin: 'process', values: { DATABASE_URL: url } }]).secrets()).toEqual([
      { name: 'DATABASE_URL', value: url },
      { name: 'DATABASE_URL', value: 'p%40ssword1' },
      { name: 'DATABASE_URL', value: 'p@ssword1' },
    ])
  })
})
