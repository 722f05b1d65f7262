import { defineAgent, defineTool, type ArgumentRule, type ToolDefinition } from '@troupe/schema'
import type { CommandLine, PermissionPolicy } from '@troupe/schema/ports'
import { verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPermission } from '../../src/index.ts'

const plain = defineTool({
  name: 'shell.execute',
  description: 'x',
  input: { type: 'object', properties: { command: { type: 'string' }, args: {}, stdin: {} } },
  requiresApproval: true,
  execute: () => 'x',
})
const shell: ToolDefinition = {
  ...plain,
  ruleArguments: {
    command: {
      kind: 'command',
      read: ({ command, args = [], stdin }): CommandLine => ({
        words: args === 'line' ? [] : [command as string, ...(args as readonly string[])],
        hasInput: stdin !== undefined,
        ...(args === 'line' ? { shellText: command as string } : {}),
      }),
    },
  },
}
const files: ToolDefinition = {
  ...defineTool({ name: 'filesystem.write', description: 'x', execute: () => 'x' }),
  ruleArguments: {
    path: {
      kind: 'path',
      read: ({ path, real, isTree }) =>
        Promise.resolve({
          root: '/home/team',
          paths: [path, real ?? path].map((each) => `/home/team/${each as string}`),
          isTree: isTree === true,
        }),
    },
  },
}
const mail = defineTool({
  name: 'post__mail',
  description: 'x',
  input: { type: 'object', properties: { to: { type: 'string' }, copies: { type: 'array' } } },
  execute: () => 'x',
})

interface Written {
  readonly deny?: readonly (string | ArgumentRule)[]
  readonly ask?: readonly (string | ArgumentRule)[]
  readonly allow?: readonly (string | ArgumentRule)[]
}

function rules(permissions: Written, toolPermission: 'always' | 'tool' | 'never' = 'tool'): PermissionPolicy {
  return createPermission(defineAgent({ name: 'A', instruction: 'x', permissions, toolPermission }))
}

function commands(pattern: string, ...except: readonly string[]): ArgumentRule {
  return { tool: 'shell.execute', argument: 'command', pattern, ...(except.length === 0 ? {} : { except }) }
}

async function run(policy: PermissionPolicy, command: string, ...args: readonly string[]): Promise<string> {
  return (await policy.ofCall(shell, { command, args })).decision
}

/** Decides on a command line for a shell. */
async function runLine(policy: PermissionPolicy, command: string, more: object = {}): Promise<string> {
  return (await policy.ofCall(shell, { command, args: 'line', ...more })).decision
}

async function write(policy: PermissionPolicy, path: string, more: object = {}): Promise<string> {
  return (await policy.ofCall(files, { path, ...more })).decision
}

