import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { startFakeAnthropic, type FakeAnswer, type FakeProvider, type RecordedRequest } from '@troupe/testkit'
import { faultMcpStdio, verifies } from '@troupe/testkit/internal'
import { isJsonObject, type Json } from '@troupe/schema'
import { describe, expect, it, onTestFinished } from 'vitest'
import { project, troupeIn, type Ended } from './team.ts'

const { command, args } = faultMcpStdio()

/** A plugin as the documentation of Claude Code describes it. */
const PLUGIN = {
  'release/.claude-plugin/plugin.json': JSON.stringify({
    name: 'release',
    version: '1.2.0',
    description: 'Prepares releases.',
    author: { name: 'Release team' },
  }),
  'release/.mcp.json': JSON.stringify({
    notes: { command, args, env: { NOTES: '${CLAUDE_PLUGIN_ROOT}/notes' } },
  }),
  'release/agents/checker.md': `---
name: checker
description: Checks a change list. Example: user: "Is it complete?"
tools: Read, Grep, mcp__plugin_release_notes__say
model: sonnet
skills: wording
permissionMode: bypassPermissions
color: green
---
You check change lists. You never edit files.
`,
  'release/agents/writer.md': `---
name: writer
description: Writes the notes.
tools: Read, Write
model: inherit
---
You write release notes.
`,
  'release/commands/notes.md': `---
description: Prepares the notes of a release
argument-hint: [version]
allowed-tools: Task
model: haiku
---
Prepare the notes of version $1. Let the checker look at the changes first.
`,
  'release/skills/wording/SKILL.md':
    '---\nname: wording\ndescription: How we write.\n---\nWrite in the past tense.\n',
}

/** A project as the documentation of opencode describes it. */
const PROJECT = {
  'opencode.json': `{
  "$schema": "https://opencode.ai/config.json",
  // No agent of this project edits files.
  "model": "anthropic/claude-sonnet-4-5",
  "permission": {
    "edit": "deny",
    "webfetch": "deny",
    "bash": { "*": "ask", "git push*": "deny", },
  },
  "tools": { "notes_hang": false },
  "mcp": { "notes": { "type": "local", "command": ${JSON.stringify([command, ...args])} } },
}
`,
  '.opencode/agents/builder.md': `---
description: Builds the project.
mode: primary
steps: 12
---
You build the project.
`,
  '.opencode/agents/review/security.md': `---
description: Reviews the security of a change.
mode: subagent
permission:
  bash: deny
---
You review changes.
`,
  '.opencode/commands/audit.md': `---
description: Audits a folder.
agent: review/security
---
Audit $ARGUMENTS.
`,
}

type Call = readonly [tool: string, args: Json]

/** Starts a model that works through the calls of an agent, chosen by its prompt, and then answers. */
async function startModel(
  agents: readonly { readonly prompt: string; readonly calls: readonly Call[]; readonly text: string }[],
): Promise<FakeProvider> {
  const provider = await startFakeAnthropic({
    apiKey: 'key',
    answers: (request): FakeAnswer => {
      const agent = agents.find(({ prompt }) => systemOf(request).includes(prompt))
      const [name, input] = agent?.calls[resultsOf(request).length] ?? []
      if (name === undefined) return { text: agent?.text ?? 'no such agent' }
      return { calls: [{ name, args: input }] }
    },
  })
  onTestFinished(() => provider.close())
  return provider
}

/** Runs a command line with the model. Returns the exit code, and what the user sees. */
function run(provider: FakeProvider, cwd: string, commandLine: readonly string[]): Promise<Ended> {
  const env = ['--env', 'ANTHROPIC_API_KEY=key', '--env', `ANTHROPIC_BASE_URL=${provider.baseURL}`]
  return troupeIn(cwd, [...commandLine, ...env])
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : []
}

function systemOf({ body }: RecordedRequest): string {
  return JSON.stringify(objectOf(body)['system'])
}

/** Returns the names of the tools that a request offers. */
function toolsOf({ body }: RecordedRequest): readonly unknown[] {
  return listOf(objectOf(body)['tools']).map((tool) => objectOf(tool)['name'])
}

/** Returns the tool results in a request, as text, each marked if it is an error. */
function resultsOf({ body }: RecordedRequest): readonly string[] {
  return listOf(objectOf(body)['messages'])
    .flatMap((message) => listOf(objectOf(message)['content']))
    .map(objectOf)
    .filter(({ type }) => type === 'tool_result')
    .map(({ is_error: isError, content }) => `${isError === true ? 'error: ' : ''}${textOf(content)}`)
}

function textOf(content: unknown): string {
  return typeof content === 'string'
    ? content
    : listOf(content)
        .map((part) => String(objectOf(part)['text']))
        .join('')
}

/** Returns the last request of the agent with this prompt. */
function lastRequest({ requests }: FakeProvider, prompt: string): RecordedRequest {
  const found = requests.findLast((request) => systemOf(request).includes(prompt))
  if (found === undefined) throw new TypeError(`no request with the prompt "${prompt}"`)
  return found
}

async function isMissing(path: string): Promise<boolean> {
  return access(path).then(
    () => false,
    () => true,
  )
}

