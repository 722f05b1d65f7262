import { verifies } from '@troupe/testkit/internal'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { HttpToolUse, Json, JsonObject, ToolContext } from '@troupe/schema'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadFunctionTools } from '../src/index.ts'

interface Received {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A server on 127.0.0.1 that records requests and answers with `answer`. */
async function startServer(
  answer: (response: ServerResponse) => void = (response) => response.end('found'),
): Promise<{ readonly url: string; readonly received: Received[] }> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      received.push({ method: request.method, url: request.url, headers: request.headers, body })
      answer(response)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

const ANY = { type: 'object' }
const VARIABLES: Readonly<Record<string, string>> = { KEY: 'secret', TEAM: 'blue' }

async function call(
  definition: Omit<HttpToolUse, 'use' | 'name' | 'description'>,
  args: JsonObject = {},
  variables = VARIABLES,
) {
  const entry: HttpToolUse = {
    use: 'troupe:http',
    name: 'rest__find',
    description: 'Finds.',
    parameters: ANY,
    ...definition,
  }
  const [tool] = await loadFunctionTools([entry], { agent: 'a', folder: '/nowhere' })
  const context = {
    run: { env: (name: string) => variables[name] },
    signal: new AbortController().signal,
  } as unknown as ToolContext
  return (await tool?.execute(args, context)) as { readonly outcome: string; readonly content: Json }
}

describe('an HTTP tool', () => {
  it('an HTTP tool fills arguments and variables into its URL, headers and body', async () => {
    const { url, received } = await startServer()
    const result = await call(
      {
        method: 'POST',
        url: `${url}/\${TEAM}/\${parameters.id}?q=\${parameters.text}`,
        headers: { authorization: 'Bearer ${KEY}' },
        body: { query: '${parameters.text}', limit: '${parameters.limit}', note: 'for ${parameters.id}' },
      },
      { id: 'a/b?c', text: 'x&y=${KEY}', limit: 3 },
    )
    expect(result).toMatchObject({ outcome: 'completed', content: [{ type: 'text', text: 'found' }] })
    expect(received[0]).toMatchObject({
      method: 'POST',
      url: '/blue/a%2Fb%3Fc?q=x%26y%3D%24%7BKEY%7D',
      headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
    })
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({
      query: 'x&y=${KEY}',
      limit: 3,
      note: 'for a/b?c',
    })
  })

  it('a query parameter, a header and a body that are only an argument are left out without it', async () => {
    const { url, received } = await startServer()
    const definition = {
      method: 'POST',
      url: `${url}/find?v=1`,
      query: {
        tag: '${parameters.tags}',
        q: '${parameters.text}',
        team: 'x-${TEAM}',
        gone: '${parameters.gone}',
      },
      headers: { 'X-Trace': '${parameters.trace}', 'Content-Type': 'application/merge-patch+json' },
      body: '${parameters.body}',
    } as const
    await call(definition, { tags: ['a b', 'c&d'], text: '${KEY}', body: { n: 1 }, trace: 't' })
    await call(definition, { tags: [] })
    expect(received[0]).toMatchObject({
      url: '/find?v=1&tag=a+b&tag=c%26d&q=%24%7BKEY%7D&team=x-blue',
      headers: { 'x-trace': 't', 'content-type': 'application/merge-patch+json' },
      body: '{"n":1}',
    })
    expect(received[1]).toMatchObject({ url: '/find?v=1&team=x-blue', body: '' })
    expect(received[1]?.headers).not.toHaveProperty('x-trace')
  })

  it.each(['..', '.'])(
    `an argument of an HTTP tool cannot lead to another path: %s ${verifies('R16')}`,
    async (id) => {
      const { url, received } = await startServer()
      await expect(call({ url: `${url}/a/\${parameters.id}/b` }, { id })).rejects.toThrow(
        'must not consist of dots',
      )
      expect(received).toEqual([])
    },
  )

  it.each([
    'https://${parameters.host}/x',
    'https://a.example:${parameters.port}/x',
    'https://${parameters.user}@a.example/x',
    'file:///etc/passwd',
    '/relative',
  ])('an HTTP tool whose host is not fixed is an error: %s', async (url) => {
    await expect(call({ url })).rejects.toMatchObject({ failure: { code: 'function_bad_spec' } })
  })

  it('a variable can hold the address of an HTTP tool', async () => {
    const { url, received } = await startServer()
    await call({ url: '${BASE}/x' }, {}, { BASE: `${url}/v1` })
    expect(received[0]?.url).toBe('/v1/x')
  })

  it('an HTTP tool does not follow redirects, which would get its headers', async () => {
    const target = await startServer()
    const { url } = await startServer((response) => {
      response.writeHead(302, { location: target.url }).end()
    })
    expect(await call({ url })).toMatchObject({ outcome: 'failed' })
    expect(target.received).toEqual([])
  })

  it('an HTTP tool reports the status and the text of an error', async () => {
    const { url } = await startServer((response) => response.writeHead(404).end('no such team'))
    const result = await call({ url })
    expect(result).toMatchObject({ outcome: 'failed' })
    expect(JSON.stringify(result)).toContain('answered with the status 404. no such team')
  })

  it('an HTTP tool reports a variable that is not defined before it sends anything', async () => {
    const { url, received } = await startServer()
    await expect(call({ url, headers: { key: '${GONE}' } })).rejects.toMatchObject({
      failure: { code: 'env_missing' },
    })
    expect(received).toEqual([])
  })

  it('an HTTP tool reads at most 1 MiB', async () => {
    const { url } = await startServer((response) => response.end('x'.repeat(2 * 1024 * 1024)))
    const result = await call({ url })
    expect((result.content as unknown as [{ text: string }])[0].text).toHaveLength(1024 * 1024)
  })

  it.each([
    ['joins its parts', 'data:{"t":"token","c":"a"}\n: note\ndata:{"t":"token","c":"b"}\n', 'ab'],
    ['returns its last line', 'data:{"t":"token","c":"a"}\ndata:{"t":"done","a":"all"}\n', 'all'],
  ])('an HTTP tool that reads a stream of lines %s', async (_name, text, expected) => {
    const { url } = await startServer((response) => response.end(text))
    const lines = {
      prefix: 'data:',
      kind: 't',
      part: { kind: 'token', key: 'c' },
      end: { kind: 'done', key: 'a' },
    }
    expect(await call({ url, lines })).toMatchObject({ content: [{ text: expected }] })
  })
})
