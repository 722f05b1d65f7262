import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { LoginStore } from '@troupe/mcp'
import { troupeError } from '@troupe/schema'
import { tempProject, verifies, type TempProject } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHost, type Host, type HostOptions } from '../src/index.ts'

const card = (name: string, fields = ''): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\nmodel: passthrough\n${fields}\n---\nYou are ${name}.\n`

/** A server of cards on the loopback interface; what was asked for is kept. */
async function serve(
  files: Readonly<Record<string, string>>,
): Promise<{ readonly base: string; readonly asked: readonly string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const file = files[path]
    if (file === undefined) response.writeHead(404).end()
    else response.setHeader('content-type', 'text/markdown; charset=utf-8').end(file)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

/** Code that says that it ran. */
const CANARY = `
import { writeFileSync } from 'node:fs'
writeFileSync(new URL('ran', import.meta.url), 'yes')
export async function tool() { return 'ran' }
export async function hook(ctx, args, next) { return next(args) }
`

async function folder(files: Readonly<Record<string, string>> = {}): Promise<TempProject> {
  const made = await tempProject({
    '.git/HEAD': '',
    'code.mjs': CANARY,
    'server.mjs': CANARY,
    'schema.json': '{"type":"object"}',
    'local.md': card('local'),
    'script.yaml': 'agents: {x: [{say: hi}]}',
    'troupe.json': JSON.stringify({ mcpServers: { github: { command: 'node', args: ['server.mjs'] } } }),
    ...files,
  })
  onTestFinished(() => made.remove())
  return made
}

async function open(cards: readonly string[], cwd: string, more: Partial<HostOptions> = {}): Promise<Host> {
  const host = await createHost({
    cards,
    cwd,
    env: { PATH: process.env['PATH'], SECRET_TOKEN: 'canary-0123456789' },
    remote: { allowHttp: true, allowPrivate: true },
    ...more,
  })
  onTestFinished(() => host.close())
  return host
}

describe('a remote card', () => {
  it(`a remote card is fetched and run ${verifies('B20')}`, async () => {
    const { base, asked } = await serve({ '/cards/echo.md': card('echo') })
    const host = await open([`${base}/cards/echo.md`], (await folder()).path)
    expect(host.plan().problems).toEqual([])
    expect(host.plan().agents[0]).toMatchObject({ name: 'echo', file: `${base}/cards/echo.md` })
    expect(await host.run(undefined, 'hello')).toMatchObject({
      outcome: 'completed',
      output: { text: 'hello' },
    })
    expect(asked).toEqual(['/cards/echo.md'])
  })

  it('a remote card is named after the last part of its URL', async () => {
    const { base } = await serve({ '/cards/the-name.agent.md?v=1': '---\nmodel: passthrough\n---\nHi.\n' })
    const host = await open([`${base}/cards/the-name.agent.md?v=1`], (await folder()).path)
    expect(host.plan().entry).toBe('the-name')
  })

  it(`a remote card can be a child of a local card and have children at relative URLs, each fetched once ${verifies('B20')}`, async () => {
    const { base, asked } = await serve({
      '/a/lead.md': card('lead', 'agents: [./worker.md, ../b/other.md, /a/worker.md]'),
      '/a/worker.md': card('worker'),
      '/b/other.md': card('other', 'agents: [../a/worker.md]'),
    })
    const made = await folder({ 'root.md': card('root', `agents: ["${base}/a/lead.md", local]`) })
    const host = await open([join(made.path, 'root.md')], made.path)
    const { agents, problems } = host.plan()
    expect(problems).toEqual([])
    expect(agents.map(({ name, children }) => [name, children])).toEqual([
      ['root', ['lead', 'local']],
      ['lead', ['worker', 'other']],
      ['local', []],
      ['worker', []],
      ['other', ['worker']],
    ])
    expect(asked.toSorted()).toEqual(['/a/lead.md', '/a/worker.md', '/b/other.md'])
  })

  it.each([
    ['functionTools', 'functionTools: [code.mjs:tool]', 5, 17, 'use functions'],
    ['tool hooks', 'toolHooks:\n  - troupe:audit\n  - code.mjs:hook', 7, 5, 'functions as hooks'],
    ['tool hooks with options', 'toolHooks: [{use: code.mjs:hook}]', 5, 13, 'functions as hooks'],
    [
      'a file of an audit hook',
      'toolHooks: [{use: "troupe:audit", file: server.log}]',
      5,
      35,
      'may not use this option',
    ],
    [
      'a script that summarises',
      'context: {strategy: summarise, model: script/script.yaml}',
      5,
      32,
      'read files',
    ],
    ['a recording that summarises', 'context: {model: "replay:script.yaml"}', 5, 11, 'read files'],
    [
      'a login of a server',
      'mcpServers: {x: {url: "https://example.com", auth: {scope: all}}}',
      5,
      46,
      'may not have this key',
    ],
    ['loop hooks', 'loopHooks: {onEnd: code.mjs:hook}', 5, 13, 'functions as hooks'],
    [
      'a server that is a process',
      'mcpServers: {x: {command: node, args: [server.mjs]}}',
      5,
      18,
      'start processes',
    ],
    [
      'a server that is configured here',
      'servers: [github]',
      5,
      11,
      'may not use servers of this configuration',
    ],
    [
      'a variable in an address',
      'mcpServers: {x: {url: "https://example.com/${SECRET_TOKEN}"}}',
      5,
      18,
      'read variables',
    ],
    [
      'a variable with a default',
      'mcpServers: {x: {url: "https://example.com", headers: {a: "${SECRET_TOKEN:-x}"}}}',
      5,
      46,
      'read variables',
    ],
    ['a variable for its own', 'env: [SECRET_TOKEN]', 5, 7, 'read variables'],
    ['the shell', 'runtimeTools: [shared, shell]', 5, 24, 'access this machine'],
    ['the file system', 'runtimeTools: [filesystem]', 5, 16, 'access this machine'],
    ['skills of this machine', 'skills: [./skills]', 5, 10, 'read folders'],
    ['a schema file', 'input: {format: json, schema: schema.json}', 5, 23, 'read files'],
    ['a schema file by its whole path', 'output: {format: json, schema: /etc/passwd}', 5, 24, 'read files'],
    ['a local agent', 'agents: [local]', 5, 10, 'refers to its children by URL'],
    ['every local agent', "agents: ['*']", 5, 10, 'refers to its children by URL'],
    ['local agents by a glob of paths', "agents: ['./*.md']", 5, 10, 'refers to its children by URL'],
  ])('a remote card may not have %s', async (_what, fields, line, column, said) => {
    const { base } = await serve({ '/x.md': card('x', fields) })
    const made = await folder()
    const host = await open([`${base}/x.md`, join(made.path, 'local.md')], made.path)
    expect(host.plan().problems).toContainEqual(
      expect.objectContaining({
        severity: 'error',
        code: 'remote_card_forbidden',
        message: expect.stringContaining(said),
        file: `${base}/x.md`,
        line,
        column,
      }),
    )
    expect(host.plan().agents.some(({ name, runnable }) => name === 'x' && runnable)).toBe(false)
    expect(existsSync(join(made.path, 'ran'))).toBe(false)
  })

  it('a remote card may not use a local model script', async () => {
    const { base } = await serve({
      '/x.md': '---\nname: x\ndescription: x\nmodel: script/script.yaml\n---\nHi.\n',
    })
    const host = await open([`${base}/x.md`], (await folder()).path)
    expect(host.plan().problems[0]).toMatchObject({ code: 'remote_card_forbidden', line: 4, column: 1 })
  })

  it('a remote card may not reach a private address through an MCP server of its own', async () => {
    const { base, asked } = await serve({ '/metadata': 'secret' })
    const text = card('x', `mcpServers: {x: {url: "${base}/metadata"}}`)
    const safeFetch = async (url: string): Promise<{ url: string; contentType: string; body: Buffer }> => ({
      url,
      contentType: 'text/markdown',
      body: Buffer.from(text),
    })
    const host = await open(['https://example.com/x.md'], (await folder()).path, { remote: { safeFetch } })
    expect(host.plan().problems[0]).toMatchObject({
      code: 'url_refused',
      file: 'https://example.com/x.md',
      line: 5,
      column: 18,
    })
    expect(asked).toEqual([])
  })

  it('a remote card does not use the local login to its MCP server', async () => {
    const { base, asked } = await serve({})
    const files = { '/x.md': card('x', `mcpServers: {x: {url: "${base}/mcp"}}`) }
    const { base: cards } = await serve(files)
    const made = await folder({ 'local.md': files['/x.md'].replace('name: x', 'name: local') })
    const readers: string[] = []
    const logins: LoginStore = {
      read: ({ principal }) => {
        readers.push(principal)
        return Promise.resolve(undefined)
      },
      write: () => Promise.resolve(),
      remove: () => Promise.resolve(false),
    }
    const host = await open([`${cards}/x.md`], made.path, { logins })
    await host.inspect()
    expect(asked).not.toEqual([])
    expect(new Set(readers)).toEqual(new Set([`local ${cards}/x.md`]))
    const local = await open([join(made.path, 'local.md')], made.path, { logins })
    readers.length = 0
    await local.inspect()
    expect(new Set(readers)).toEqual(new Set(['local']))
  })

  it('the servers of a remote card are only checked before a run on request', async () => {
    const { base, asked } = await serve({})
    const { base: cards } = await serve({ '/x.md': card('x', `mcpServers: {x: {url: "${base}/mcp"}}`) })
    const host = await open([`${cards}/x.md`], (await folder()).path)
    expect(await host.preflight()).toEqual([])
    expect(asked).toEqual([])
    expect(await host.preflight({ thorough: true })).not.toEqual([])
    expect(asked).not.toEqual([])
  })

  it('a remote card reads no local file through a relative path', async () => {
    const { base, asked } = await serve({
      '/a/x.md': card('x', 'agents: [../../../../etc/passwd.md, file:///etc/passwd.md]'),
    })
    const host = await open([`${base}/a/x.md`], (await folder()).path)
    const codes = host.plan().problems.map(({ code }) => code)
    expect(codes).toEqual(expect.arrayContaining(['url_failed', 'url_refused']))
    expect(asked).toEqual(['/a/x.md', '/etc/passwd.md'])
  })

  it('a remote card must be https and public unless the host allows otherwise', async () => {
    const { base, asked } = await serve({ '/x.md': card('x') })
    const { path } = await folder()
    const problemOf = async (remote: HostOptions['remote']): Promise<unknown> =>
      (await open([`${base}/x.md`], path, remote === undefined ? {} : { remote })).plan().problems[0]
    expect(await problemOf({})).toMatchObject({
      code: 'url_refused',
      message: expect.stringContaining('only https'),
    })
    expect(await problemOf({ allowHttp: true })).toMatchObject({
      code: 'url_refused',
      message: expect.stringContaining('is not a public address'),
    })
    expect(asked).toEqual([])
    expect(await problemOf({ allowHttp: true, allowPrivate: true })).toBeUndefined()
  })

  it.each([
    ['is not there', { '/other.md': '' }, 'url_failed'],
    ['is not a card', { '/x.md': '---\nname: [\n---\n' }, 'card_bad_yaml'],
    ['is code by its fence', { '/x.md': '---js\n{name: "x"}\n---\nhi' }, 'card_syntax'],
    ['is too large', { '/x.md': `---\nname: x\n---\n${'y'.repeat(1024 * 1024)}` }, 'url_too_large'],
  ])('a remote card that %s is a problem of the plan and of its parent', async (_what, files, code) => {
    const { base } = await serve(files)
    const made = await folder({ 'root.md': card('root', `agents: ["${base}/x.md"]`) })
    const host = await open([join(made.path, 'root.md')], made.path)
    const { problems } = host.plan()
    expect(problems).toContainEqual(expect.objectContaining({ code, file: `${base}/x.md` }))
    expect(problems).toContainEqual(
      expect.objectContaining({ code: 'agent_unknown', file: join(made.path, 'root.md'), line: 5 }),
    )
  })

  it('a team may contain at most 32 remote cards', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `/${index}.md`,
        card(`a${index}`, `agents: [./${index + 1}.md]`),
      ]),
    )
    const { base, asked } = await serve(files)
    const host = await open([`${base}/0.md`], (await folder()).path)
    expect(asked).toHaveLength(32)
    expect(host.plan().problems).toContainEqual(
      expect.objectContaining({ message: 'A team may contain at most 32 remote cards.' }),
    )
  })

  it('an unexpected error while a remote card is fetched is a problem too', async () => {
    const safeFetch = (): Promise<never> => Promise.reject(troupeError('url_timeout', 'too slow'))
    const host = await open(['https://example.com/x.md'], (await folder()).path, { remote: { safeFetch } })
    expect(host.plan().problems[0]).toMatchObject({
      code: 'url_timeout',
      message: 'too slow',
      file: 'https://example.com/x.md',
    })
  })
})
