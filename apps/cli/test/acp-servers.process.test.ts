import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { methods } from '@agentclientprotocol/sdk'
import { describe, expect, it } from 'vitest'
import { DESTRUCTIVE_SERVER } from './destructive-server.ts'
import { saidIn, startEditor } from './editor.ts'
import { isAlive } from './is-alive.ts'
import { serverPids } from './server-pids.ts'
import { oneAgent } from './team.ts'

const FILES = oneAgent(
  "- call: [{tool: disk__wipe, args: {folder: tmp}}]\n- say: '{{results.0.text}}'\n- say: 'again'",
  { files: { 'server.mjs': DESTRUCTIVE_SERVER } },
)
const DISK = { name: 'disk', command: 'node', args: ['server.mjs'], env: [] }

describe('MCP servers of an editor in troupe acp', () => {
  it('a server runs in the folder of its session, with approval for each call, and ends with the session', async () => {
    const { connection, cwd, open, load, prompt, asked, updates } = await startEditor(FILES, 'one.md', {
      optionId: 'once',
    })
    const sessionId = await open({ mcpServers: [DISK] })
    const [pid = 0, ...others] = serverPids(cwd)
    expect(others).toEqual([])
    await prompt(sessionId, 'Go')
    expect(saidIn(updates)).toBe('wiped tmp')
    expect(asked).toMatchObject([{ toolCall: { title: 'client__disk__wipe', rawInput: { folder: 'tmp' } } }])
    expect(readFileSync(join(cwd, 'wiped.txt'), 'utf8')).toBe('tmp\n')
    await connection.agent.request(methods.agent.session.close, { sessionId })
    expect(isAlive(pid)).toBe(false)

    await load(sessionId, { mcpServers: [DISK] })
    expect(serverPids(cwd)).toHaveLength(1)
    await connection.agent.request(methods.agent.session.resume, { sessionId, cwd, mcpServers: [] })
    expect(serverPids(cwd)).toEqual([])
  })

  it('the servers of all sessions end when the editor disconnects', async () => {
    const { cwd, open, child } = await startEditor(FILES, 'one.md')
    await open({ mcpServers: [DISK] })
    await open({ mcpServers: [DISK] })
    expect(serverPids(cwd)).toHaveLength(2)
    child.stdin?.destroy()
    await expect.poll(() => serverPids(cwd)).toEqual([])
  })

  it('a session whose server does not start leaves no other server behind', async () => {
    const { cwd, newSession } = await startEditor(FILES, 'one.md')
    const broken = { ...DISK, name: 'broken', args: ['missing.mjs'] }
    await expect(newSession({ mcpServers: [DISK, broken] })).rejects.toThrow('MCP server "broken"')
    expect(serverPids(cwd)).toEqual([])
  })
})
