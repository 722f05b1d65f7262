import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { resultText, type Asker, type JsonObject } from '@troupe/schema'
import { openSqliteStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { fakeClock, findProcesses, recordEvents, tempProject, verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHost } from '../src/index.ts'
import { card, codes, openTeam } from './support/open-team.ts'

const model = 'passthrough'
const SKILL = '---\nname: letters\ndescription: Writes letters.\n---\nBegin with a greeting.\n'
const ALL = ['filesystem', 'shell', 'human', 'skills', 'shared', 'fetch', 'search', 'todo', 'memory']
const approve = (): { readonly decision: 'approved' } => ({ decision: 'approved' })

describe('built-in tools', () => {
  it(`built-in tools are enabled by names in a card and have their approval requirements ${verifies('B43', 'R16')}`, async () => {
    const host = await openTeam(
      {
        'team/a.md': card({ name: 'A', model, runtimeTools: ALL, skills: ['skills'] }),
        'team/skills/letters/SKILL.md': SKILL,
      },
      { cards: ['team'], config: { runtime: { search: { provider: 'brave', apiKey: 'k' } } } },
    )
    expect(host.plan().problems).toEqual([])
    const lease = await host.tools('A')
    expect(
      lease.tools.map((tool) => [tool.name, tool.wireName, tool.effect, lease.permission(tool)]),
    ).toEqual([
      ['filesystem.read', 'filesystem_read', 'read', 'allow'],
      ['filesystem.write', 'filesystem_write', 'once', 'ask'],
      ['filesystem.list', 'filesystem_list', 'read', 'allow'],
      ['filesystem.search', 'filesystem_search', 'read', 'allow'],
      ['shell.execute', 'shell_execute', 'once', 'ask'],
      ['human.ask', 'human_ask', 'idempotent', 'allow'],
      ['skill.read', 'skill_read', 'read', 'allow'],
      ['shared.get', 'shared_get', 'read', 'allow'],
      ['shared.set', 'shared_set', 'idempotent', 'allow'],
      ['web.fetch', 'web_fetch', 'read', 'ask'],
      ['web.search', 'web_search', 'read', 'ask'],
      ['todo.read', 'todo_read', 'read', 'allow'],
      ['todo.write', 'todo_write', 'idempotent', 'allow'],
      ['memory.list', 'memory_list', 'read', 'allow'],
      ['memory.read', 'memory_read', 'read', 'allow'],
      ['memory.write', 'memory_write', 'once', 'ask'],
      ['memory.delete', 'memory_delete', 'once', 'ask'],
    ])
    expect(new Set(lease.tools.map(({ source, server }) => `${source} ${server}`))).toEqual(
      new Set(['runtime runtime']),
    )
    await lease.release()
  })

  it('built-in tools are off unless a card lists them, and skills need no second key', async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', model }),
      'b.md': card({ name: 'B', model, skills: ['s'] }),
      's/SKILL.md': SKILL,
    })
    const names = host.plan().agents.map((agent) => agent.tools.map((tool) => tool.name))
    expect(names).toEqual([[], ['skill.read']])
  })

  it('a folder for notes gives an agent the memory tools, and must be inside the root folder', async () => {
    const host = await openTeam({ 'a.md': card({ name: 'A', model, memory: 'notes' }) })
    expect(host.plan().agents[0]?.tools.map(({ name }) => name)).toEqual([
      'memory.list',
      'memory.read',
      'memory.write',
      'memory.delete',
    ])
    for (const memory of ['../notes', '/tmp', '~/notes', 'a/../../b', String.raw`C:\notes`]) {
      const { problems } = (await openTeam({ 'a.md': card({ name: 'A', model, memory }) })).plan()
      expect(problems, `folder ${memory}`).toMatchObject([
        { severity: 'error', message: expect.stringContaining('memory') },
      ])
    }
  })

  it('a search without a provider is reported with the key to add, and the agent runs without it', async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', model, runtimeTools: ['search', 'todo'], tools: ['web.search', 'todo.*'] }),
    })
    expect(host.plan().problems).toMatchObject([
      {
        severity: 'warning',
        code: 'key_without_effect',
        message: expect.stringContaining('no search provider is configured'),
        fix: expect.stringContaining('runtime.search'),
      },
    ])
    expect(host.plan().agents[0]?.tools.map(({ name }) => name)).toEqual(['todo.read', 'todo.write'])
  })

  it.each([
    [{ provider: 'brave' }, 'runtime.search.apiKey: is required for brave'],
    [{ provider: 'tavily' }, 'runtime.search.apiKey: is required for tavily'],
    [{ provider: 'searxng' }, 'runtime.search.baseURL: is required for searxng'],
    [{ provider: 'searxng', baseURL: 'file:///etc' }, 'runtime.search.baseURL'],
    [{ provider: 'google', apiKey: 'k' }, 'runtime.search.provider'],
    [
      { provider: 'brave', apiKey: 'k', baseUrl: 'k' },
      'runtime.search.baseUrl: unknown key; did you mean "baseURL"?',
    ],
  ])('the search configuration %j is refused with the key to correct', async (search, message) => {
    const host = await openTeam({ 'a.md': card({ name: 'A', model }) }, { config: { runtime: { search } } })
    expect(host.plan().problems).toMatchObject([
      { severity: 'error', code: 'config_invalid', message: expect.stringContaining(message) },
    ])
  })

  it(`rules for domains apply to every spelling of an address, and untrusted pages to the data flow check ${verifies('R16')}`, async () => {
    const fetched: string[] = []
    const domain = { tool: 'web.fetch', argument: 'domain' }
    const host = await openTeam(
      {
        'a.md': card({
          name: 'A',
          model,
          default: true,
          runtimeTools: ['fetch', 'filesystem'],
          permissions: {
            allow: [{ ...domain, pattern: 'docs.example.com' }],
            deny: [{ ...domain, pattern: '*.example.org' }],
          },
        }),
        'b.md': card({
          name: 'B',
          model,
          runtimeTools: ['fetch', 'filesystem'],
          permissions: { allow: ['web.fetch'] },
        }),
      },
      {
        remote: {
          safeFetch: (url) => {
            fetched.push(url)
            return Promise.resolve({ url, contentType: 'text/plain', body: Buffer.from('page') })
          },
        },
      },
    )
    const outcomes: string[] = []
    for (const url of [
      'https://docs.example.com/a',
      'HTTPS://DOCS.Example.com:443/b',
      'https://docs.example.com@www.example.org/',
      'https://WWW.example.org./',
      'https://docs.example.com.evil.test/',
    ]) {
      const { failure } = await host.callTool('A', 'web.fetch', { url })
      outcomes.push(failure?.code ?? 'completed')
    }
    expect(outcomes).toEqual([
      'completed',
      'completed',
      'permission_denied',
      'permission_denied',
      'approval_denied',
    ])
    expect(fetched).toEqual(['https://docs.example.com/a', 'https://docs.example.com/b'])
    expect(host.plan().problems).toMatchObject([{ code: 'data_flow_mixed', agent: 'B' }])
  })

  it(`calls of built-in tools go through hooks, which can refuse them ${verifies('B3', 'B43', 'B44')}`, async () => {
    const seen: unknown[] = []
    Object.assign(globalThis, { seenByHook: seen })
    const host = await openTeam({
      'a.md': card({ name: 'A', model, runtimeTools: ALL, toolHooks: ['hook.ts:watch'] }),
      'hook.ts': `export async function watch({ toolSource, serverName, toolName }: any, args: any, callNext: any) {
        globalThis.seenByHook.push([toolSource, serverName, toolName])
        return toolName.startsWith('shell.') ? { outcome: 'failed', content: [{ type: 'text', text: 'no shell today' }] } : callNext(args)
      }`,
      'docs/x.txt': 'content',
    })
    const read = await host.callTool('A', 'filesystem.read', { path: 'docs/x.txt' })
    expect(resultText(read)).toBe('content')
    const shell = await host.callTool('A', 'shell_execute', { command: 'touch', args: ['pwned'] })
    expect(resultText(shell)).toBe('no shell today')
    await host.callTool('A', 'shared.get', {})
    expect(seen).toEqual([
      ['runtime', 'runtime', 'filesystem.read'],
      ['runtime', 'runtime', 'shell.execute'],
      ['runtime', 'runtime', 'shared.get'],
    ])
  })

  it(`built-in tools with side effects are denied without approvals and run if a person or a rule allows them ${verifies('R16')}`, async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', model, runtimeTools: ALL }),
      'b.md': card({ name: 'B', model, runtimeTools: ALL, permissions: { allow: ['filesystem.write'] } }),
      'x/y': '',
    })
    const write: JsonObject = { path: 'x/new.txt', content: 'x' }
    const command: JsonObject = { command: 'true' }
    for (const [tool, args] of [
      ['filesystem.write', write],
      ['shell.execute', command],
    ] as const) {
      expect(await host.callTool('A', tool, args)).toMatchObject({
        outcome: 'denied',
        failure: { code: 'approval_denied' },
      })
      expect((await host.callTool('A', tool, args, { approve })).outcome).toBe('completed')
    }
    expect((await host.callTool('B', 'filesystem.write', write)).outcome).toBe('completed')
    expect((await host.callTool('B', 'shell.execute', command)).outcome).toBe('denied')
  })

  it('built-in tools work in the working folder, or in the one of the configuration or the caller', async () => {
    const files = {
      'team/a.md': card({ name: 'A', model, runtimeTools: ['filesystem', 'shell'] }),
      'conf/troupe.json': '{"runtime":{"root":"../work"}}',
      'work/w.txt': '',
      'other/o.txt': '',
    }
    const list = async (options: object): Promise<string> => {
      const host = await openTeam(files, { cards: ['team'], ...options })
      const shell = await host.callTool('A', 'shell.execute', { command: 'ls' }, { approve })
      const listed = resultText(await host.callTool('A', 'filesystem.list', {}))
      expect(resultText(shell)).toContain(listed.split('\n')[0]?.replace('/', ''))
      return listed
    }
    expect(await list({})).toBe('conf/\nother/\nteam/\nwork/')
    expect(await list({ config: 'conf/troupe.json' })).toBe('w.txt')
    expect(await list({ config: 'conf/troupe.json', root: 'other' })).toBe('o.txt')
  })

  it(`built-in tools never write files that belong to the team ${verifies('R18')}`, async () => {
    const host = await openTeam(
      {
        'team/a.md': card({
          name: 'A',
          model,
          runtimeTools: ['filesystem'],
          agents: ['far/b.md'],
          skills: ['../skills'],
        }),
        'team/far/b.md': card({
          name: 'B',
          model,
          functionTools: [{ use: 'lib/code.ts:say', worker: true }],
        }),
        'team/far/lib/code.ts': 'export const say = () => "hi"',
        'skills/letters/SKILL.md': SKILL,
        'troupe.json': '{}',
        'vars.env': 'KEY=1',
        'src/x.ts': '',
        'state/approvals.json': '{}',
      },
      { cards: ['team'], envFiles: ['vars.env'], stateFolder: 'state' },
    )
    expect(host.plan().problems).toEqual([])
    const write = async (path: string): Promise<string> => {
      const result = await host.callTool('A', 'filesystem.write', { path, content: 'changed' }, { approve })
      return result.failure?.code ?? result.outcome
    }
    const closed = [
      'team/a.md',
      'team/evil.md',
      'team/far/lib/code.ts',
      'team/far/lib/helper.ts',
      'skills/letters/SKILL.md',
      'skills/letters/run.py',
      'troupe.json',
      'troupe.env',
      'vars.env',
      'package.json',
      'state/approvals.json',
      'state/processes/1.json',
    ]
    for (const path of closed) expect([path, await write(path)]).toEqual([path, 'filesystem_denied'])
    expect(await write('src/x.ts')).toBe('completed')
    expect(await readFile(join(host.path, 'team/a.md'), 'utf8')).toContain('name: "A"')
  })

  it(`built-in tools neither read nor write the run store ${verifies('R18')}`, async () => {
    const files = { 'a.md': card({ name: 'A', model, runtimeTools: ['filesystem'] }), 'src/x.ts': 'x' }
    const project = await tempProject(files)
    onTestFinished(() => project.remove())
    const store = await openSqliteStore({
      path: join(project.path, 'Runs.db'),
      clock: fakeClock(),
      random: () => 0.5,
      writer: { token: 'test', pid: 1, host: 'here', isAlive: () => true },
    })
    onTestFinished(() => store.close())
    const host = await createHost({ cards: ['.'], cwd: project.path, home: project.path, store })
    onTestFinished(() => host.close())
    await host.run('A', 'a message that the store keeps')
    const codeOf = async (tool: string, args: JsonObject): Promise<string | undefined> =>
      (await host.callTool('A', tool, args, { approve })).failure?.code
    for (const path of ['Runs.db', 'runs.DB', 'Runs.db-wal', 'Runs.db-shm']) {
      expect(await codeOf('filesystem.read', { path })).toBe('filesystem_denied')
      expect(await codeOf('filesystem.write', { path, content: 'x' })).toBe('filesystem_denied')
    }
    const found = await host.callTool('A', 'filesystem.search', { pattern: 'a message' }, { approve })
    expect(resultText(found)).not.toContain('Runs.db')
  })

  it('a plan reports that a composition cannot use built-in tools', async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', model, type: 'chain', sequence: ['B'], runtimeTools: ['shell'] }),
      'b.md': card({ name: 'B', model, runtimeTools: ['skills'] }),
    })
    const { problems } = host.plan()
    expect(codes(problems)).toEqual(['key_without_effect', 'key_without_effect'])
    expect(problems.map(({ message }) => message.split(':')[0])).toEqual([
      'servers, tools, functionTools, providerTools, runtimeTools, skills, toolHooks',
      'runtimeTools',
    ])
  })
})