describe('a deny rule for some commands', () => {
  const noRemoval = rules({ deny: [commands('rm *')] }, 'never')

  it.each<[string, readonly string[]]>([
    ['the command itself', ['rm', '-f', 'victim']],
    ['the command without arguments', ['rm']],
    ['its whole path', ['/bin/rm', 'victim']],
    ['a relative path', ['../../bin/rm', 'victim']],
    ['capital letters', ['RM', 'victim']],
    ['the ending of Windows', ['rm.exe', 'victim']],
    ['blanks around it', ['  rm  ', 'victim']],
    ['the whole line as the program', ['rm -f victim']],
    ['a shell', ['sh', '-c', 'rm victim']],
    ['a shell by its path', ['/usr/bin/bash', '-lc', 'rm victim']],
    ['a shell with a script', ['bash', 'clean.sh']],
    ['a shell that joins words', ['sh', '-c', `r''m victim`]],
    ['a shell with a variable', ['sh', '-c', 'X=rm; $X victim']],
    ['env', ['env', 'rm', 'victim']],
    ['env with options', ['/usr/bin/env', '-i', 'A=1', 'rm', 'victim']],
    ['sudo', ['sudo', '-n', 'rm', 'victim']],
    ['xargs', ['xargs', 'rm']],
    ['find', ['find', '.', '-delete']],
    ['busybox', ['busybox', 'rm', 'victim']],
    ['an unknown wrapper', ['run-quietly', '--', 'rm', 'victim']],
    ['a wrapper with the command in one argument', ['run-quietly', '--exec=rm victim']],
    ['a chain', ['true && rm victim']],
    ['a chain without blanks', ['true', ';rm', 'victim']],
    ['a substitution', ['echo', '$(rm victim)']],
    ['backticks', ['echo', '`rm victim`']],
    ['a second line', ['echo', 'a\nrm victim']],
    ['a tab', ['echo\trm\tvictim']],
    ['a wildcard in the program', ['/bin/r?', 'victim']],
    ['an interpreter', ['python3.12', 'clean.py']],
    ['more than can be compared', ['echo', 'x'.repeat(10_000)]],
  ])(`a deny rule for commands applies to %s ${verifies('R16')}`, async (_name, [command = '', ...args]) => {
    expect(await run(noRemoval, command, ...args)).toBe('deny')
  })

  it.each<readonly string[]>([
    ['ls', '-l'],
    ['git', 'log', '--format=oneline'],
    ['rmdir', 'old'],
    ['npm', 'test'],
    ['cat', '/etc/hosts'],
    ['node-gyp', 'build'],
  ])('a deny rule for commands does not apply to %s %s', async (...words) => {
    const [command = '', ...args] = words
    expect(await run(noRemoval, command, ...args)).toBe('allow')
  })

  it.each<string>([
    'rm -f victim',
    '/bin/rm victim',
    'FOO=1 rm victim',
    'env rm victim',
    'FOO=1 env BAR=2 sudo -n rm victim',
    'true; rm victim',
    'true && rm victim',
    'true || rm victim',
    'ls|rm victim',
    'sleep 1 & rm victim',
    'ls\nrm victim',
    "# note: it's fine\nrm victim",
    '(cd /tmp; rm victim)',
    'ls | xargs rm',
    `r''m victim`,
    'r\\m victim',
    '"rm" victim',
    'rm\\\n victim',
    '/bin/r? victim',
    'echo $(rm victim)',
    'echo `rm victim`',
    'echo "$(rm victim)"',
    'X=rm; $X victim',
    'diff <(ls) x',
    "cat <<E\nit's\nE\nrm victim",
    "bash -c 'r''m victim'",
    'FOO=1 bash clean.sh',
    '>out sh clean.sh',
    '2>out sh clean.sh',
    'if sh clean.sh; then true; fi',
    '! sh clean.sh',
    '{ rm victim; }',
    'python3 clean.py',
    '. ./clean.sh',
    'echo x &>log sh clean.sh',
    "echo 'open",
    'x'.repeat(10_000),
  ])('a deny rule for commands applies to the command line %j', async (line) => {
    expect(await runLine(noRemoval, line)).toBe('deny')
  })

  it.each<string>([
    'ls -l',
    'FOO=1 npm test 2>&1 | tail -20 >> out.log',
    'cd src && git log --format=oneline; git status',
    'git commit -m "a longer message"',
    'rmdir old # rm comes later',
  ])('a deny rule for commands does not apply to the command line %j', async (line) => {
    expect(await runLine(noRemoval, line)).toBe('allow')
  })

  it('a deny rule with operators applies across the commands of a line', async () => {
    const noPipe = rules({ deny: [commands('curl * | tee *')] }, 'never')
    expect(await runLine(noPipe, 'curl x | tee y')).toBe('deny')
    expect(await runLine(noPipe, 'curl x; ls')).toBe('allow')
    const noPush = rules({ deny: [commands('git push *')] }, 'never')
    expect(await runLine(noPush, 'git log; echo push it')).toBe('allow')
    expect(await runLine(noPush, 'git >out push')).toBe('deny')
  })

  it('a deny rule for a path applies to a command line with a tilde, which the shell replaces', async () => {
    const noKeys = rules({ deny: [commands('cat /home/me/.ssh/*')] }, 'never')
    for (const line of ['cat ~/.ssh/id', 'cat ~me/.ssh/id', 'F=~/.ssh/id cat x'])
      expect(await runLine(noKeys, line), `line ${line}`).toBe('deny')
    expect(await runLine(noKeys, "cat 'a~b' c~")).toBe('allow')
  })

  it('an ask rule for commands applies to a command line that cannot be compared', async () => {
    const policy = rules({ ask: [commands('rm *')] }, 'never')
    expect(await runLine(policy, 'ls; rm x')).toBe('ask')
    expect(await runLine(policy, 'echo $X')).toBe('ask')
    expect(await runLine(policy, 'ls')).toBe('allow')
  })

  it('an allow rule for commands only allows a command line that runs a single program', async () => {
    const policy = rules({ allow: [commands('git *'), commands('*-gyp --version')] })
    for (const line of ['git status', '\n  git   log -1 \n', `git 'log' "-1"`, 'node-gyp --version'])
      expect(await runLine(policy, line), `line ${line}`).toBe('allow')
    for (const line of [
      'git status; git log',
      'git log | head',
      'git log > out',
      'git log &',
      'git $X',
      'git `ls`',
      'git log\nls',
      'A=1 git log',
      'git log \\',
      'LD_PRELOAD=x ls --version',
      '! sh-gyp --version',
      'git *',
      'env git log',
      '"git log"',
    ])
      expect(await runLine(policy, line), `line ${line}`).toBe('ask')
    expect(await runLine(policy, 'git log', { stdin: 'x' })).toBe('ask')
    const anyProgram = rules({ allow: [commands('*')] })
    expect(await runLine(anyProgram, 'ls -l')).toBe('allow')
    for (const line of ['! ls', 'eval ls', '. ls', 'A=1 ls', 'if ls', 'sudo ls', ''])
      expect(await runLine(anyProgram, line), `line ${line}`).toBe('ask')
  })

  it('a deny rule for commands applies to a program that reads its input, because that may contain commands', async () => {
    expect(await noRemoval.ofCall(shell, { command: 'tee', args: ['x'], stdin: 'rm victim' })).toMatchObject({
      decision: 'deny',
    })
  })

  it('a denial names the rule to the model, and what to do about a call that cannot be compared', async () => {
    expect(await noRemoval.ofCall(shell, { command: 'rm', args: ['x'] })).toMatchObject({
      failure: {
        code: 'permission_denied',
        message: 'A rule forbids this call to shell.execute: `command` is "rm *".',
      },
    })
    expect(await noRemoval.ofCall(shell, { command: 'sh', args: ['x.sh'] })).toMatchObject({
      failure: {
        message: expect.stringContaining('this call cannot be compared with it: "sh" can run other commands'),
      },
    })
  })

  it('a deny rule for commands applies with options between its words, and to a path in the rule', async () => {
    const policy = rules({ deny: [commands('git push *'), commands('/usr/sbin/reboot')] }, 'never')
    expect(await run(policy, 'git', '-C', '.', '--no-pager', 'push', 'origin')).toBe('deny')
    expect(await run(policy, 'reboot')).toBe('deny')
    expect(await run(policy, 'git', 'pull')).toBe('allow')
  })

  it('a deny rule for commands allows its exceptions if the call certainly is one', async () => {
    const policy = rules({ deny: [commands('*', 'git *', 'npm test')] }, 'never')
    expect(await run(policy, 'git', 'log', '-1')).toBe('allow')
    expect(await run(policy, 'git', 'commit', '-m', 'two words')).toBe('allow')
    expect(await run(policy, 'npm', 'test')).toBe('allow')
    expect(await run(policy, 'npm', 'test', '--', 'x')).toBe('deny')
    expect(await run(policy, 'GIT', 'log')).toBe('deny')
    expect(await run(policy, './git', 'log')).toBe('deny')
    expect(await run(policy, 'git log')).toBe('deny')
    expect(await run(policy, 'git', 'log; rm x')).toBe('deny')
  })

  it('a deny rule for commands takes bounded work for the most hostile pattern and command', async () => {
    const policy = rules(
      { deny: Array.from({ length: 1000 }, () => commands(`*${'a*'.repeat(200)}b`)) },
      'never',
    )
    expect(await run(policy, 'x', 'a'.repeat(8000))).toBe('deny')
  })
})