describe('a plugin of Claude Code runs as it is', () => {
  it(`its command calls an agent, which uses a skill and a server but no other tools ${verifies('R4')}`, async () => {
    const folder = await project(PLUGIN)
    const provider = await startModel([
      {
        prompt: 'Prepare the notes',
        calls: [['agent__checker', { text: 'Check 1.2.' }]],
        text: 'The notes are ready.',
      },
      {
        prompt: 'You check change lists',
        calls: [
          ['skill_read', { name: 'wording' }],
          ['plugin_release_notes__say', { text: 'all changes' }],
          ['plugin_release_notes__status', {}],
          ['filesystem_write', { path: 'hacked.txt', content: 'x' }],
        ],
        text: 'Complete.',
      },
    ])
    const { code, out, err } = await run(provider, folder.path, [
      'run',
      'release',
      '--agent',
      'command:notes',
      '1.2',
      '--yes',
    ])
    expect([code, out]).toEqual([0, 'The notes are ready.\n'])

    const command = lastRequest(provider, 'Prepare the notes')
    expect(toolsOf(command)).toEqual(['agent__checker', 'agent__writer'])
    expect(objectOf(command.body)['model']).toMatch(/^claude-haiku/u)
    expect(systemOf(command)).toContain('`$1`, `$2` and so on for its first')

    const checker = lastRequest(provider, 'You check change lists')
    expect(toolsOf(checker)).toEqual([
      'plugin_release_notes__say',
      'filesystem_read',
      'filesystem_search',
      'skill_read',
    ])
    expect(objectOf(checker.body)['model']).toMatch(/^claude-sonnet/u)
    expect(resultsOf(checker)).toEqual([
      expect.stringContaining('Write in the past tense.'),
      'all changes',
      expect.stringMatching(/^error: .*plugin_release_notes__status/u),
      expect.stringMatching(/^error: .*filesystem_write/u),
    ])
    expect(await isMissing(join(folder.path, 'hacked.txt'))).toBe(true)
    expect(err).toMatch(/filesystem_write failed .*Unknown tool: filesystem_write/u)
    expect(err).toMatch(/^checker +1 +5 +4 /mu)
  })

  it('check lists its agents, commands and servers without starting them', async () => {
    const folder = await project(PLUGIN)
    const { out } = await troupeIn(folder.path, ['check', 'release'])
    expect(out).toMatch(/^command:notes {2}release\/commands\/notes\.md/mu)
    expect(out).toMatch(/^├─ checker {2}release\/agents\/checker\.md/mu)
    expect(out).toContain('plugin_release_notes')
    expect(out).toMatch(/writer[^]*filesystem\.write \(asks\)/u)
  })
})

describe('a project of opencode runs as it is', () => {
  it(`what the project denies is neither offered nor run, and the user sees why ${verifies('R16')}`, async () => {
    const folder = await project(PROJECT)
    const provider = await startModel([
      {
        prompt: 'You build the project',
        calls: [
          ['notes__say', { text: 'from the server' }],
          ['filesystem_write', { path: 'a.txt', content: 'x' }],
          ['web_fetch', { url: 'http://127.0.0.1:1/' }],
          ['notes__hang', {}],
          ['shell_execute', { command: 'git push --force' }],
          ['shell_execute', { command: 'echo built > built.txt' }],
        ],
        text: 'It is built.',
      },
    ])
    const { code, out, err } = await run(provider, folder.path, [
      'run',
      '.opencode/agents',
      '--agent',
      'builder',
      'Build it.',
      '--yes',
    ])
    expect([code, out]).toEqual([0, 'It is built.\n'])

    const builder = lastRequest(provider, 'You build the project')
    const tools = toolsOf(builder)
    expect(tools).toEqual(expect.arrayContaining(['shell_execute', 'filesystem_read', 'notes__say']))
    for (const denied of ['filesystem_write', 'web_fetch']) expect(tools).not.toContain(denied)
    expect(resultsOf(builder)).toEqual([
      'from the server',
      'error: Error: Unknown tool: filesystem_write',
      'error: Error: Unknown tool: web_fetch',
      'error: Error: A rule forbids notes__hang.',
      'error: Error: A rule forbids this call to shell.execute: `command` is "git push*".',
      expect.stringContaining('exit code 0'),
    ])
    expect(await isMissing(join(folder.path, 'a.txt'))).toBe(true)
    expect(await folder.read('built.txt')).toBe('built\n')
    expect(err).toContain('git push --force')
  })

  it('a command calls its agent, which has the denies of the project and its own', async () => {
    const folder = await project(PROJECT)
    const provider = await startModel([
      { prompt: 'Audit $ARGUMENTS', calls: [['agent__review-security', { text: 'src' }]], text: 'Audited.' },
      {
        prompt: 'You review changes',
        calls: [['shell_execute', { command: 'touch a.txt' }]],
        text: 'Nothing found.',
      },
    ])
    const { code, out } = await run(provider, folder.path, [
      'run',
      '.opencode/commands/audit.md',
      'src',
      '--yes',
    ])
    expect([code, out]).toEqual([0, 'Audited.\n'])
    expect(toolsOf(lastRequest(provider, 'Audit $ARGUMENTS'))).toEqual(['agent__review-security'])
    const reviewer = lastRequest(provider, 'You review changes')
    expect(toolsOf(reviewer)).not.toEqual(expect.arrayContaining(['shell_execute']))
    expect(toolsOf(reviewer)).toContain('filesystem_read')
    expect(resultsOf(reviewer)).toEqual([expect.stringMatching(/^error: /u)])
    expect(await isMissing(join(folder.path, 'a.txt'))).toBe(true)
  })
})
