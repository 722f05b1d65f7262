import { defineAgent, defineTool } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { CLIENTS, connectMcp, type Person } from './support/connect-mcp.ts'
import { serveTeam, type ServedTeam, type TeamToServe } from './support/serve-team.ts'

const ASK = { input: 'Tidy up', format: 'text' }

/** Returns a lead whose clerk calls a tool that wipes a folder and needs approval. */
async function wiping(
  options: Partial<TeamToServe> = {},
): Promise<ServedTeam & { readonly wiped: string[] }> {
  const wiped: string[] = []
  const wipe = defineTool({
    name: 'wipe',
    description: 'Wipes a folder.',
    input: z.object({ folder: z.string() }),
    requiresApproval: true,
    execute({ folder }) {
      wiped.push(folder)
      return 'wiped'
    },
  })
  const once = (call: { readonly tool: string; readonly args: Readonly<Record<string, string>> }) =>
    scriptedModel((prompt) => {
      const last = prompt.at(-1)
      if (last?.role !== 'tool') return { calls: [call] }
      return { text: JSON.stringify(last.content) }
    })
  const clerk = defineAgent({
    name: 'Clerk',
    description: 'Wipes.',
    instruction: 'Wipe.',
    model: 'test/clerk',
    functionTools: [wipe],
    hidden: true,
  })
  const lead = defineAgent({
    name: 'One',
    description: 'Leads.',
    instruction: 'Lead.',
    model: 'test/lead',
    agents: [clerk],
    default: true,
  })
  const models = {
    clerk: once({ tool: 'wipe', args: { folder: 'home' } }),
    lead: once({ tool: 'agent__Clerk', args: { text: 'go' } }),
  }
  return { ...(await serveTeam({ cards: [lead, clerk], models, ...options })), wiped }
}

const answering =
  (answer: string, shown: string[] = []): Person =>
  (message) => {
    shown.push(message)
    return { action: 'accept', content: { answer } }
  }

describe.each(CLIENTS)('%s client of /mcp with forms', (kind) => {
  it(`an MCP client shows a call of a child run to the user, whose answer decides ${verifies('R16')}`, async () => {
    const team = await wiping()
    const shown: string[] = []
    const client = await connectMcp(kind, team, { person: answering('allow once', shown) })
    expect((await client.call(ASK)).isError).toBeUndefined()
    expect(shown).toEqual([expect.stringContaining('wants to call wipe with\n{\n  "folder": "home"\n}')])
    expect(team.wiped).toEqual(['home'])
  })

  it('an MCP call is denied if the user does not allow it', async () => {
    const team = await wiping()
    const client = await connectMcp(kind, team, { person: () => ({ action: 'decline' }) })
    const result = await client.call(ASK)
    expect(result.content[0]?.text).toContain('the person denied the call')
    expect(team.wiped).toEqual([])
  })
})

it.each(CLIENTS)(
  `a %s client without forms cannot reach tools that need approval ${verifies('D26', 'R16')}`,
  async (kind) => {
    const team = await wiping()
    const client = await connectMcp(kind, team)
    await client.call(ASK)
    expect(team.wiped).toEqual([])
  },
)

it('an MCP call continues the conversation named in `_meta`, as with exported tools', async () => {
  const client = await connectMcp('modern', await wiping(), { person: answering('allow once') })
  const first = await client.call(ASK)
  const contextId = first['_meta']?.['contextId']
  const second = await client.call(ASK, 'One', { meta: { contextId } })
  expect(second['_meta']).toMatchObject({ contextId })
  const unknown = await client.call(ASK, 'One', { meta: { contextId: 'none' } })
  expect(unknown).toMatchObject({ isError: true, structuredContent: { code: 'session_unknown' } })
})

describe('calls that wait for an answer', () => {
  const tokens = [
    { token: 'token-of-ada-0001', principal: 'ada' },
    { token: 'token-of-ben-0001', principal: 'ben' },
  ]

  /** Sends one round of a call by hand, in the form of the newer era. */
  async function round(
    { url }: ServedTeam,
    token: string,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<{ readonly result?: Asked; readonly error?: { readonly code: number } }> {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    }
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'One',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'One', arguments: ASK, _meta: meta, ...more },
      }),
    })
    const text = await response.text()
    return JSON.parse(/^data: (.+)$/mu.exec(text)?.[1] ?? text) as never
  }

  interface Asked {
    readonly resultType: string
    readonly requestState?: string
    readonly inputRequests?: Readonly<Record<string, unknown>>
  }

  it('only the principal of a waiting call can answer it', async () => {
    const team = await wiping({ tokens })
    const { result: asked } = await round(team, 'token-of-ada-0001')
    expect(asked?.resultType).toBe('input_required')
    const [key = ''] = Object.keys(asked?.inputRequests ?? {})
    const answer = {
      requestState: asked?.requestState,
      inputResponses: { [key]: { action: 'accept', content: { answer: 'allow once' } } },
    }
    expect((await round(team, 'token-of-ben-0001', answer)).error?.code).toBe(-32_602)
    expect(team.wiped).toEqual([])
    expect((await round(team, 'token-of-ada-0001', answer)).result?.resultType).toBe('complete')
    expect(team.wiped).toEqual(['home'])
  })

  it('a waiting call does not keep the server from shutting down', async () => {
    const team = await wiping({ tokens })
    await round(team, 'token-of-ada-0001')
    await team.server.close()
    expect(team.wiped).toEqual([])
  })
})