describe('an allow rule for some commands', () => {
  const readsLog = rules({ allow: [commands('git log *')] })

  it('an allow rule for commands allows what it names, and every other call requires approval', async () => {
    expect(await run(readsLog, 'git', 'log', '-1')).toBe('allow')
    expect(await run(readsLog, 'git', 'push')).toBe('ask')
    expect(readsLog.ofTool(shell)).toBe('ask')
    expect(await run(rules({ allow: [commands('git log *')] }, 'never'), 'git', 'push')).toBe('ask')
  })

  it('an approval has a reason only if a rule depends on the arguments, so that no remembered answer for the tool applies', async () => {
    const pushes = rules({ ask: [commands('git push *')], allow: ['shell.*'] })
    expect(await pushes.ofCall(shell, { command: 'git', args: ['push', 'x'] })).toEqual({
      decision: 'ask',
      reason: 'A rule requires approval for calls to shell.execute where `command` is "git push *".',
    })
    expect(await readsLog.ofCall(shell, { command: 'git', args: ['push', 'x'] })).toEqual({ decision: 'ask' })
    const asksAnyway = rules({ ask: ['shell.*', commands('git push *')] }, 'always')
    expect(await asksAnyway.ofCall(shell, { command: 'git', args: ['push', 'x'] })).toHaveProperty('reason')
    expect(await asksAnyway.ofCall(shell, { command: 'git', args: ['status'] })).toEqual({ decision: 'ask' })
  })

  it('an allow rule for commands requires approval for every call if it names an argument that the tool lacks', async () => {
    const misspelled = rules({ allow: [{ tool: 'shell.*', argument: 'cmd', pattern: 'git *' }] }, 'never')
    expect(await run(misspelled, 'git', 'log')).toBe('ask')
    expect(await run(misspelled, 'rm', 'x')).toBe('ask')
  })

  it.each<readonly string[]>([
    ['GIT', 'log', '-1'],
    ['/tmp/git', 'log', '-1'],
    ['env', 'git', 'log', '-1'],
    ['git', 'log -1'],
    ['git', 'log', '$(rm x)'],
    ['git log -1'],
    ['git', 'log', 'a\nrm x'],
    ['git', '-c', 'alias.log=x', 'log', '-1'],
  ])('an allow rule for commands does not allow %s %s %s', async (...words) => {
    const [command = '', ...args] = words
    expect(await run(readsLog, command, ...args)).toBe('ask')
  })

  it('an allow rule for commands never beats a rule that asks or denies', async () => {
    const all = [commands('git *')]
    expect(await run(rules({ ask: ['shell.*'], allow: all }), 'git', 'log')).toBe('ask')
    expect(await run(rules({ ask: [commands('git push *')], allow: all }), 'git', 'push', 'x')).toBe('ask')
    expect(await run(rules({ deny: [commands('git push *')], allow: all }), 'git', 'push', 'x')).toBe('deny')
  })
})

