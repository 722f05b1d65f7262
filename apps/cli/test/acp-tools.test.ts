import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { methods, RequestError, type ClientApp, type ClientCapabilities } from '@agentclientprotocol/sdk'
import { systemClock } from '@troupe/core'
import { createHost } from '@troupe/host'
import { defineAgent, type AgentFields } from '@troupe/schema'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAcpAgent } from '../src/acp/create-acp-agent.ts'
import { connectEditor, saidIn } from './editor.ts'
import { answerMail } from './mail-server.ts'
import { project } from './team.ts'

const FILES: ClientCapabilities = { fs: { readTextFile: true, writeTextFile: true } }
const ALL: ClientCapabilities = { ...FILES, terminal: true }

interface Setup {
  /** Answers of the model, which then says what it got last. */
  readonly steps?: readonly ScriptedStep[]
  readonly fields?: Omit<AgentFields, 'name' | 'instruction'>
  readonly capabilities?: ClientCapabilities
  readonly optionId?: string
  /** Buffers of the editor by path, relative to the folder of the session. */
  readonly buffers?: Readonly<Record<string, string>>
  readonly extend?: (app: ClientApp) => ClientApp
}

/** An editor with some buffers, and an agent with one model. */
async function editorOf({
  steps = [],
  fields = {},
  capabilities = ALL,
  optionId = 'once',
  buffers = {},
  extend = (app) => app,
}: Setup) {
  const { path: cwd } = await project({ 'secrets/troupe.env': 'KEY=1' })
  const model = scriptedModel(
    (prompt, { index }) => steps[index] ?? { text: JSON.stringify(prompt.at(-1)?.content) },
  )
  const worker = defineAgent({ name: 'Worker', instruction: 'Work.', model: 'test/worker', ...fields })
  const store = createMemoryStore({ clock: systemClock })
  const host = await createHost({
    cards: [worker],
    config: false,
    cwd,
    models: { 'test/worker': model },
    store,
    env: { PATH: process.env['PATH'] },
  })
  onTestFinished(() => host.close())
  const content = new Map(Object.entries(buffers).map(([path, text]) => [`${cwd}/${path}`, text]))
  const withFiles = (app: ClientApp): ClientApp =>
    extend(app)
      .onRequest(methods.client.fs.readTextFile, ({ params: { path } }) => {
        const text = content.get(path)
        if (text === undefined) throw RequestError.resourceNotFound(path)
        return { content: text }
      })
      .onRequest(methods.client.fs.writeTextFile, ({ params }) => {
        content.set(params.path, params.content)
        return {}
      })
  const app = createAcpAgent({ agents: [worker], host, store, newSessionId: () => `session_${randomUUID()}` })
  const editor = await connectEditor(app, { cwd, optionId, capabilities, extend: withFiles })
  const run = async (): Promise<string> => {
    await editor.prompt(await editor.open(), 'Go')
    return saidIn(editor.updates)
  }
  return { ...editor, cwd, content, model, run }
}

const call = (tool: string, args: Readonly<Record<string, string>>): ScriptedStep => ({
  calls: [{ tool, args }],
})

