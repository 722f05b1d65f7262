import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createHost } from '@troupe/host'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { DESTRUCTIVE_SERVER } from './destructive-server.ts'
import { connectClient, serveExports, type Era } from './serve-exports.ts'
import { project } from './team.ts'

/** The source of the destructive annotation: the agents' cards, or the MCP server of the tool. */
type Source = 'card' | 'server'
const TOOL = { card: 'wipe', server: 'disk__wipe' } as const

/** Returns a lead that calls a clerk that calls a hand; all three have a tool that wipes. */
function team(source: Source): Readonly<Record<string, string>> {
  const tool = TOOL[source]
  return {
    'lead.md': card(
      source,
      'Lead',
      'agents: [Clerk]\nexports: {tools: [{name: tidy, description: Tidies., parameters: {type: object, properties: {}}, prompt: go}]}',
    ),
    'clerk.md': card(source, 'Clerk', 'agents: [Hand]'),
    'hand.md': card(source, 'Hand', ''),
    'disk.mjs': DESTRUCTIVE_SERVER,
    'wipe.mjs': `
import { appendFileSync } from 'node:fs'
export const wipe = ({ folder }) => {
  appendFileSync(new URL('wiped.txt', import.meta.url), folder + '\\n')
  return 'wiped ' + folder
}
wipe.description = 'Wipes a folder.'
`,
    's.yaml': `
agents:
  Lead:
    - call: [{tool: ${tool}, args: {folder: of Lead}}, {tool: agent__Clerk, args: {text: go}}]
    - say: '{{results.0.text}}, {{results.1.text}}'
  Clerk:
    - call: [{tool: ${tool}, args: {folder: of Clerk}}, {tool: agent__Hand, args: {text: go}}]
    - say: '{{results.0.text}}, {{results.1.text}}'
  Hand:
    - call: [{tool: ${tool}, args: {folder: of Hand}}]
    - say: '{{results.0.text}}'
`,
  }
}

function card(source: Source, name: string, more: string): string {
  const tools =
    source === 'card'
      ? 'functionTools: [wipe.mjs:wipe]\nrequiresApproval: [wipe]'
      : `servers: [disk]\nmcpServers: {disk: {command: '${process.execPath}', args: [disk.mjs]}}`
  const fields = `name: ${name}\ndescription: d\nmodel: script/s.yaml\n${tools}\n${more}`
  return `---\n${fields.trimEnd()}\n---\nWork.\n`
}

async function open(era: Era, source: Source, person?: (message: string) => string) {
  const folder = await project(team(source))
  const host = await createHost({ cards: ['lead.md'], cwd: folder.path, env: {}, config: false })
  const client = await connectClient(await serveExports(host, 'Lead'), {
    era,
    ...(person === undefined ? {} : { person }),
  })
  const file = join(folder.path, 'wiped.txt')
  return {
    call: (contextId?: unknown) =>
      client.callTool({
        name: 'Lead_tidy',
        arguments: {},
        ...(contextId === undefined ? {} : { _meta: { contextId } }),
      }),
    wiped: () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []),
  }
}

describe.each([
  ['legacy', 'card'],
  ['legacy', 'server'],
  ['modern', 'card'],
  ['modern', 'server'],
] as const)('a destructive tool, called by a %s client, marked by its %s', (era, source) => {
  it(`a destructive tool is never called through a chain of agents if the client cannot show approvals ${verifies('R16', 'D26', 'D28')}`, async () => {
    const { call, wiped } = await open(era, source)
    await call()
    expect(wiped()).toEqual([])
  })

  it(`a destructive tool is called after an approval that shows the exact arguments ${verifies('R16')}`, async () => {
    const shown: string[] = []
    const { call, wiped } = await open(era, source, (message) => {
      shown.push(message)
      return message.includes('of Clerk') ? 'deny' : 'allow once'
    })
    const result = await call()
    expect(wiped()).toEqual(['of Lead', 'of Hand'])
    expect(shown.toSorted()).toEqual([
      `Clerk[1] wants to call ${TOOL[source]} with\n{\n  "folder": "of Clerk"\n}`,
      `Hand[1] wants to call ${TOOL[source]} with\n{\n  "folder": "of Hand"\n}`,
      `Lead wants to call ${TOOL[source]} with\n{\n  "folder": "of Lead"\n}`,
    ])
    expect(JSON.stringify(result.content)).toContain('wiped of Lead')
  })

  it('an approval for a session covers later calls of the tool in that session', async () => {
    let asked = 0
    const { call, wiped } = await open(era, source, () => {
      asked += 1
      return 'allow in this session'
    })
    const { _meta: meta } = await call()
    await call(meta?.['contextId'])
    expect([asked, wiped().length]).toEqual([3, 6])
    await call()
    expect(asked).toBe(6)
  })
})
