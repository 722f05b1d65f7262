import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { troupe } from './team.ts'

const MARKDOWN = '---\ndescription: Works.\n'
const DOCKER = [
  'permissions:',
  '  allow: ["shell:cmd=touch *"]',
  '  deny:',
  '    - "shell:cmd=rm *"',
  'agents:',
  '  root:',
  '    model: passthrough',
  '    description: Works.',
  '    instruction: Work.',
  '    toolsets: [{type: shell}]',
  '',
].join('\n')

interface Team {
  /** The file to run. */
  readonly card: string
  readonly files: Readonly<Record<string, string>>
  /** The location of the rule. */
  readonly place: string
}

const TEAMS: Readonly<Record<string, Team>> = {
  'docker-agent': { card: 'team.yaml', files: { 'team.yaml': DOCKER }, place: 'team.yaml:4' },
  opencode: {
    card: '.opencode/agent/a.md',
    files: {
      '.opencode/agent/a.md': `${MARKDOWN}permission:\n  bash:\n    "*": allow\n    "rm *": deny\n---\nWork.\n`,
    },
    place: '.opencode/agent/a.md:6',
  },
  'Claude Code': {
    card: '.claude/agents/a.md',
    files: { '.claude/agents/a.md': `${MARKDOWN}disallowedTools:\n  - Bash(rm *)\n---\nWork.\n` },
    place: '.claude/agents/a.md:4',
  },
  Troupe: {
    card: 'a.md',
    files: {
      'a.md': `${MARKDOWN}runtimeTools: [shell]\npermissions:\n  deny:\n    - {tool: shell.execute, argument: command, pattern: "rm *"}\n---\nWork.\n`,
    },
    place: 'a.md:6',
  },
  'the opencode.json of a project': {
    card: '.opencode/agent/a.md',
    files: {
      '.opencode/agent/a.md': `${MARKDOWN}---\nWork.\n`,
      'opencode.json': '{\n  "permission": {\n    "bash": {"*": "allow",\n      "rm *": "deny"}}}\n',
    },
    place: 'opencode.json:4',
  },
  'the settings of a Claude Code project': {
    card: '.claude/agents/a.md',
    files: {
      '.claude/agents/a.md': `${MARKDOWN}---\nWork.\n`,
      '.claude/settings.json': '{"permissions": {\n  "deny": ["Bash(rm *)"]}}\n',
    },
    place: '.claude/settings.json:2',
  },
}

function scriptOf(command: string, args: readonly string[]): string {
  const call = JSON.stringify({ tool: 'shell_execute', args: { command, args } })
  const steps = `[{"call": [${call}]}, {"say": "{{results.0.text}}"}]`
  return `{"agents": {"a": ${steps}, "root": ${steps}}}`
}

/** Runs a command as an agent of the team with `--yes`. Returns the agent's answer and the files in the folder. */
async function runCommand(
  { card, files }: Team,
  command: string,
  ...args: readonly string[]
): Promise<{ readonly out: string; readonly isThere: (file: string) => Promise<boolean> }> {
  const { out, folder } = await troupe(
    ['run', card, 'go', '--model', 'script/script.yaml', '--yes', '--no-store'],
    { ...files, 'script.yaml': scriptOf(command, args), victim: '' },
    { env: { PATH: process.env['PATH'] ?? '' } },
  )
  const isThere = (file: string): Promise<boolean> =>
    access(join(folder.path, file)).then(
      () => true,
      () => false,
    )
  return { out: out(), isThere }
}

describe.each(Object.entries(TEAMS))('a deny rule of %s', (_name, team) => {
  it.each([
    ['rm', '-f', 'victim'],
    ['/bin/sh', '-c', 'rm -f victim'],
  ])(
    `a deny rule holds under --yes, so the file survives %s ${verifies('R16')}`,
    async (command, ...args) => {
      const { out, isThere } = await runCommand(team, command, ...args)
      expect(out).toMatch(/A rule forbids (?:this call|some calls) to shell\.execute/u)
      expect(await isThere('victim')).toBe(true)
    },
  )

  it('a deny rule leaves other commands alone', async () => {
    const { out, isThere } = await runCommand(team, 'touch', 'new')
    expect(out).toContain('exit code 0')
    expect(await isThere('new')).toBe(true)
  })

  it('troupe check reports a deny rule with its line and everything that it denies beyond its pattern', async () => {
    const { code, out, err } = await troupe(['check', team.card], team.files)
    expect(code).toBe(0)
    const line = (out() + err()).split('\n').find((each) => each.includes('[permission_rule_widened]'))
    expect(line?.startsWith(team.place)).toBe(true)
    expect(line).toContain('shells, interpreters and wrappers')
  })
})

describe('a rule that denies writing in the whole project', () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ['.opencode/agent/a.md', { 'opencode.json': '{"permission": {"edit": "deny", "bash": "deny"}}' }],
    [
      '.claude/agents/a.md',
      { '.claude/settings.local.json': '{"permissions": {"deny": ["Write", "Bash"]}}' },
    ],
  ])(
    `a rule that denies all writes holds under --yes for the Markdown agent beside it: %s ${verifies('R16')}`,
    async (card, files) => {
      const team = { card, files: { ...files, [card]: `${MARKDOWN}---\nWork.\n` }, place: '' }
      const { isThere } = await runCommand(team, 'touch', 'new')
      expect(await isThere('new')).toBe(false)
      const { out } = await troupe(['check', card, '--explain'], team.files)
      const [file = ''] = Object.keys(files)
      expect(out()).toContain(
        `../${file.startsWith('.claude') ? 'settings.local.json' : '../opencode.json'}: permission`,
      )
    },
  )

  it('a deny rule that cannot be read is an error', async () => {
    const card = '.claude/agents/a.md'
    const { code, err } = await troupe(['run', card, 'go', '--model', 'passthrough', '--no-store'], {
      [card]: `${MARKDOWN}---\nWork.\n`,
      '.claude/settings.json': '{"permissions": ',
    })
    expect(code).toBe(2)
    expect(err()).toContain('.claude/settings.json:1')
  })
})
