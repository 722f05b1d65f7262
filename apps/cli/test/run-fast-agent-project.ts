import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { startFakeOpenAI, type FakeAnswer, type RecordedRequest } from '@troupe/testkit'
import { onTestFinished } from 'vitest'
import { project, troupeIn, type Ended } from './team.ts'

/** The only key that the provider accepts. */
export const KEY = 'sk-of-the-secrets-file'

/** Answers of an agent by turn, by a text of its prompt. */
type Answers = Readonly<Record<string, readonly FakeAnswer[]>>

interface ProjectRun extends Ended {
  /** Messages of each request, by the text of the prompt. */
  readonly requestsOf: (prompt: string) => readonly string[]
  /** Bodies of all requests in order. */
  readonly bodies: readonly JsonObject[]
  readonly folder: string
}

/** Writes a project of fast-agent, runs its cards against a provider over HTTP, and returns what happened. */
export async function runProject(
  cards: Readonly<Record<string, string>>,
  {
    answers,
    config = [],
    files = {},
    options = [],
    provider: settings = (baseURL) => ({
      'fast-agent.yaml': `generic: {base_url: "${baseURL}"}`,
      'fast-agent.secrets.yaml': `generic: {api_key: "${KEY}"}\n`,
    }),
    env = () => ({}),
  }: {
    readonly answers: Answers
    readonly config?: readonly string[]
    readonly files?: Readonly<Record<string, string>>
    readonly options?: readonly string[]
    /** Settings of the provider by file. */
    readonly provider?: (baseURL: string) => Readonly<Record<string, string>>
    readonly env?: (baseURL: string) => Readonly<Record<string, string>>
  },
): Promise<ProjectRun> {
  const turns = new Map<string, number>()
  const provider = await startFakeOpenAI({
    apiKey: KEY,
    answers: (request) => {
      const [prompt, list] = Object.entries(answers).find(([text]) => promptOf(request).includes(text)) ?? []
      const turn = turns.get(prompt ?? '') ?? 0
      turns.set(prompt ?? '', turn + 1)
      return list?.[turn] ?? { status: 400, message: `No answer ${turn} for: ${promptOf(request)}` }
    },
  })
  onTestFinished(() => provider.close())
  const { 'fast-agent.yaml': section = '', ...others } = settings(provider.baseURL)
  const { path } = await project({
    'fast-agent.yaml': [
      'default_model: $team.main',
      'model_references: {team: {main: generic.house-model}}',
      section,
      ...config,
      'logger: {progress_display: false}',
      '',
    ].join('\n'),
    ...others,
    ...Object.fromEntries(
      Object.entries(cards).map(([name, text]) => [`.fast-agent/agent-cards/${name}`, text]),
    ),
    ...files,
  })
  const ended = await troupeIn(
    path,
    ['run', '.fast-agent/agent-cards', 'Plan a picnic.', '--no-store', ...options],
    { PICNIC_PLACE: 'the lake', ...env(provider.baseURL) },
  )
  const { requests } = provider
  return {
    ...ended,
    folder: path,
    bodies: requests.map(({ body }) => (isJsonObject(body) ? body : {})),
    requestsOf: (prompt) =>
      requests.filter((request) => promptOf(request).includes(prompt)).map((request) => inputOf(request)),
  }
}

function messagesOf({ body }: Pick<RecordedRequest, 'body'>): readonly JsonObject[] {
  const messages = isJsonObject(body) ? body['messages'] : undefined
  return Array.isArray(messages) ? (messages as readonly Json[]).filter(isJsonObject) : []
}

/** Returns the text of the system messages. */
export function promptOf(request: Pick<RecordedRequest, 'body'>): string {
  const system = messagesOf(request).filter(({ role }) => role === 'system' || role === 'developer')
  return system.map(({ content }) => textOf(content)).join('\n')
}

/** Returns the text of all other messages. */
function inputOf(request: RecordedRequest): string {
  const others = messagesOf(request).filter(({ role }) => role !== 'system' && role !== 'developer')
  return others.map(({ content }) => textOf(content)).join('\n')
}

function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content
  const parts = Array.isArray(content) ? (content as readonly Json[]).filter(isJsonObject) : []
  return parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('')
}

/** Returns the names of the tools in a request. */
export function toolsOf({ tools }: JsonObject = {}): readonly unknown[] {
  const list = Array.isArray(tools) ? (tools as readonly Json[]).filter(isJsonObject) : []
  return list.map(({ function: tool }) => (isJsonObject(tool) ? tool['name'] : undefined))
}
