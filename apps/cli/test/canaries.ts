import { startFakeOpenAI, type FakeAnswer, type FakeProvider, type RecordedRequest } from '@troupe/testkit'

/** Secrets by name, with the source of each. Those with spaces arrive in several deltas. */
export const CANARIES = {
  shell: {
    OPENAI_API_KEY: 'sk-canary-01-shell-0123456789',
    GITHUB_TOKEN: 'ghp_canary02shell0123456789',
    DB_PASSWORD: 'canary 03 with spaces in it',
    DATABASE: 'postgres://app:canary-04-password@db.example.com/app',
    AWS_SECRET_ACCESS_KEY: 'canary05/shell+0123456789=',
    HOOK: 'https://hooks.example.com/in?token=canary-06-query-token',
    QUOTED_SECRET: 'canary "07" back\\slash',
  },
  override: { OVERRIDE_TOKEN: 'canary-08-override', SPACED_SECRET: 'canary 09 correct horse battery' },
  envFile: { FILE_API_KEY: 'canary-10-env-file', FILE_SESSION_COOKIE: 'canary-11-cookie' },
  sidecar: {
    SIDE_KEY: 'canary-12-sidecar',
    OPENAI_API_KEY: 'canary-13-shadowing-key',
    PLAIN: 'canary-14-in-a-header',
  },
  oldSidecar: { OLD_TOKEN: 'canary-15-ai-agent-env', UNICODE_SECRET: 'canary-16-ünïcödé-ключ' },
  childSidecar: { CHILD_SECRET: 'canary-17-child-sidecar' },
  config: {
    header: 'canary-18-literal-header',
    argument: 'canary-19-literal-argument',
    serverEnv: 'canary-20-literal-env',
  },
} as const

/** Returns every canary in every form in which it may be printed. */
export function canaryForms(): readonly string[] {
  const values: readonly string[] = Object.values(CANARIES).flatMap((source) => Object.values(source))
  return values.flatMap((value) => {
    const marked = value.startsWith('postgres')
      ? 'canary-04-password'
      : value.startsWith('https')
        ? 'canary-06-query-token'
        : value
    return [
      marked,
      JSON.stringify(marked).slice(1, -1),
      encodeURIComponent(marked),
      Buffer.from(marked).toString('base64'),
      Buffer.from(marked).toString('base64url'),
      Buffer.from(`user:${marked}`).toString('base64').slice(8, -4),
    ]
  })
}

/** Returns a team whose card, child, servers and functions repeat every secret they can read, with a sidecar file for each. */
export function canaryTeam(baseURL: string): Readonly<Record<string, string>> {
  const { config, sidecar, oldSidecar, childSidecar, envFile } = CANARIES
  const pass = Object.fromEntries(
    Object.keys({ ...CANARIES.shell, ...CANARIES.override, ...envFile, ...sidecar, ...oldSidecar }).map(
      (name) => [name, `\${${name}}`],
    ),
  )
  const server = (mode: string): unknown => ({
    command: 'node',
    args: ['server.mjs', mode, '--token', config.argument],
    env: { ...pass, SERVER_SECRET: config.serverEnv, X: 'Bearer ${PLAIN}' },
  })
  return {
    'team/lead.md': card(
      'lead',
      'default: true\nagents: [./deep/worker.md]\nservers: [echo]\nfunctionTools: [tools.mjs:leak]\nenv: [SIDE_KEY, OLD_TOKEN]',
    ),
    'team/deep/worker.md': card('worker', 'env: [CHILD_SECRET]'),
    'team/dying/broken.md': card('broken', 'servers: [dying]'),
    'team/troupe.env': toEnvFile(sidecar),
    'team/.ai-agent.env': toEnvFile(oldSidecar),
    'team/deep/troupe.env': toEnvFile(childSidecar),
    'extra.env': toEnvFile(envFile),
    'troupe.json': JSON.stringify({
      providers: {
        openai: {
          baseURL,
          api: 'chat',
          headers: { authorization: 'Bearer ${PLAIN}', 'x-secret': config.header },
        },
      },
      mcpServers: { echo: server('echo'), dying: server('dying') },
    }),
    'server.mjs': SERVER,
    'team/tools.mjs': FUNCTION,
  }
}

/** The options that pass the command its own secrets. */
export const CANARY_OPTIONS: readonly string[] = [
  ...Object.entries(CANARIES.override).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
  '--env-file',
  'extra.env',
]

/** Starts a provider whose model repeats every secret in its answers, calls and messages. For a message with `fail` it returns an error that echoes them. */
export function startCanaryProvider(): Promise<FakeProvider> {
  const known = Object.values(CANARIES).flatMap((source) => Object.values(source))
  const all = known.join(' and ')
  return startFakeOpenAI({
    answers: (request): FakeAnswer => {
      const heard = JSON.stringify(request.body)
      if (heard.includes('please fail'))
        return { status: 401, message: `Incorrect key: ${heardKeys(request)} ${all}` }
      if (heard.includes('You are worker')) return { text: `The worker received ${all}.` }
      if (heard.includes('"role":"tool"'))
        return { text: `So ${all} it is: ${Buffer.from(all).toString('base64')}` }
      return {
        text: `I shall repeat ${all}, and ${encodeURIComponent(all)}.`,
        calls: [
          { name: 'echo__env', args: { [all]: all } },
          { name: 'leak', args: { all } },
          { name: 'agent__worker', args: { text: all } },
          { name: `no_such_${known[0]}`, args: `{broken ${all}` },
        ],
      }
    },
  })
}

function heardKeys({ headers }: RecordedRequest): string {
  return `${headers['authorization'] ?? ''} ${headers['x-secret'] ?? ''}`
}

function card(name: string, fields: string): string {
  return `---\nname: ${name}\ndescription: Repeats things.\nmodel: openai/gpt-5-mini\n${fields}\n---\nYou are ${name}.\n`
}

function toEnvFile(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}\n`)
    .join('')
}

/** A server that prints its whole environment and its arguments in several encodings: to stderr, in its list of tools and in results. */
const SERVER = `
import { createInterface } from 'node:readline'
const all = [...Object.values(process.env), ...process.argv].join('\\n')
process.stderr.write(all + '\\n' + Buffer.from(all).toString('base64') + '\\n')
console.log('junk on stdout: ' + process.env.GITHUB_TOKEN)
if (process.argv.includes('dying')) process.exit(3)
const tools = [{ name: 'env', description: 'Env of ' + all, inputSchema: { type: 'object' } }]
const text = [all, encodeURIComponent(all), Buffer.from(all).toString('base64'), JSON.stringify(process.env)].join('\\n')
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1' } }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ arguments: args }) => args.fail
    ? { isError: true, content: [{ type: 'text', text }] }
    : { content: [{ type: 'text', text }], structuredContent: { env: process.env } },
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const answer = Object.hasOwn(answers, method) ? { result: answers[method](params) } : { error: { code: -32601, message: 'no ' + all } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n')
})
`

/** A function that prints its argument and throws it. */
const FUNCTION = `
export function leak({ all }) {
  console.log('the function prints ' + all)
  console.error(process.env.GITHUB_TOKEN)
  throw new Error('the function throws ' + all)
}
leak.description = 'Leaks.'
`