describe('a rule for some files', () => {
  it.each([
    ['secrets/**', 'secrets/key.pem'],
    ['./secrets/**', 'Secrets/KEY.pem'],
    ['secrets', 'secrets/a/b'],
    ['secrets/', 'secrets/a/b'],
    ['/secrets/**', 'secrets/a'],
    ['//home/team/secrets/**', 'secrets/a'],
    ['team/secrets/**', 'secrets/a'],
    ['.env', 'app/.env'],
    ['**/.env', '.env'],
    ['**/*.env', 'deep/er/x.env'],
    ['~/.ssh/**', 'home/.ssh/id'],
    ['**', 'a'],
    ['../x', 'a'],
  ])('the rule %s denies %s', async (pattern, path) => {
    const policy = rules({ deny: [{ tool: 'filesystem.*', argument: 'path', pattern }] })
    expect(await write(policy, path)).toBe('deny')
  })

  it.each([
    ['secrets/**', 'src/a'],
    ['work/**', 'src/a'],
    ['.env', 'src/.environment'],
    ['*.pem', 'src/a.ts'],
  ])('the rule %s does not deny %s', async (pattern, path) => {
    const policy = rules({ deny: [{ tool: 'filesystem.*', argument: 'path', pattern }] })
    expect(await write(policy, path)).toBe('allow')
  })

  it('a rule for files resolves links, and denies folders that are read as a whole', async () => {
    const policy = rules({ deny: [{ tool: 'filesystem.*', argument: 'path', pattern: 'secrets/**' }] })
    expect(await write(policy, 'public/a', { real: 'secrets/a' })).toBe('deny')
    expect(await write(policy, 'src', { isTree: true })).toBe('deny')
  })

  it('an allow rule for files allows only files that are certainly named', async () => {
    const policy = rules({ allow: [{ tool: 'filesystem.*', argument: 'path', pattern: 'docs/**/*.md' }] })
    expect(await write(policy, 'docs/a/b.md')).toBe('allow')
    expect(await write(policy, 'docs/a.md')).toBe('allow')
    expect(await write(policy, 'docs/a.ts')).toBe('ask')
    expect(await write(policy, 'Docs/a.md')).toBe('ask')
    expect(await write(policy, 'docs/a.md', { real: 'src/a.md' })).toBe('ask')
    expect(await write(policy, 'docs', { isTree: true })).toBe('ask')
  })

  it('a rule for files denies with the reason of the tool if the tool cannot tell what a call would reach', async () => {
    const broken: ToolDefinition = {
      ...files,
      ruleArguments: { path: { kind: 'path', read: () => Promise.reject(new Error('no such root')) } },
    }
    const policy = rules({ deny: [{ tool: 'filesystem.write', argument: 'path', pattern: 'x' }] })
    expect(await policy.ofCall(broken, {})).toMatchObject({
      decision: 'deny',
      failure: { message: 'no such root' },
    })
  })
})

