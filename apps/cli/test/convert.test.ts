import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runProgram } from '../src/program.ts'
import { troupe } from './team.ts'
import { testContext } from './test-context.ts'

const REVIEWER =
  '---\nname: reviewer\ndescription: Reviews\ntools: Read, Grep\ncolor: red\n---\nYou review.\n'
const TEAM =
  'agents:\n  root: {description: d, instruction: Go., sub_agents: [helper]}\n  helper: {description: d, instruction: Help.}\n'

describe('troupe convert', () => {
  it('troupe convert prints an agent from another tool as a Troupe card', async () => {
    const { code, out, err } = await troupe(['convert', '.claude/agents/reviewer.md'], {
      '.claude/agents/reviewer.md': REVIEWER,
    })
    expect(code).toBe(0)
    expect(err()).toBe('')
    expect(out()).toBe(
      [
        '---',
        'dialect: troupe',
        'name: reviewer',
        'description: Reviews',
        'tools:',
        '  - filesystem.read',
        '  - filesystem.search',
        'runtimeTools:',
        '  - filesystem',
        '# not converted from Claude Code:',
        '#   color: it only affects the Claude Code interface',
        '---',
        'You review.',
        '',
      ].join('\n'),
    )
  })

  it('troupe convert --out writes a file, or one file per agent into a folder, and never overwrites a file', async () => {
    const files = { '.claude/agents/reviewer.md': REVIEWER, 'team.yaml': TEAM, 'there.md': 'mine' }
    const one = await troupe(['convert', '.claude/agents/reviewer.md', '--out', 'r.md'], files)
    expect([one.code, one.out()]).toEqual([0, 'r.md\n'])
    expect(await readFile(join(one.folder.path, 'r.md'), 'utf8')).toContain('You review.')
    const several = await troupe(['convert', 'team.yaml', '--out', 'cards'], files)
    expect([several.code, several.out()]).toEqual([0, 'cards/root.md\ncards/helper.md\n'])
    const refused = await troupe(['convert', '.claude/agents/reviewer.md', '--out', 'there.md'], files)
    expect(refused.code).toBe(2)
    expect(refused.err()).toContain('usage_invalid')
  })

  it('troupe convert requires --out for a file with several agents', async () => {
    const { code, out, err } = await troupe(['convert', 'team.yaml'], { 'team.yaml': TEAM })
    expect([code, out()]).toEqual([2, ''])
    expect(err()).toMatch(/contains several agents: root, helper\.[^]*--out/u)
  })

  it('troupe convert prints the problems of an invalid file and writes nothing', async () => {
    const { code, out, err } = await troupe(['convert', 'bad.md'], { 'bad.md': '---\ndescripton: x\n---\ny' })
    expect([code, out()]).toEqual([2, ''])
    expect(err()).toContain('bad.md:2:1')
    expect((await troupe(['convert', 'gone.md'], {})).code).toBe(2)
  })
})

describe('a card converted into another folder', () => {
  const CODE = "export const say = () => 'said'\n"
  const files = {
    'from/one.md': [
      '---',
      'description: d',
      'default: true',
      'model: script/plays/one.yaml',
      'agents: [../shared/poet.md, near.md]',
      'skills: [skills]',
      '---',
      'Go.',
    ].join('\n'),
    'from/plays/one.yaml': 'agents: {one: [{call: [{tool: agent__poet, args: {text: x}}]}, {say: done}]}\n',
    'from/near.md': '---\ndescription: d\nmodel: passthrough\n---\nx',
    'from/skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Tidies.\n---\nx',
    'shared/poet.md': '---\ndescription: d\nmodel: passthrough\n---\nx',
  }

  it('a card converted into another folder still finds its scripts, children and skills', async () => {
    const converted = await troupe(['convert', 'from/one.md', '--out', 'a/b/'], files)
    expect([converted.code, converted.out()]).toEqual([0, 'a/b/one.md\n'])
    const context = testContext({ cwd: converted.folder.path })
    expect(await runProgram(['run', 'a/b/one.md', 'go', '-q'], context)).toBe(0)
    expect([context.out(), context.err()]).toEqual(['done\n', ''])
  })

  it('a card converted into another folder starts its servers in their original folder', async () => {
    const { folder } = await troupe(['convert', 'from/one.md', '--out', 'to/'], {
      'from/one.md': '---\ndescription: d\nmcpServers: {s: {command: node, args: [server.mjs]}}\n---\nx',
    })
    expect(await readFile(join(folder.path, 'to/one.md'), 'utf8')).toContain('cwd: ../from\n')
  })

  it('a card converted into a parent folder keeps code below that folder', async () => {
    const { folder } = await troupe(['convert', 'from/one.md', '--out', './'], {
      'from/one.md':
        '---\ndescription: d\nmodel: passthrough\nfunctionTools: [code.ts:say]\ntoolHooks: [troupe:redact]\n---\nx',
      'from/code.ts': CODE,
    })
    const context = testContext({ cwd: folder.path })
    expect(await runProgram(['check', 'one.md'], context)).toBe(0)
    expect(context.out()).toContain('tools: say')
  })

  it('troupe convert rejects an output folder that does not contain the code of the card, and lists that code', async () => {
    const { code, out, err, folder } = await troupe(['convert', 'from/one.md', '--out', 'to/'], {
      'from/one.md':
        '---\ndescription: d\nfunctionTools: [code.ts:say, {use: "code.ts:sing", worker: true}]\nloopHooks: {onEnd: code.ts:end}\n---\nx',
    })
    expect([code, out()]).toEqual([2, ''])
    expect(err()).toContain(
      'one: functionTools: code.ts:say; one: functionTools: code.ts:sing; one: loopHooks.onEnd: code.ts:end.',
    )
    expect(existsSync(join(folder.path, 'to'))).toBe(false)
  })
})

