import { join } from 'node:path'
import { tempProject, verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEnvironments } from '../src/config/environments.ts'

async function environmentsOf(
  files: Readonly<Record<string, string>>,
  options: Partial<Parameters<typeof createEnvironments>[0]> = {},
) {
  const project = await tempProject(files)
  onTestFinished(() => project.remove())
  const at = (path: string): string => join(project.path, path)
  const environments = createEnvironments({ cwd: project.path, configFolder: project.path, ...options })
  return { environments, at }
}

describe('the environment of an agent', () => {
  it(`variables come from overrides, env files, the nearest sidecar, the ones above it, then the process ${verifies('C18', 'C41', 'R17')}`, async () => {
    const { environments, at } = await environmentsOf(
      {
        'given.env': 'A=file\nB=file',
        'team/cards/troupe.env': 'A=near\nB=near\nC=near',
        'team/cards/.ai-agent.env': 'C=beside\nD=beside',
        'team/troupe.env': 'D=above\nE=above',
        '.ai-agent.env': 'E=top\nF=top',
      },
      {
        envOverrides: { A: 'override' },
        envFiles: ['given.env'],
        env: { F: 'process', G: 'process', A: 'process' },
      },
    )
    const { overlay, searched } = environments.of(at('team/cards'))
    expect(
      ['A', 'B', 'C', 'D', 'E', 'F', 'G'].map((name) => [overlay.get(name), overlay.origin(name)]),
    ).toEqual([
      ['override', 'override'],
      ['file', at('given.env')],
      ['near', at('team/cards/troupe.env')],
      ['beside', at('team/cards/.ai-agent.env')],
      ['above', at('team/troupe.env')],
      ['top', at('.ai-agent.env')],
      ['process', 'process'],
    ])
    expect(searched).toEqual([
      'override',
      at('given.env'),
      at('team/cards/troupe.env'),
      at('team/cards/.ai-agent.env'),
      at('team/troupe.env'),
      at('.ai-agent.env'),
      'process',
    ])
  })

  it('sidecars are searched up to the folder of the configuration, whose sidecar counts even if it is elsewhere', async () => {
    const files = { 'troupe.env': 'A=top', 'team/x.md': '', 'config/troupe.env': 'B=config' }
    const { environments, at } = await environmentsOf(files)
    const elsewhere = createEnvironments({ cwd: at('.'), configFolder: at('config') })
    const without = createEnvironments({ cwd: at('.'), env: {}, configFolder: undefined })
    expect(environments.of(at('team')).overlay.names()).toEqual(['A'])
    expect(elsewhere.of(at('team')).overlay.names()).toEqual(['B'])
    expect(without.of(at('team')).overlay.names()).toEqual([])
    expect(without.of(at('team')).searched).toEqual([at('team/troupe.env'), 'process'])
  })

  it(`agents in different folders have separate environments ${verifies('C45')}`, async () => {
    const { environments, at } = await environmentsOf({ 'a/troupe.env': 'KEY=a', 'b/troupe.env': 'KEY=b' })
    expect(environments.of(at('a')).overlay.get('KEY')).toBe('a')
    expect(environments.of(at('b')).overlay.get('KEY')).toBe('b')
  })

  it('unusable lines and unreadable files are reported without their content', async () => {
    const { environments, at } = await environmentsOf(
      { 'troupe.env': 'GOOD=1\nsecret words' },
      { envFiles: ['missing.env'] },
    )
    environments.of(at('.'))
    expect(environments.problems()).toMatchObject([
      { severity: 'error', code: 'config_invalid', file: at('missing.env') },
      { severity: 'warning', code: 'config_invalid', file: at('troupe.env'), line: 2 },
    ])
    expect(JSON.stringify(environments.problems())).not.toContain('secret words')
  })
})
