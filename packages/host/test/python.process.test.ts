import { scriptedModel } from '@troupe/testkit'
import { HAS_PYTHON, PYTHON_NOTE, recordEvents } from '@troupe/testkit/internal'
import { readdirSync, readlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { card, codes, openTeam, type RunningTeam } from './support/open-team.ts'
import type { HostOptions } from '../src/index.ts'

const TOOLS = `
import asyncio, os, time

def add(a: int, b: int = 2) -> int:
    """Adds two numbers.

    Args:
        a: the first number
    """
    print("adding")
    return a + b

async def variable(name: str):
    return os.environ.get(name)

def fail():
    raise ValueError("no such city")

def hang():
    print("hanging")
    time.sleep(60)
`

const HOOKS = `
async def double(ctx, call_next):
    if ctx.tool_name != "add":
        return await call_next()
    ctx.state["calls"] = ctx.state.get("calls", 0) + 1
    ctx.log(f"call {ctx.state['calls']} of {ctx.agent_name}")
    result = await call_next({**ctx.args, "a": ctx.args.a * 2})
    result.content[0].text += " doubled"
    return result

def deny(ctx, args, call_next):
    return {"isError": True, "content": [{"type": "text", "text": "not today"}]}
`

/** Opens a team of one agent with Python tools, whose model makes the calls given. */
async function runCalls(
  fields: Readonly<Record<string, unknown>>,
  calls: readonly { readonly tool: string; readonly args?: object }[],
  options: Partial<HostOptions> = {},
) {
  const model = scriptedModel([
    ...calls.map(({ tool, args = {} }) => ({ calls: [{ tool, args: args as Record<string, never> }] })),
    { text: 'done' },
  ])
  const host = await openPython(fields, { models: { model }, ...options })
  const record = recordEvents()
  const report = await host.run(undefined, 'go', { onEvent: record.listener })
  const results = record.of('tool-result').map(({ content, outcome }) => {
    const [part] = content
    return [outcome, part?.type === 'text' ? part.text : ''].filter(Boolean).join(': ')
  })
  return { host, report, results, logs: record.of('log').map(({ text }) => text) }
}

function openPython(
  fields: Readonly<Record<string, unknown>>,
  options: Partial<HostOptions> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<RunningTeam> {
  const agent = card({
    name: 'Clerk',
    model: options.models === undefined ? 'passthrough' : 'model',
    ...fields,
  })
  return openTeam(
    { 'clerk.md': agent, 'tools.py': TOOLS, 'hooks.py': HOOKS, ...files },
    { env: process.env, ...options },
  )
}

/** Returns the ids of the processes that work in a folder. */
function processesIn(folder: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/u.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === folder
    } catch {
      // ended meanwhile
      return false
    }
  })
}