describe('a rule for the text of an argument', () => {
  const noBoss = rules({ deny: [{ tool: 'post__mail', argument: 'to', pattern: 'boss@*' }] })
  const decision = (args: object): Promise<unknown> => noBoss.ofCall(mail, args as never)

  it('a rule for text ignores case and repeated whitespace', async () => {
    expect(await decision({ to: ' Boss@example.com' })).toMatchObject({ decision: 'deny' })
    expect(await decision({ to: 'team@example.com' })).toMatchObject({ decision: 'allow' })
    expect(await decision({})).toMatchObject({ decision: 'allow' })
  })

  it('a rule for text denies a value that is not text, and every call of a tool without such an argument', async () => {
    const copies = rules({ deny: [{ tool: 'post__*', argument: 'copies', pattern: 'x' }] })
    expect(await copies.ofCall(mail, { copies: ['x'] })).toMatchObject({ decision: 'deny' })
    const unknown = rules({ deny: [{ tool: 'post__*', argument: 'bcc', pattern: 'x' }] }, 'never')
    expect(unknown.ofTool(mail)).toBe('deny')
    expect(await unknown.ofCall(mail, {})).toMatchObject({
      decision: 'deny',
      failure: { message: expect.stringContaining('has no argument `bcc`') },
    })
  })
})

