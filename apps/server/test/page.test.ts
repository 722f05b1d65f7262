import { tempProject, verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { rawRequest } from './support/raw-request.ts'
import { PARROT, serveTeam } from './support/serve-team.ts'

async function builtPage(): Promise<string> {
  const project = await tempProject({
    'index.html': '<!doctype html><title>Troupe</title>',
    'theme.js': 'let theme',
    'diagram.html': '<!doctype html><title>Diagram</title>',
    'assets/index-1a2b.js': 'let page',
    'secret.txt': 'not linked',
  })
  onTestFinished(() => project.remove())
  return project.path
}

describe('web page', () => {
  it(`the page is served at / with a policy that blocks requests to other origins ${verifies('C69')}`, async () => {
    const { url } = await serveTeam({ cards: [PARROT], page: await builtPage() })
    const answer = await fetch(`${url}/`)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('<title>Troupe</title>')
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("connect-src 'self'")
    expect(policy).toContain("manifest-src 'self'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/u)
  })

  it('immutable files are cached, and others are revalidated', async () => {
    const { url } = await serveTeam({ cards: [PARROT], page: await builtPage() })
    const script = await fetch(`${url}/assets/index-1a2b.js`)
    expect(script.headers.get('cache-control')).toContain('immutable')
    const page = await fetch(`${url}/`)
    expect(page.headers.get('cache-control')).toBe('no-cache')
    const again = await fetch(`${url}/`, { headers: { 'if-none-match': page.headers.get('etag') ?? '' } })
    expect(again.status).toBe(304)
  })

  it('the frame of diagrams has a policy of its own: no origin, no requests, and no other parent', async () => {
    const { url } = await serveTeam({ cards: [PARROT], page: await builtPage() })
    const answer = await fetch(`${url}/diagram.html`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-security-policy')?.split('; ')).toEqual([
      'sandbox allow-scripts',
      "default-src 'none'",
      "script-src 'unsafe-inline'",
      "style-src 'unsafe-inline'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ])
  })

  it('the server serves no other files, whatever the path contains', async () => {
    const { url } = await serveTeam({ cards: [PARROT], page: await builtPage() })
    const paths = ['/secret.txt', '/assets/..%2Fsecret.txt', '/assets/%2e%2e/secret.txt', '/assets/none.js']
    const statuses = await Promise.all(paths.map(async (path) => (await fetch(`${url}${path}`)).status))
    expect(statuses).toEqual([404, 404, 404, 404])
    expect((await fetch(`${url}/`, { method: 'POST' })).status).toBe(405)
  })

  it('a page that is not built explains how to build it', async () => {
    const empty = await tempProject()
    onTestFinished(() => empty.remove())
    const { url } = await serveTeam({ cards: [PARROT], page: empty.path })
    const answer = await fetch(`${url}/`)
    expect(answer.status).toBe(503)
    expect(await answer.text()).toContain('pnpm build')
  })

  it('the page needs no token, and signing in sets a cookie that scripts cannot read', async () => {
    const tokens = [{ token: 'a-long-enough-token', principal: 'ada' }]
    const { url } = await serveTeam({ cards: [PARROT], page: await builtPage(), tokens })
    expect((await fetch(`${url}/`)).status).toBe(200)
    expect((await fetch(`${url}/api/agents`)).status).toBe(401)
    const signIn = (token: string): Promise<Response> =>
      fetch(`${url}/api/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      })
    expect((await signIn('another-token')).status).toBe(401)
    expect((await signIn('a-long-enough-token\r\nx: y')).status).toBe(401)
    const answer = await signIn('a-long-enough-token')
    expect(answer.status).toBe(204)
    const cookie = answer.headers.get('set-cookie') ?? ''
    expect(cookie).toContain('HttpOnly; SameSite=Strict')
    const [pair = ''] = cookie.split(';')
    expect((await fetch(`${url}/api/agents`, { headers: { cookie: pair } })).status).toBe(200)
  })

  it('the sign-in cookie is Secure only if the client used TLS, which may end at a proxy', async () => {
    const tokens = [{ token: 'a-long-enough-token' }]
    const origin = 'https://agents.example.com'
    const { url } = await serveTeam({
      cards: [PARROT],
      page: await builtPage(),
      tokens,
      allowedOrigins: [origin],
    })
    const cookieFor = async (from: string): Promise<string> => {
      const headers = { 'content-type': 'application/json', origin: from }
      const body = '{"token":"a-long-enough-token"}'
      const answer = await rawRequest(`${url}/api/sign-in`, { method: 'POST', headers, body })
      return String(answer.headers['set-cookie'])
    }
    expect(await cookieFor(origin)).toContain('; Secure')
    expect(await cookieFor(url)).not.toContain('Secure')
  })

  it('the page can be disabled', async () => {
    const { url } = await serveTeam({ cards: [PARROT], page: await builtPage(), without: ['web'] })
    expect((await fetch(`${url}/`)).status).toBe(404)
  })
})
