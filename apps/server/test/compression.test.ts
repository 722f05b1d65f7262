import { defineAgent } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { deferred, tempProject } from '@troupe/testkit/internal'
import { compressFolder } from '@troupe/tooling/compress-folder'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PARROT, serveTeam } from './support/serve-team.ts'

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly bytes: Buffer
}

/** Sends a request without decoding the answer. */
function get(url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, method }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes: Buffer.concat(chunks),
        }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

const SCRIPT = `let page = '${'x'.repeat(5000)}'`

async function builtPage(): Promise<string> {
  const project = await tempProject({
    'index.html': '<!doctype html><title>Troupe</title>',
    'assets/index-1a2b.js': SCRIPT,
    'assets/index-1a2b.js.br': 'the brotli file',
    'assets/index-1a2b.js.gz': 'the gzip file',
  })
  onTestFinished(() => project.remove())
  return project.path
}

describe('compression of JSON responses', () => {
  it('JSON responses are compressed with gzip for clients that accept it, with a Vary header', async () => {
    const team = await serveTeam({ cards: [PARROT] })
    for (let run = 0; run < 20; run += 1) await team.host.run('Parrot', `run ${run}`)
    const plain = await get(`${team.url}/api/runs`)
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.headers['vary']).toBe('Accept-Encoding')
    for (const accepted of ['gzip, deflate, br, zstd', '*', 'GZIP;q=0.5', 'br, gzip;q=0.1']) {
      const { headers, bytes } = await get(`${team.url}/api/runs`, { 'accept-encoding': accepted })
      expect(headers['content-encoding']).toBe('gzip')
      expect(headers['content-type']).toContain('application/json')
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(Number(headers['content-length'] ?? bytes.byteLength)).toBe(bytes.byteLength)
      expect(bytes.byteLength).toBeLessThan(plain.bytes.byteLength / 3)
      expect(gunzipSync(bytes).equals(plain.bytes)).toBe(true)
    }
    for (const refused of ['identity', 'gzip;q=0', 'br', '', '*;q=0'])
      expect(
        (await get(`${team.url}/api/runs`, { 'accept-encoding': refused })).bytes.equals(plain.bytes),
      ).toBe(true)
  })

  it('short JSON responses and errors are not compressed', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    for (const path of ['/healthz', '/v1/Parrot?q=Hi', '/api/runs?limit=x', '/nowhere']) {
      const { headers, bytes } = await get(`${url}${path}`, { 'accept-encoding': 'gzip' })
      expect(headers['content-encoding']).toBeUndefined()
      expect(bytes.byteLength).toBeGreaterThan(1)
    }
  })

  it('the response to a HEAD request has no body', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const { bytes } = await get(`${url}/openapi.json`, { 'accept-encoding': 'gzip' }, 'HEAD')
    expect(bytes.byteLength).toBe(0)
  })

  it('responses repeated for an Idempotency-Key are compressed too', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const send = (): Promise<Response> =>
      fetch(`${url}/v1/Parrot`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'accept-encoding': 'gzip', 'idempotency-key': 'one' },
        body: JSON.stringify({ q: 'Hi '.repeat(1000) }),
      })
    const first = await send()
    const again = await send()
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.headers.get('content-encoding')).toBe('gzip')
    expect(await again.text()).toBe(await first.text())
  })
})

describe('compression of event streams', () => {
  it('event streams are never compressed: each event arrives while the run is active', async () => {
    const gate = deferred()
    const begun = deferred()
    const slow = scriptedModel(() => {
      begun.resolve()
      return { text: 'x'.repeat(5000), wait: gate.promise }
    })
    const card = defineAgent({ name: 'Slow', description: 's', instruction: 's', model: 'test/slow' })
    const { url } = await serveTeam({ cards: [card], models: { slow } })
    const response = await fetch(`${url}/v1/Slow?q=Hi`, {
      headers: { accept: 'text/event-stream', 'accept-encoding': 'gzip, br' },
    })
    await begun.promise
    expect(response.headers.get('content-encoding')).toBeNull()
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    const first = await reader?.read()
    expect(first?.value).toContain('"type":"run-start"')
    gate.resolve()
    let rest = ''
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
      rest += next.value
    expect(rest).toContain('event: report')
  })

  it('MCP event streams tell proxies not to buffer them', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(body),
    })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect(response.headers.get('content-encoding')).toBeNull()
    await response.text()
  })
})

describe('compression of page files', () => {
  it('page files are sent in their precompressed encoding, each with its own ETag', async () => {
    const { url } = await serveTeam({ cards: [PARROT], page: await builtPage() })
    const file = `${url}/assets/index-1a2b.js`
    const cases = [
      ['gzip, deflate, br, zstd', 'br', 'the brotli file'],
      ['gzip', 'gzip', 'the gzip file'],
      ['br;q=0.2, gzip', 'gzip', 'the gzip file'],
      ['zstd', undefined, SCRIPT],
      ['identity', undefined, SCRIPT],
    ] as const
    const etags = new Map<string | undefined, unknown>()
    for (const [accepted, encoding, content] of cases) {
      const { headers, bytes } = await get(file, { 'accept-encoding': accepted })
      expect([headers['content-encoding'], bytes.toString()]).toEqual([encoding, content])
      expect(headers['vary']).toBe('Accept-Encoding')
      expect(headers['content-type']).toBe('text/javascript; charset=utf-8')
      etags.set(encoding, headers['etag'])
      const again = await get(file, { 'accept-encoding': accepted, 'if-none-match': String(headers['etag']) })
      expect([again.status, again.bytes.byteLength]).toEqual([304, 0])
    }
    expect(new Set(etags.values()).size).toBe(3)
    const other = { 'accept-encoding': 'gzip', 'if-none-match': String(etags.get('br')) }
    expect((await get(file, other)).status).toBe(200)
    for (const ending of ['.br', '.gz']) expect((await get(file + ending)).status).toBe(404)
  })

  it('page files without a precompressed encoding are sent unchanged', async () => {
    const project = await tempProject({ 'index.html': '<title>T</title>', 'assets/a.js': SCRIPT })
    onTestFinished(() => project.remove())
    const { url } = await serveTeam({ cards: [PARROT], page: project.path })
    const { headers, bytes } = await get(`${url}/assets/a.js`, { 'accept-encoding': 'gzip, br' })
    expect([headers['content-encoding'], bytes.toString()]).toEqual([undefined, SCRIPT])
  })
})

it('the brotli and gzip files of the built page contain the same as the original files, and large files have only brotli', async () => {
  const large = SCRIPT.repeat(Math.ceil(1_000_001 / SCRIPT.length))
  const project = await tempProject({
    'assets/a.js': SCRIPT,
    'b.css': 'a {}',
    'c.woff2': SCRIPT,
    'd.html': large,
  })
  onTestFinished(() => project.remove())
  await compressFolder(project.path)
  const read = (name: string): Promise<Buffer> => readFile(`${project.path}/${name}`)
  expect(brotliDecompressSync(await read('assets/a.js.br')).toString()).toBe(SCRIPT)
  expect(gunzipSync(await read('assets/a.js.gz')).toString()).toBe(SCRIPT)
  expect(brotliDecompressSync(await read('d.html.br')).toString()).toBe(large)
  await expect(read('d.html.gz')).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(read('b.css.br')).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(read('c.woff2.br')).rejects.toMatchObject({ code: 'ENOENT' })
})
