import { resultText } from '@troupe/schema'
import { expect, it } from 'vitest'
import type { SearchConfig } from '../src/index.ts'
import { openRuntime } from './support/open-runtime.ts'
import { respond, serve } from './support/serve.ts'

const HITS = Array.from({ length: 30 }, (_, index) => ({
  title: `<b>Chair</b> ${index}`,
  url: `https://example.com/${index}`,
  description: 'A   chair.\nRed.',
  content: 'A   chair.\nRed.',
}))
const BRAVE = { web: { results: HITS } }

it.each<[SearchConfig['provider'], object, object]>([
  [
    'brave',
    BRAVE,
    {
      method: 'GET',
      path: '/res/v1/web/search?q=red+chairs&count=2',
      headers: { 'x-subscription-token': 'key' },
    },
  ],
  [
    'tavily',
    { results: HITS },
    {
      method: 'POST',
      path: '/search',
      headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
      body: '{"query":"red chairs","max_results":2}',
    },
  ],
  ['searxng', { results: HITS }, { method: 'GET', path: '/search?q=red+chairs&format=json' }],
])('web.search sends a query to %s and returns its results', async (provider, response, request) => {
  const { url, requests } = await serve(respond(JSON.stringify(response), 'application/json'))
  const { call } = await openRuntime({}, { search: { provider, apiKey: 'key', baseURL: `${url}/` } })
  const result = await call('web.search', { query: 'red chairs', count: 2 })
  expect(resultText(result)).toBe(
    '1. Chair 0\n   https://example.com/0\n   A chair. Red.\n2. Chair 1\n   https://example.com/1\n   A chair. Red.',
  )
  expect(result.structured).toMatchObject({ results: [{ url: 'https://example.com/0' }, {}] })
  expect(requests).toMatchObject([request])
})

it('web.search leaves out results without a web address, shortens texts, and says if there is none', async () => {
  const results = [
    { title: 'a', url: 'javascript:alert(1)', content: 'x' },
    { title: 1, url: 'https://example.com/', content: 'x'.repeat(5000) },
    null,
    'text',
  ]
  const { url } = await serve(respond(JSON.stringify({ results }), 'application/json'))
  const { call } = await openRuntime({}, { search: { provider: 'searxng', baseURL: url } })
  const result = await call('web.search', { query: 'x' })
  expect(result.structured).toMatchObject({ results: [{ title: '', url: 'https://example.com/' }] })
  expect(resultText(result).length).toBeLessThan(1100)
  const empty = await serve(respond('[]', 'application/json'))
  const other = await openRuntime({}, { search: { provider: 'brave', apiKey: 'k', baseURL: empty.url } })
  expect(resultText(await other.call('web.search', { query: 'x' }))).toBe('Nothing was found.')
})

it('web.search says which key to correct if the provider refuses the request or returns no JSON', async () => {
  const refused = await serve((_request, response) => response.writeHead(403).end())
  const { call } = await openRuntime({}, { search: { provider: 'searxng', baseURL: refused.url } })
  expect((await call('web.search', { query: 'x' })).failure).toMatchObject({
    code: 'url_failed',
    message: expect.stringContaining('searxng'),
    remediation: expect.stringContaining('`json`'),
  })
  const page = await serve(respond('<p>hi'))
  const other = await openRuntime({}, { search: { provider: 'brave', apiKey: 'k', baseURL: page.url } })
  expect((await other.call('web.search', { query: 'x' })).failure?.message).toContain('no JSON')
})

it('web.search never sends its key to another address after a redirect', async () => {
  const other = await serve(respond('{}', 'application/json'))
  const { url } = await serve((_request, response) => response.writeHead(302, { location: other.url }).end())
  const { call } = await openRuntime({}, { search: { provider: 'tavily', apiKey: 'key', baseURL: url } })
  expect((await call('web.search', { query: 'x' })).failure?.code).toBe('url_failed')
  expect(other.requests).toEqual([])
})

it('web.search is only offered with a provider, and asks by default', async () => {
  const names = (await openRuntime()).tools.map(({ name }) => name)
  expect(names).not.toContain('web.search')
  const { tools } = await openRuntime({}, { search: { provider: 'brave', apiKey: 'k' } })
  expect(tools.find(({ name }) => name === 'web.search')).toMatchObject({
    requiresApproval: true,
    capabilities: ['reads_untrusted', 'egress'],
  })
})