describe('a rule for a host', () => {
  const page: ToolDefinition = {
    ...defineTool({ name: 'web.fetch', description: 'x', execute: () => 'x' }),
    ruleArguments: { domain: { kind: 'host', read: ({ url }) => new URL(url as string).hostname } },
  }
  const host = (pattern: string, ...except: readonly string[]): ArgumentRule => ({
    tool: 'web.fetch',
    argument: 'domain',
    pattern,
    except,
  })
  const decide = async (policy: PermissionPolicy, url: string): Promise<string> =>
    (await policy.ofCall(page, { url })).decision

  it.each([
    [
      '10.0.0.0/8',
      ['10.0.0.0', '10.255.255.255', '0xa.1', '[::ffff:10.1.2.3]'],
      ['11.0.0.0', '9.255.255.255'],
    ],
    ['172.16.0.0/12', ['172.16.0.1', '172.31.255.255'], ['172.32.0.0', '172.15.0.1', '172.16.example.com']],
    ['169.254.169.254', ['169.254.169.254', '2852039166', '[::ffff:a9fe:a9fe]'], ['169.254.169.253']],
    ['fc00::/7', ['[fc00::1]', '[fdff::]'], ['[fe00::]', '10.0.0.1', 'fc00.example.com']],
    ['::1', ['[::1]', '[0:0:0:0:0:0:0:1]'], ['[::2]', '127.0.0.1']],
    ['[2001:DB8::]/33', ['[2001:db8:7fff::1]'], ['[2001:db8:8000::]']],
    ['::ffff:10.0.0.0/104', ['10.1.2.3'], ['11.0.0.0']],
    ['0.0.0.0/0', ['8.8.8.8'], ['[::1]', 'example.com']],
    ['*.Example.com', ['a.example.com'], ['example.com', 'example.org']],
  ])(
    `a deny rule for %s applies to each spelling of its addresses and to no other host ${verifies('R16')}`,
    async (pattern, inside, outside) => {
      const policy = rules({ deny: [host(pattern)] })
      for (const name of inside)
        expect([name, await decide(policy, `https://${name}/`)]).toEqual([name, 'deny'])
      for (const name of outside)
        expect([name, await decide(policy, `https://${name}/`)]).toEqual([name, 'allow'])
    },
  )

  it('a range of addresses can be excluded from a rule, and an allow rule can name one', async () => {
    const policy = rules({ deny: [host('*', '10.0.0.0/8')], allow: [host('10.1.0.0/16')] })
    expect(await decide(policy, 'https://10.1.0.1/')).toBe('allow')
    expect(await decide(policy, 'https://10.2.0.1/')).toBe('ask')
    expect(await decide(policy, 'https://example.com/')).toBe('deny')
  })

  it('a rule for hosts with an invalid range denies every call and allows none', async () => {
    expect(await decide(rules({ deny: [host('10.0.0/8')] }), 'https://example.com/')).toBe('deny')
    expect(await decide(rules({ allow: [host('10.0.0.0/33')] }), 'https://10.0.0.1/')).toBe('ask')
  })
})

describe('globs of tool names', () => {
  it(`globs of tool names ignore case in deny and ask rules, but not in allow rules ${verifies('R16')}`, () => {
    const erase = defineTool({ name: 's__Delete_File', description: 'x', execute: () => 'x' })
    expect(rules({ deny: ['s__delete*'] }, 'never').ofTool(erase)).toBe('deny')
    expect(rules({ ask: ['S__DELETE*'] }, 'never').ofTool(erase)).toBe('ask')
    expect(rules({ allow: ['s__delete*'] }, 'always').ofTool(erase)).toBe('ask')
    const asks = defineAgent({ name: 'A', instruction: 'x', requiresApproval: ['s__delete*'] })
    expect(createPermission(asks).ofTool(erase)).toBe('ask')
  })
})