describe('files of an editor', () => {
  it('the agent reads unsaved text, and the user sees the change before and after it is written', async () => {
    const { run, cwd, content, asked, updates } = await editorOf({
      buffers: { 'a.txt': 'unsaved' },
      steps: [
        call('read_text_file', { path: 'a.txt' }),
        call('write_text_file', { path: './a.txt', content: 'new' }),
      ],
    })
    const said = await run()
    expect(said).toContain('Wrote')
    const path = `${cwd}/a.txt`
    expect(content.get(path)).toBe('new')
    const diff = { type: 'diff', path, oldText: 'unsaved', newText: 'new' }
    expect(asked.map(({ toolCall }) => toolCall)).toMatchObject([
      { title: 'client__read_text_file' },
      { title: 'client__write_text_file', content: [diff], locations: [{ path }] },
    ])
    const [read, write] = asked.map(({ toolCall }) =>
      updates.filter((update) => 'toolCallId' in update && update.toolCallId === toolCall.toolCallId),
    )
    expect(read).toMatchObject([
      { sessionUpdate: 'tool_call', kind: 'read' },
      { status: 'in_progress' },
      { locations: [{ path }] },
      { status: 'completed', content: [{ content: { text: 'unsaved' } }] },
    ])
    expect(write).toMatchObject([
      { sessionUpdate: 'tool_call', kind: 'edit' },
      { status: 'in_progress' },
      { content: [diff] },
      { status: 'completed', content: [diff] },
    ])
  })

  it('a file that the user does not allow to be written stays unchanged', async () => {
    const { run, content, cwd } = await editorOf({
      optionId: 'deny',
      buffers: { 'a.txt': 'old' },
      steps: [call('write_text_file', { path: 'a.txt', content: 'new' })],
    })
    expect(await run()).toContain('was not approved')
    expect(content.get(`${cwd}/a.txt`)).toBe('old')
  })

  it.each([
    ['outside the folder of the session', 'read_text_file', '../b.txt', 'outside the root folder'],
    ['with secrets of a team', 'read_text_file', 'secrets/troupe.env', 'contains secrets'],
    ['that makes up a team', 'write_text_file', 'troupe.json', 'has the name of a card'],
  ])('a file %s is not accessed, even with approval', async (_name, tool, path, problem) => {
    const { run, content } = await editorOf({
      buffers: { '../b.txt': 'secret', 'secrets/troupe.env': 'secret' },
      steps: [call(tool, tool === 'read_text_file' ? { path } : { path, content: 'new' })],
    })
    const before = new Map(content)
    const said = await run()
    expect(said).toContain(problem)
    expect(said).not.toContain('secret"')
    expect(content).toEqual(before)
  })

  it('rules of the card allow calls without approval, and forbid paths however they are written', async () => {
    const { run, asked, content, cwd } = await editorOf({
      fields: {
        permissions: {
          allow: ['client__write_text_file'],
          deny: [{ tool: 'client__write_text_file', argument: 'path', pattern: 'private/**' }],
        },
      },
      steps: [
        call('write_text_file', { path: 'a.txt', content: 'new' }),
        call('write_text_file', { path: 'x/../private/b.txt', content: 'new' }),
      ],
    })
    expect(await run()).toContain('A rule forbids')
    expect(asked).toEqual([])
    expect([...content.keys()]).toEqual([`${cwd}/a.txt`])
  })

  it.each<[string, Setup, readonly string[]]>([
    ['all of them', { capabilities: ALL }, ['read_text_file', 'write_text_file', 'run_command']],
    ['those that the editor declares', { capabilities: { fs: { readTextFile: true } } }, ['read_text_file']],
    ['none without capabilities', { capabilities: {} }, []],
    ['none if the card denies tools of clients', { fields: { clientTools: 'deny' } }, []],
  ])('the agent is offered the tools of the editor: %s', async (_name, setup, tools) => {
    const { run, model } = await editorOf(setup)
    await run()
    expect(model.calls[0]?.tools).toEqual(tools)
  })
})

it('an empty piece of text from the model is not sent to the editor', async () => {
  const { run, updates } = await editorOf({ steps: [{ text: ['', 'Hel', 'lo'], reasoning: '' }] })
  expect(await run()).toBe('Hello')
  const chunks = updates.flatMap((update) =>
    'content' in update && update.sessionUpdate.endsWith('_chunk') ? [update.content] : [],
  )
  expect(chunks).toEqual([
    { type: 'text', text: 'Hel' },
    { type: 'text', text: 'lo' },
  ])
})