describe('files converted together', () => {
  const agent = (keys: string): string => `---\ndescription: d\nmodel: passthrough\n${keys}---\nGo.\n`
  const files = {
    'a/lead.md': agent('default: true\nagents: [helper.md, "parts/*.md", ../b/other.md]\n'),
    'a/helper.md': agent(''),
    'a/parts/one.md': agent(''),
    'b/other.md': agent(''),
    'c/helper.md': agent(''),
  }

  it('files converted together refer to the new cards, and to the original files of all others', async () => {
    const all = ['a/lead.md', 'a/helper.md', 'a/parts/one.md']
    const { code, out, folder } = await troupe(['convert', ...all, '--out', 'to'], files)
    expect([code, out()]).toEqual([0, 'to/lead.md\nto/helper.md\nto/one.md\n'])
    const lead = await readFile(join(folder.path, 'to/lead.md'), 'utf8')
    expect(lead).toContain('agents:\n  - ./helper.md\n  - ./one.md\n  - ../b/other.md\n')
    const context = testContext({ cwd: folder.path })
    expect([await runProgram(['check', 'to'], context), context.err()]).toEqual([0, ''])
  })

  it('files converted together need agents with different names', async () => {
    const { code, err, folder } = await troupe(
      ['convert', 'a/helper.md', 'c/helper.md', '--out', 'to/'],
      files,
    )
    expect(code).toBe(2)
    expect(err()).toContain('Two of the agents are named helper.')
    expect(existsSync(join(folder.path, 'to'))).toBe(false)
  })
})

describe('troupe check --explain', () => {
  const files = {
    '.claude/agents/reviewer.md': REVIEWER,
    'ours.md': '---\ndescription: d\nmax_parallel: 2\n---\nx',
  }

  it('troupe check --explain prints the format of a card and the status of each field', async () => {
    const { code, out } = await troupe(
      ['check', '.claude/agents/reviewer.md', '--explain', '--no-color'],
      files,
    )
    expect(code).toBe(0)
    expect(out()).toContain(
      [
        'reviewer  .claude/agents/reviewer.md  read as claude-code',
        '  field        status      to                                    reason',
        '  name         honoured',
        '  description  honoured',
        '  tools        translated  tools, runtimeTools, servers, agents',
        '  tools: Read  translated  filesystem.read',
        '  tools: Grep  translated  filesystem.search',
        '  color        ignored                                           it only affects the Claude Code interface',
      ].join('\n'),
    )
  })

  it('troupe check --explain --json adds the fields of each card to the plan', async () => {
    const plan = async (...options: readonly string[]): Promise<{ readonly cards?: unknown }> => {
      const { out } = await troupe(['check', 'ours.md', '--json', ...options], files)
      return JSON.parse(out()) as { readonly cards?: unknown }
    }
    expect((await plan()).cards).toBeUndefined()
    expect((await plan('--explain')).cards).toMatchObject([
      {
        agent: 'ours',
        dialect: 'troupe',
        fields: [
          { key: 'description', status: 'honoured' },
          { key: 'max_parallel', status: 'translated', to: 'limits.maxParallel' },
        ],
      },
    ])
  })
})
