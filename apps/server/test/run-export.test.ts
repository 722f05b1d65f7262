import { describe, expect, it } from 'vitest'
import type { ServerToken } from '../src/index.ts'
import { PARROT, serveTeam } from './support/serve-team.ts'
import { createClient } from '@troupe/client'

const TOKENS: readonly ServerToken[] = [
  { token: 'token-of-ben-0001', principal: 'ben' },
  { token: 'token-of-eve-0001', principal: 'eve' },
]

describe('GET /api/runs/:id/export', () => {
  it('downloads a run as a page that is never shown in the origin of the server, for its owner only', async () => {
    const { url } = await serveTeam({ cards: [PARROT], tokens: TOKENS })
    const { runId } = await createClient({ url, token: 'token-of-ben-0001' }).run('Parrot', 'Hi there')
    const download = (name: string): Promise<Response> =>
      fetch(`${url}/api/runs/${runId}/export`, {
        headers: { authorization: `Bearer token-of-${name}-0001` },
      })
    const response = await download('ben')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${runId}.html"`)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await response.text()).toContain('Hi there')
    expect((await download('eve')).status).toBe(404)
  })
})