describe('a tool that decides by its arguments if calls require approval', () => {
  const pay = (requiresApproval: ToolDefinition['requiresApproval'] & object): ToolDefinition =>
    defineTool({
      name: 'pay',
      description: 'x',
      input: { type: 'object', properties: { amount: { type: 'number' } } },
      requiresApproval,
      execute: () => 'x',
    })
  const large = pay(({ amount }) => (amount as number) > 10)

  it('calls require approval as its function decides, each for itself', async () => {
    const policy = rules({})
    expect(policy.ofTool(large)).toBe('ask')
    expect(await policy.ofCall(large, { amount: 10 })).toEqual({ decision: 'allow' })
    // a reason keeps a remembered approval of one call from applying to others
    expect(await policy.ofCall(large, { amount: 11 })).toEqual({
      decision: 'ask',
      reason: 'pay requires approval for this call.',
    })
  })

  it('calls require approval if its function fails or returns anything but false', async () => {
    const failing = pay(() => Promise.reject(new Error('no connection')))
    expect(await rules({}).ofCall(failing, {})).toMatchObject({
      decision: 'ask',
      reason: expect.stringContaining('no connection'),
    })
    const empty = pay(() => undefined as never)
    expect(await rules({}).ofCall(empty, {})).toMatchObject({ decision: 'ask' })
  })

  it.each([
    ['a deny rule', rules({ deny: ['pay'] }), 'deny'],
    ['an ask rule', rules({ ask: ['pay'] }), 'ask'],
    ['an ask rule for the call', rules({ ask: [{ tool: 'pay', argument: 'amount', pattern: '5' }] }), 'ask'],
    [
      'an allow rule for other calls',
      rules({ allow: [{ tool: 'pay', argument: 'amount', pattern: '6' }] }),
      'ask',
    ],
    ['toolPermission always', rules({}, 'always'), 'ask'],
    [
      'requiresApproval of the card',
      createPermission(defineAgent({ name: 'A', instruction: 'x', requiresApproval: ['p*'] })),
      'ask',
    ],
  ] as const)('its function cannot loosen %s', async (_, policy, decision) => {
    expect(
      await policy.ofCall(
        pay(() => false),
        { amount: 5 },
      ),
    ).toMatchObject({ decision })
  })

  it.each([
    ['an allow rule', rules({ allow: ['pay'] })],
    ['toolPermission never', rules({}, 'never')],
  ] as const)('%s allows its calls, whatever its function decides', async (_, policy) => {
    expect(
      await policy.ofCall(
        pay(() => true),
        { amount: 50 },
      ),
    ).toEqual({ decision: 'allow' })
  })
})

describe('additional deny rules', () => {
  const STRICTNESS = ['allow', 'ask', 'deny']
  const word = fc.constantFrom('rm', 'git', 'log', 'sh', '-c', 'a b', '*', 'rm x', '/bin/rm', '&&', '')
  const pattern = fc.constantFrom('rm *', 'git *', '*', 'git log', 'r?', '* x', 'sh *', '/bin/*')
  const rule = fc.oneof(
    fc.constantFrom('shell.execute', 'shell.*', 'other'),
    fc
      .record({
        pattern,
        except: fc.array(pattern, { maxLength: 2 }),
        argument: fc.constantFrom('command', 'cwd'),
      })
      .map((parts): ArgumentRule => ({ tool: 'shell.execute', ...parts })),
  )
  const list = fc.array(rule, { maxLength: 3 })

  it(`additional deny rules never widen what may run ${verifies('R16')}`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ deny: list, ask: list, allow: list }),
        list,
        fc.constantFrom('always', 'tool', 'never'),
        fc.array(word, { minLength: 1, maxLength: 4 }),
        async (written, more, toolPermission, [command = '', ...args]) => {
          const before = rules(written, toolPermission)
          const after = rules({ ...written, deny: [...written.deny, ...more] }, toolPermission)
          const strictness = async (policy: PermissionPolicy): Promise<number> =>
            STRICTNESS.indexOf(await run(policy, command, ...args))
          expect(await strictness(after)).toBeGreaterThanOrEqual(await strictness(before))
        },
      ),
      { numRuns: 2000 },
    )
  })
})
