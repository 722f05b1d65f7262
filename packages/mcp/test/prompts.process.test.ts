import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { faultServer, TRANSPORTS } from './support/fault-servers.ts'
import { startSessions, startTeam } from './support/http-servers.ts'
import { leaseOf, nodeServer, testPool } from './support/test-pool.ts'

const REVIEW = {
  name: 'review',
  title: 'Review',
  description: 'Reviews a pull request.',
  arguments: [
    { name: 'pr', description: 'Its number', required: true },
    { name: 'style', description: '', required: false },
  ],
}

const DOORS = [
  ['a process', () => Promise.resolve(nodeServer('team-stdio.ts'))],
  ['an address, 2026-07-28', async () => ({ url: (await startTeam({ legacy: 'reject' })).url })],
] as const

describe('the prompts of a server', () => {
  it.each(DOORS)(
    `the prompts of a server are listed and filled in: %s ${verifies('C35')}`,
    async (_door, start) => {
      const lease = await leaseOf(testPool(), await start())
      expect(await lease.prompts()).toEqual([REVIEW, { name: 'look', description: 'Shows.', arguments: [] }])
      expect(await lease.prompt('review', { args: { pr: '7', style: 'stern' } })).toEqual({
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Review #7.' }] },
          { role: 'assistant', content: [{ type: 'text', text: 'In a stern way.' }] },
        ],
      })
    },
  )

  it('the prompts of a server may contain images and files', async () => {
    const lease = await leaseOf(testPool(), nodeServer('team-stdio.ts'))
    const { messages } = await lease.prompt('look')
    expect(messages.flatMap(({ content }) => content)).toEqual([
      { type: 'text', text: 'What is this?' },
      { type: 'data', mediaType: 'image/png', base64: 'aW1n' },
      { type: 'text', text: 'inside' },
    ])
  })

  it('the list of prompts is empty if the server has none', async () => {
    const server = await startSessions()
    const lease = await leaseOf(testPool(), { url: server.url })
    expect(await lease.prompts()).toEqual([])
    await expect(lease.prompt('review')).rejects.toMatchObject({ code: 'mcp_failed' })
  })

  it('prompts without a usable name are left out, and invisible characters are removed, with warnings', async () => {
    const tags = '\u{e0041}'
    const listed = [
      7,
      { name: `a${tags}` },
      { name: 'bad', arguments: [{ name: '' }] },
      { name: 'long', arguments: Array.from({ length: 1001 }, (_none, index) => ({ name: `a${index}` })) },
      {
        name: 'good',
        description: `d${tags}`,
        title: 7,
        arguments: [{ name: '__proto__', description: null }],
      },
      { name: 'good' },
    ]
    const warnings: string[] = []
    const lease = await leaseOf(
      testPool(),
      nodeServer('fault-stdio.mjs', 'prompts', JSON.stringify(listed)),
      {
        onWarning: (text) => warnings.push(text),
      },
    )
    expect(await lease.prompts()).toEqual([
      {
        name: 'good',
        description: 'd',
        arguments: [{ name: '__proto__', description: '', required: false }],
      },
    ])
    expect(warnings).toEqual([
      expect.stringContaining('an entry of its list is not a prompt'),
      expect.stringContaining('a prompt has no usable name'),
      expect.stringContaining('its prompt "bad" has an argument without a usable name'),
      expect.stringContaining('its prompt "long" has more than 1000 arguments'),
      expect.stringContaining('a text of its prompt "good" contained invisible characters'),
      expect.stringContaining('it lists the prompt "good" twice'),
    ])
    const { messages } = await lease.prompt('good')
    expect(messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Say yes \t' }] }])
    expect(warnings.at(-1)).toBe(
      'The MCP server "tm": its prompt "good" contained invisible characters, which were removed.',
    )
  })
})

describe.each(TRANSPORTS)('a prompt that fails (%s)', (transport) => {
  it.each([
    ['refuse', {}, 'mcp_failed', 'no such thing'],
    ['odd', {}, 'mcp_failed', ''],
    ['large', { bytes: String(50 * 1024 * 1024) }, 'mcp_oversize', ''],
  ] as const)(
    'the failure %s has its code, and the next prompt is filled in',
    async (name, args, code, message) => {
      const lease = await leaseOf(testPool(), await faultServer(transport))
      await expect(lease.prompt(name, { args })).rejects.toMatchObject({
        code,
        message: expect.stringContaining(message),
      })
      const { messages } = await lease.prompt('say', { args: { text: 'still here' } })
      expect(messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'still here' }] }])
    },
  )

  it('a prompt request ends after the timeout of calls', async () => {
    const lease = await leaseOf(testPool(), { ...(await faultServer(transport)), toolTimeout: 200 })
    await expect(lease.prompt('hang')).rejects.toMatchObject({
      code: 'tool_timeout',
      message: 'The MCP server "tm" did not answer within 0.2 s.',
    })
  })

  it('a prompt request ends when the caller cancels it', async () => {
    const lease = await leaseOf(testPool(), await faultServer(transport))
    const stop = new AbortController()
    const pending = lease.prompt('hang', { signal: stop.signal })
    stop.abort()
    await expect(pending).rejects.toMatchObject({ code: 'run_cancelled' })
  })
})

it('a prompt request is repeated once after its process ended, and then fails with how it ended', async () => {
  const lease = await leaseOf(testPool(), await faultServer('stdio'))
  await expect(lease.prompt('crash')).rejects.toMatchObject({
    code: 'mcp_crashed',
    message: expect.stringContaining('exited with code 9'),
  })
})
