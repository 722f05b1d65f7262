import { fakeClock } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSafeFetch, isPublicAddress } from '../src/index.ts'

/** Addresses that a hostile resolver returns for each host. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  localhost: ['127.0.0.1'],
  'localhost.': ['127.0.0.1'],
  'app.localhost': ['::1'],
  'metadata.google.internal': ['169.254.169.254'],
  '127.0.0.1.nip.io': ['127.0.0.1'],
  'ten.example': ['10.1.2.3'],
  'mixed.example': ['93.184.215.14', '192.168.0.1'],
  'mapped.example': ['::ffff:93.184.215.14'],
  'nat64.example': ['64:ff9b::7f00:1'],
}

const REFUSED: readonly string[] = [
  'https://127.0.0.1/',
  'https://127.1/',
  'https://127.0.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://0177.0.0.01/',
  'https://017700000001/',
  'https://127.0.0.1./',
  'https://127。0。0。1/',
  'https://①②⑦.0.0.1/',
  'https://%31%32%37.0.0.1/',
  'https://0.0.0.0/',
  'https://0/',
  'https://10.0.0.1/',
  'https://10.255.255.255/',
  'https://100.64.0.1/',
  'https://100.127.255.255/',
  'https://169.254.169.254/latest/meta-data/',
  'https://169.254.170.2/',
  'https://0xa9fea9fe/',
  'https://2852039166/',
  'https://172.16.0.1/',
  'https://172.31.255.255/',
  'https://192.168.1.1/',
  'https://192.0.0.192/',
  'https://198.18.0.1/',
  'https://198.19.255.255/',
  'https://192.0.2.1/',
  'https://203.0.113.9/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'https://[::1]/',
  'https://[::]/',
  'https://[0:0:0:0:0:0:0:1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[::ffff:0:127.0.0.1]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::127.0.0.1]/',
  'https://[64:ff9b:1::1]/',
  'https://[2002:7f00:1::]/',
  'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
  'https://[2001:db8::1]/',
  'https://[fc00::1]/',
  'https://[fd00:ec2::254]/',
  'https://[fe80::1]/',
  'https://[fec0::1]/',
  'https://[ff02::1]/',
  'https://[100::1]/',
  ...Object.keys(NAMES).map((name) => `https://${name}/`),
  'http://example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'data:text/plain,hi',
  'javascript:alert(1)',
  'https://user@example.com/',
  'https://user:pass@example.com/',
  'https://example.com@127.0.0.1/',
  'https://',
  '//example.com/',
  '/etc/passwd',
  '',
  'not an address',
  `https://example.com/${'a'.repeat(3000)}`,
]

describe('a rejected URL', () => {
  it.each(REFUSED)('%s is rejected without opening a connection', async (url) => {
    const connected: string[] = []
    const safeFetch = createSafeFetch({
      clock: fakeClock(),
      lookup: async (host) =>
        (NAMES[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      onConnect: ({ address }) => connected.push(address),
    })
    await expect(safeFetch(url)).rejects.toMatchObject({ code: 'url_refused' })
    expect(connected).toEqual([])
  })

  it('a fetch fails if the host name cannot be resolved', async () => {
    const safeFetch = createSafeFetch({ clock: fakeClock(), lookup: async () => [] })
    await expect(safeFetch('https://example.com/')).rejects.toMatchObject({ code: 'url_failed' })
    const broken = createSafeFetch({
      clock: fakeClock(),
      lookup: () => Promise.reject(new TypeError('no resolver')),
    })
    await expect(broken('https://example.com/')).rejects.toMatchObject({ code: 'url_failed' })
  })
})

describe('isPublicAddress', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '93.184.215.14',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '2606:2800:21f:cb07:6820:80da:af6b:8b2c',
  ])('isPublicAddress accepts %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  it('isPublicAddress rejects invalid addresses and every notation of a private one', () => {
    fc.assert(fc.property(fc.string(), (text) => !isPublicAddress(text) || /^[\d.:a-f]+$/iu.test(text)))
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        if (isPublicAddress(address)) return
        expect(isPublicAddress(`::ffff:${address}`)).toBe(false)
      }),
    )
  })
})