describe('terminals of an editor', () => {
  /** Terminals whose command ends when `end` resolves or it is killed. */
  function terminals(end: Promise<{ readonly exitCode: number }>) {
    const log: string[] = []
    const killed = Promise.withResolvers<{ readonly signal: string }>()
    const extend = (app: ClientApp): ClientApp =>
      app
        .onRequest(methods.client.terminal.create, ({ params: { command, args = [], cwd } }) => {
          log.push(`create ${[command, ...args].join(' ')} in ${cwd}`)
          return { terminalId: 't1' }
        })
        .onRequest(methods.client.terminal.waitForExit, () => Promise.race([end, killed.promise]))
        .onRequest(methods.client.terminal.output, () => ({ output: 'three tests\n', truncated: true }))
        .onRequest(methods.client.terminal.kill, () => {
          log.push('kill')
          killed.resolve({ signal: 'SIGKILL' })
          return {}
        })
        .onRequest(methods.client.terminal.release, () => {
          log.push('release')
          return {}
        })
    return { log, extend }
  }

  const RUN: ScriptedStep = { calls: [{ tool: 'run_command', args: { command: 'npm', args: ['test'] } }] }

  it('a command runs in a terminal that stays visible, and the agent gets its output', async () => {
    const { log, extend } = terminals(Promise.resolve({ exitCode: 3 }))
    const { run, cwd, asked, updates } = await editorOf({ steps: [RUN], extend })
    const said = await run()
    expect(said).toContain(String.raw`exit code 3\n[The beginning of the output is missing.]\nthree tests`)
    expect(log).toEqual([`create npm test in ${cwd}`, 'release'])
    const [{ toolCall } = { toolCall: { toolCallId: '' } }] = asked
    const last = updates.findLast(
      (update) => 'toolCallId' in update && update.toolCallId === toolCall.toolCallId,
    )
    expect(last).toMatchObject({ status: 'completed', content: [{ type: 'terminal', terminalId: 't1' }] })
  })

  it('a cancelled turn kills the command in the terminal', async () => {
    const { log, extend } = terminals(new Promise(() => undefined))
    const editor = await editorOf({ steps: [RUN], extend })
    const sessionId = await editor.open()
    const turn = editor.prompt(sessionId, 'Go')
    await expect.poll(() => log.length).toBe(1)
    await editor.connection.agent.notify(methods.agent.session.cancel, { sessionId })
    expect(await turn).toMatchObject({ stopReason: 'cancelled' })
    await expect.poll(() => log.slice(1)).toEqual(['kill', 'release'])
  })

  it.each([
    ['another command', { command: 'echo', args: ['a; rm b'] }],
    ['a variable before the command', { command: 'A=1', args: ['rm', 'b'] }],
    ['the command itself', { command: 'rm', args: ['b'] }],
  ])('a rule for commands sees what a shell makes of the words: %s', async (_name, args) => {
    const { log, extend } = terminals(Promise.resolve({ exitCode: 0 }))
    const { run, asked } = await editorOf({
      fields: {
        permissions: {
          allow: ['client__run_command'],
          deny: [{ tool: 'client__run_command', argument: 'command', pattern: 'rm *' }],
        },
      },
      steps: [
        { calls: [{ tool: 'run_command', args }] },
        { calls: [{ tool: 'run_command', args: { command: 'git', args: ['status'] } }] },
      ],
      extend,
    })
    expect(await run()).toContain('exit code 0')
    expect(log.map((line) => line.split(' ', 3).join(' '))).toEqual(['create git status', 'release'])
    expect(asked).toEqual([])
  })
})

describe('MCP servers of an editor', () => {
  const server = (name: string, command = 'no-such-program') => ({ name, command, args: [], env: [] })

  it('a server with a URL is offered under the names of the client, and its calls need approval', async () => {
    const http = createServer((request, response) => void answerMail(() => 'Counts.')(request, response))
    await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void http.close())
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
    const { open, prompt, updates, asked, model } = await editorOf({
      capabilities: {},
      fields: { permissions: { allow: ['my-mail__*'] } },
      steps: [call('my-mail__count', {})],
    })
    const sessionId = await open({ mcpServers: [{ type: 'http', name: 'my mail', url, headers: [] }] })
    await prompt(sessionId, 'Go')
    expect(model.calls[0]?.tools).toEqual(['my-mail__count'])
    expect(asked).toMatchObject([{ toolCall: { title: 'client__my-mail__count' } }])
    expect(saidIn(updates)).toContain('seven mails')
    const other = await open()
    await prompt(other, 'Go')
    expect(model.calls.at(-1)?.tools).toEqual([])
  })

  it('a server that cannot be started is an error that names it', async () => {
    const { newSession } = await editorOf({})
    await expect(newSession({ mcpServers: [server('notes')] })).rejects.toThrow('MCP server "notes"')
  })

  it.each([
    ['a bad name', [server('a/b')], 'mcpServers.0: the name'],
    ['a name twice', [server('a b'), server('a-b')], 'mcpServers.1: the name a-b occurs twice'],
    ['too many', Array.from({ length: 33 }, (_, index) => server(`s${index}`)), 'at most 32'],
  ])('servers of an editor are refused before they start: %s', async (_name, mcpServers, problem) => {
    const { newSession } = await editorOf({})
    await expect(newSession({ mcpServers })).rejects.toThrow(problem)
  })

  it('no server is started for an agent whose card denies tools of clients', async () => {
    const { newSession, capabilities } = await editorOf({ fields: { clientTools: 'deny' } })
    expect(await newSession({ mcpServers: [server('notes')] })).toMatchObject({ configOptions: [{}] })
    expect(capabilities).toMatchObject({ mcpCapabilities: { http: true, sse: true } })
  })
})