describe.skipIf(!HAS_PYTHON)('Python in a team', () => {
  it(`an agent calls Python functions, and Python hooks change its calls${PYTHON_NOTE}`, async () => {
    const { results, logs, report } = await runCalls(
      { functionTools: ['tools.py:add', 'tools.py:fail'], toolHooks: ['hooks.py:double'] },
      [
        { tool: 'add', args: { a: 1 } },
        { tool: 'add', args: { a: 'one' } },
        { tool: 'add', args: { a: 10, b: 5 } },
        { tool: 'fail' },
      ],
    )
    expect(report.outcome).toBe('completed')
    expect(results).toEqual([
      'completed: 4 doubled',
      'failed: Error: The arguments of add do not match its schema: /a must be integer',
      'completed: 25 doubled',
      'failed: Error: ValueError: no such city (tools.py:17, in fail)',
    ])
    expect(logs).toEqual(['call 1 of Clerk', 'adding', 'call 2 of Clerk', 'adding'])
  })

  it('rules deny a call of a Python function before it runs, whatever a Python hook passes on', async () => {
    const { results, logs } = await runCalls(
      {
        functionTools: ['tools.py:add'],
        toolHooks: ['hooks.py:double'],
        permissions: { deny: [{ tool: 'add', argument: 'a', pattern: '2' }] },
      },
      [{ tool: 'add', args: { a: 1 } }],
    )
    expect(results).toEqual([expect.stringMatching(/^denied: .*add/u)])
    expect(logs).not.toContain('adding')
  })

  it('a Python hook may answer in place of the tool', async () => {
    const { results } = await runCalls({ functionTools: ['tools.py:add'], toolHooks: ['hooks.py:deny'] }, [
      { tool: 'add', args: { a: 1 } },
    ])
    expect(results).toEqual(['failed: Error: not today'])
  })

  it('a Python function sees only the variables that its card names', async () => {
    const { results } = await runCalls(
      { functionTools: [{ use: 'tools.py:variable', env: ['OWN'] }], env: ['CITY'] },
      ['OWN', 'CITY', 'SECRET'].map((name) => ({ tool: 'variable', args: { name } })),
      { env: { PATH: process.env['PATH'], OWN: 'own', CITY: 'Rome', SECRET: 'sk-1' } },
    )
    expect(results).toEqual(['completed: own', 'completed: Rome', 'completed'])
  })

  it('a Python function that hangs costs its call, and nothing is left running', async () => {
    const { results, host } = await runCalls(
      { functionTools: ['tools.py:hang'], limits: { toolTimeout: 500 } },
      [{ tool: 'hang' }],
    )
    expect(results).toEqual(['timeout: Error: hang did not finish within 500 ms.'])
    expect(processesIn(host.path)).not.toEqual([])
    await host.close()
    expect(processesIn(host.path)).toEqual([])
  })

  it('the plan shows the schema of a Python function', async () => {
    const host = await openPython({ functionTools: ['tools.py:add'], toolHooks: ['hooks.py:double'] })
    expect(host.plan().agents[0]).toMatchObject({
      functionTools: ['add'],
      toolHooks: ['hooks.py:double'],
      tools: [
        {
          name: 'add',
          source: 'function',
          inputSchema: {
            properties: { a: { type: 'integer', description: 'the first number' }, b: { default: 2 } },
            required: ['a'],
          },
        },
      ],
    })
    expect(host.plan().problems.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  it('problems of Python functions are errors of the card with their position', async () => {
    const host = await openPython({
      functionTools: ['tools.py:add', 'tools.py:ad'],
      toolHooks: ['hooks.py:missing', { use: 'hooks.py:double', most: 1 }],
    })
    const errors = host.plan().problems.filter(({ severity }) => severity === 'error')
    expect(errors.map(({ code, line, fix }) => [code, line, fix])).toEqual([
      ['function_not_found', 5, 'Did you mean add?'],
      ['function_not_found', 6, expect.any(String)],
      ['function_bad_spec', 6, expect.any(String)],
    ])
  })

  it('an interpreter of troupe.json that does not exist is an error of the card with a fix', async () => {
    const config = { 'troupe.json': JSON.stringify({ python: './bin/python3' }) }
    const host = await openPython({ functionTools: ['tools.py:add'] }, {}, config)
    const { problems } = host.plan()
    expect(codes(problems)).toContain('python_unavailable')
    const problem = problems.find(({ code }) => code === 'python_unavailable')
    expect(problem?.message).toContain(`${host.path}/bin/python3`)
    expect(problem?.fix).toContain('Python 3.10')
  })

  it('a changed Python file, or one that it imports, is loaded again on reload', async () => {
    const { path, ...host } = await openPython(
      { functionTools: ['lib.py:say'] },
      {},
      {
        'lib.py': 'import words\ndef say():\n    return words.HELLO\n',
        'words.py': 'HELLO = "hello"\n',
      },
    )
    const say = async (): Promise<unknown> => (await host.callTool('Clerk', 'say', {})).content
    expect(await say()).toEqual([{ type: 'text', text: 'hello' }])
    const { writeFile } = await import('node:fs/promises')
    await writeFile(`${path}/words.py`, 'HELLO = "good day"\n')
    expect(await host.reload()).toMatchObject({ outcome: 'taken', changed: ['Clerk'] })
    expect(await say()).toEqual([{ type: 'text', text: 'good day' }])
  })
})
