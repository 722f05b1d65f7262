import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Folder in which the clients are installed from npm. */
const FOLDER = process.env['CODING_CLIENTS'] ?? ''

/** A coding client, and how it edits a file with its own tools. */
export interface CodingClient {
  readonly name: string
  /** Package that is installed in the folder. */
  readonly package: string
  /** Tool calls of the model, by step: two files at once, then a change in the first. */
  calls(folder: string): readonly (readonly ToolCall[])[]
  /** Files that configure it, by path. */
  files?(url: string): Readonly<Record<string, string>>
  /** Arguments of `node_modules/.bin/<command>`, or of Node if there is a `program`. */
  readonly command: readonly [string, ...(readonly string[])]
  /** Variables besides `PATH` and `HOME`. */
  env?(url: string): Readonly<Record<string, string>>
}

interface ToolCall {
  readonly tool: string
  readonly args: Readonly<Record<string, string>>
}

const TASK = 'Write two files.'

const claudeCode: CodingClient = {
  name: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  calls: (folder) => [
    [
      { tool: 'Write', args: { file_path: `${folder}/a.txt`, content: 'one' } },
      { tool: 'Write', args: { file_path: `${folder}/b.txt`, content: 'two' } },
    ],
    [{ tool: 'Read', args: { file_path: `${folder}/a.txt` } }],
    [{ tool: 'Edit', args: { file_path: `${folder}/a.txt`, old_string: 'one', new_string: 'three' } }],
  ],
  command: [
    'claude',
    '-p',
    TASK,
    '--model=coder',
    '--permission-mode=acceptEdits',
    '--allowedTools=Write,Edit,Read',
  ],
  env: (url) => ({
    ANTHROPIC_BASE_URL: `${url}/anthropic`,
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
  }),
}

const codex: CodingClient = {
  name: 'Codex',
  package: '@openai/codex',
  calls: () => [
    [
      { tool: 'exec_command', args: { cmd: 'printf one > a.txt' } },
      { tool: 'exec_command', args: { cmd: 'printf two > b.txt' } },
    ],
    [{ tool: 'exec_command', args: { cmd: 'sed -i s/one/three/ a.txt' } }],
  ],
  files: (url) => ({
    '.codex/config.toml': `model = "coder"
model_provider = "troupe"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.troupe]
name = "Troupe"
base_url = "${url}/openai/v1"
wire_api = "responses"
`,
  }),
  command: ['codex', 'exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', TASK],
}

const opencode: CodingClient = {
  name: 'opencode',
  package: 'opencode-ai',
  calls: (folder) => [
    [
      { tool: 'write', args: { filePath: `${folder}/a.txt`, content: 'one' } },
      { tool: 'write', args: { filePath: `${folder}/b.txt`, content: 'two' } },
    ],
    [{ tool: 'edit', args: { filePath: `${folder}/a.txt`, oldString: 'one', newString: 'three' } }],
  ],
  files: (url) => ({
    'work/opencode.json': JSON.stringify({
      autoupdate: false,
      share: 'disabled',
      model: 'troupe/coder',
      small_model: 'troupe/namer',
      provider: {
        troupe: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${url}/openai/v1`, apiKey: 'none' },
          models: { coder: {}, namer: {} },
        },
      },
      permission: { edit: 'allow' },
    }),
  }),
  command: ['opencode', 'run', TASK],
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
  }),
}

const AGENTS_PROGRAM = `
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, run, setDefaultOpenAIClient, setOpenAIAPI, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'

const [url, api, folder] = process.argv.slice(1)
setTracingDisabled(true)
setOpenAIAPI(api)
setDefaultOpenAIClient(new OpenAI({ baseURL: url + '/openai/v1', apiKey: 'none' }))
const text = (names) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
  additionalProperties: false,
})
const write = tool({
  name: 'write',
  description: 'Writes a file.',
  parameters: text(['path', 'content']),
  execute: async ({ path, content }) => {
    writeFileSync(folder + '/' + path, content)
    return 'Written.'
  },
})
const edit = tool({
  name: 'edit',
  description: 'Replaces text in a file.',
  parameters: text(['path', 'from', 'to']),
  execute: async ({ path, from, to }) => {
    const file = folder + '/' + path
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
    return 'Edited.'
  },
})
const agent = new Agent({ name: 'Local', instructions: 'Use your tools.', model: 'coder', tools: [write, edit] })
console.log((await run(agent, ${JSON.stringify(TASK)})).finalOutput)
`

function openaiAgents(api: 'chat_completions' | 'responses'): CodingClient {
  return {
    name: `@openai/agents (${api})`,
    package: '@openai/agents',
    calls: () => [
      [
        { tool: 'write', args: { path: 'a.txt', content: 'one' } },
        { tool: 'write', args: { path: 'b.txt', content: 'two' } },
      ],
      [{ tool: 'edit', args: { path: 'a.txt', from: 'one', to: 'three' } }],
    ],
    command: [process.execPath, '--input-type=module', '--eval', AGENTS_PROGRAM, '$URL', api, '$WORK'],
  }
}

export const CODING_CLIENTS: readonly CodingClient[] = [
  claudeCode,
  codex,
  opencode,
  openaiAgents('chat_completions'),
  openaiAgents('responses'),
]

/** Returns the end of the title of a test that needs a client; empty if the client is installed. */
export function missingNote(client: CodingClient): string {
  if (FOLDER === '') return ' – NOT RUN: CODING_CLIENTS does not name a folder with coding clients'
  if (existsSync(join(FOLDER, 'node_modules', client.package))) return ''
  return ` – NOT RUN: ${client.package} is not installed in CODING_CLIENTS`
}

/** Lets a client work on its task in a folder, with the agent `coder` of a server as its model. Returns its output. */
export async function runCodingClient(
  { command, env }: CodingClient,
  { url, home, work }: { readonly url: string; readonly home: string; readonly work: string },
): Promise<string> {
  const [program, ...rest] = command
  const isNode = program === process.execPath
  const args = rest.map((arg) => ({ $URL: url, $WORK: work })[arg] ?? arg)
  const running = promisify(execFile)(isNode ? program : join(FOLDER, 'node_modules/.bin', program), args, {
    // Node resolves the packages from here
    cwd: isNode ? FOLDER : work,
    env: { PATH: process.env['PATH'], HOME: home, ...env?.(url) },
  })
  running.child.stdin?.end()
  const { stdout, stderr } = await running
  return stdout + stderr
}
