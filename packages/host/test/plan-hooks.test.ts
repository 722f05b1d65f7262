import { describe, expect, it } from 'vitest'
import { card, openTeam, stdioServer } from './support/open-team.ts'

const CODE = `
export const say = ({ text }) => text
say.effect = 'read'
export const wipe = () => 'wiped'
export const mail = () => 'sent'
mail.capabilities = ['egress']
export const inbox = () => 'mail'
inbox.capabilities = ['reads_private', 'reads_untrusted']
`

function team(toolHooks: readonly unknown[], more: Readonly<Record<string, unknown>> = {}) {
  return openTeam({
    'a.md': card({
      name: 'A',
      model: 'passthrough',
      functionTools: ['code.ts:say', 'code.ts:wipe'],
      toolHooks,
      ...more,
    }),
    'code.ts': CODE,
  })
}

describe('a stock hook that matches no tool of its agent', () => {
  it('a stock hook that matches no tool is a warning with a position, the closest name and the known tools', async () => {
    const host = await openTeam({
      'a.md': [
        '---',
        'name: A',
        'description: d',
        'model: passthrough',
        'functionTools: [code.ts:say, code.ts:wipe]',
        'toolHooks:',
        '  - use: troupe:redact',
        '    tools: [say, wpie]',
        '  - use: troupe:deny',
        '    tools:',
        '      - shell.*',
        '---',
        'x',
      ].join('\n'),
      'code.ts': CODE,
    })
    expect(host.plan().problems).toMatchObject([
      {
        severity: 'warning',
        code: 'hook_concerns_nothing',
        line: 8,
        column: 18,
        agent: 'A',
        message:
          'toolHooks.0.tools.1: "wpie" matches no tool of A; did you mean "wipe"? Its tools: say, wipe.',
      },
      { line: 11, message: 'toolHooks.1.tools.0: "shell.*" matches no tool of A. Its tools: say, wipe.' },
    ])
  })

  it('stock hooks with matching globs, without globs or for agents as tools cause no warning', async () => {
    const host = await team(['troupe:redact', { use: 'deny', tools: ['w*'], except: ['nothing'] }])
    expect(host.plan().problems).toEqual([])
  })

  it('a glob of a stock hook that could match a tool of a server is only checked once its tools are listed', async () => {
    const host = await team(
      [{ use: 'redact', tools: ['srv__*', '*_code', 'srv__ehco', 'wpie', 'shell.*'] }],
      {
        mcpServers: { srv: stdioServer() },
      },
    )
    const told = (problems: readonly { readonly message: string }[]): readonly (string | undefined)[] =>
      problems.map(({ message }) => /"(.*?)"/u.exec(message)?.[1])
    expect(told(host.plan().problems)).toEqual(['wpie', 'shell.*'])
    expect(told((await host.inspect()).problems)).toEqual(['*_code', 'srv__ehco', 'wpie', 'shell.*'])
  })
})

describe('an `approve` hook in a plan', () => {
  it('a plan shows tools with an `approve` hook as requiring approval, unless a rule denies them', async () => {
    const host = await team([{ use: 'approve', effects: ['once'] }], { permissions: { deny: ['say'] } })
    expect(host.plan().agents[0]?.tools).toMatchObject([
      { name: 'say', permission: 'deny' },
      { name: 'wipe', permission: 'ask' },
    ])
  })

  it('an `approve` hook counts for the agents above and closes an exfiltration channel', async () => {
    const files = (hooks: readonly unknown[]) => ({
      'a.md': card({ name: 'A', model: 'passthrough', default: true, agents: ['B'] }),
      'b.md': card({
        name: 'B',
        model: 'passthrough',
        functionTools: ['code.ts:mail', 'code.ts:inbox'],
        toolHooks: hooks,
      }),
      'code.ts': CODE,
    })
    const open = await openTeam(files([]))
    expect(open.plan().problems).toMatchObject([{ code: 'data_flow_mixed' }])
    const asking = await openTeam(files([{ use: 'approve', tools: ['mail'] }]))
    expect(asking.plan().problems).toEqual([])
    expect(asking.plan().agents[0]?.reaches).toMatchObject([
      { name: 'mail', permission: 'ask' },
      { name: 'inbox', permission: 'allow' },
    ])
  })
})