describe('skills', () => {
  it('skills are announced in the system prompt, and their problems have a position', async () => {
    const spy = scriptedModel([{ text: 'ok' }])
    const host = await openTeam(
      {
        'a.md': card({ name: 'A', model, skills: ['s'], default: true }),
        'b.md': card({ name: 'B', model, skills: ['s', 'gone'] }),
        's/letters/SKILL.md': SKILL,
        's/bad/SKILL.md': '---\nname: bad\ndescription: 7\n---\n',
      },
      { models: { passthrough: spy } },
    )
    await host.run('A', 'x')
    expect(spy.calls[0]?.prompt[0]?.content).toContain('\n- letters: Writes letters.')
    const problems = host
      .plan()
      .problems.map(({ severity, code, file, line, agent }) => [
        severity,
        code,
        file?.slice(host.path.length + 1),
        line,
        agent,
      ])
    expect(problems).toContainEqual(['warning', 'skill_invalid', 's/bad/SKILL.md', 3, 'A'])
    expect(problems).toContainEqual(['error', 'skill_invalid', 'b.md', 5, 'B'])
    expect(host.plan().agents.map(({ runnable }) => runnable)).toEqual([true, false])
  })
})

describe('a question to a person', () => {
  const files = {
    'a.md': card({
      name: 'A',
      model: 'script/s.yaml',
      runtimeTools: ['human'],
      limits: { toolTimeout: 200, timeout: 400, approvalTimeout: 60_000 },
    }),
    'b.md': card({
      name: 'B',
      model: 'script/s.yaml',
      agents: ['A'],
      limits: { childTimeout: 400 },
      default: true,
    }),
    's.yaml': JSON.stringify({
      agents: {
        A: [
          { call: [{ tool: 'human.ask', args: { question: 'Which?', choices: ['x', 'y'] } }] },
          { say: '{{results.0.text}}' },
        ],
        B: [{ call: [{ tool: 'agent__A', args: { text: 'go' } }] }, { say: 'A: {{results.0.text}}' }],
      },
    }),
  }

  it(`a question reaches the caller of the team as the child's question, and all timeouts stop while it is open ${verifies('A52')}`, async () => {
    const clock = fakeClock()
    const host = await openTeam(files, { clock })
    const asked: unknown[] = []
    const ask: Asker = async ({ runId: _runId, ...question }) => {
      asked.push(question)
      await clock.advance(900)
      return { answered: true, text: 'y' }
    }
    const record = recordEvents()
    const report = await host.run('B', 'x', { ask, onEvent: record.listener })
    expect(report).toMatchObject({ outcome: 'completed', output: { text: 'A: y' } })
    const calls = record.events.flatMap((event) =>
      event.type === 'tool-call' ? [[event.instance, event.toolName, event.source]] : [],
    )
    expect(calls).toEqual([
      ['B', 'agent__A', 'agent'],
      ['A[1]', 'human.ask', 'runtime'],
    ])
    expect(asked).toEqual([
      { question: 'Which?', choices: ['x', 'y'], toolName: 'human.ask', agent: 'A', instance: 'A[1]' },
    ])
  })

  it('a question fails as a tool call if nothing can answer it, and the run continues', async () => {
    const host = await openTeam(files, { clock: fakeClock() })
    const report = await host.run('A', 'x')
    expect(report).toMatchObject({
      outcome: 'completed',
      output: { text: 'Error: The question was not answered: this run cannot ask questions.' },
    })
  })

  it('a question is abandoned if no answer comes in time or the ask function throws', async () => {
    const host = await openTeam({
      ...files,
      'a.md': card({
        name: 'A',
        model: 'script/s.yaml',
        runtimeTools: ['human'],
        limits: { approvalTimeout: 50 },
      }),
    })
    const silent: Asker = () => new Promise(() => undefined)
    expect((await host.run('A', 'x', { ask: silent })).output.text).toContain('no answer within 50 ms')
    const broken: Asker = () => Promise.reject(new Error('no line'))
    expect((await host.run('A', 'x', { ask: broken })).output.text).toContain('the request failed: no line')
  })

  it('a question ends with its run', async () => {
    const host = await openTeam(files, { clock: fakeClock() })
    const stop = new AbortController()
    const ask: Asker = (_question, signal) => {
      stop.abort()
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ answered: false, reason: 'over' }))
      })
    }
    expect((await host.run('A', 'x', { ask, signal: stop.signal })).outcome).toBe('cancelled')
  })
})

describe('a command of a stopped run', () => {
  it('a command is killed when the host is closed', async () => {
    const marker = `started-${crypto.randomUUID()}`
    const host = await openTeam({
      'a.md': card({
        name: 'A',
        model: 'script/s.yaml',
        runtimeTools: ['shell'],
        permissions: { allow: ['shell.execute'] },
      }),
      's.yaml': JSON.stringify({
        agents: {
          A: [
            {
              call: [
                {
                  tool: 'shell.execute',
                  args: {
                    command: 'sh',
                    args: ['-c', 'trap "" TERM; echo started > "$0"; while :; do sleep 1; done', marker],
                  },
                },
              ],
            },
          ],
        },
      }),
    })
    const running = host.run('A', 'x')
    while (!existsSync(join(host.path, marker))) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(findProcesses(marker)).not.toEqual([])
    await host.close()
    expect((await running).outcome).toBe('cancelled')
    expect(findProcesses(marker)).toEqual([])
  })
})
