import type { FakeProvider, FakeProviderOptions, RecordedRequest } from './fake-provider.ts'
import { startFakeServer } from './fake-server.ts'
import { chatReply, checkChatRequest } from './openai-chat.ts'
import { checkResponsesRequest, responsesReply } from './openai-responses.ts'
import { formatServerSentEvent, type ProviderApi, type Refusal } from './provider-api.ts'

/** Options of a fake of Azure OpenAI. */
export interface FakeAzureOptions extends FakeProviderOptions {
  /** The only accepted token of Entra ID. Default: none is accepted. */
  readonly token?: string
}

const CHAT = { check: checkChatRequest, reply: chatReply }
const RESPONSES = { check: checkResponsesRequest, reply: responsesReply }

/**
 * Starts a fake of Azure OpenAI with keys (`api-key`) and tokens of Entra ID: `POST /openai/v1/responses` and
 * `/openai/v1/chat/completions`, and Chat Completions of a deployment, which needs a dated `api-version`.
 */
export function startFakeAzure(options: FakeAzureOptions): Promise<FakeProvider> {
  const providerApi: ProviderApi = {
    basePath: '/openai',
    authorise: (request) => authorise(request, options),
    route,
    errorBody,
    streamError: (refusal) => formatServerSentEvent(errorBody(refusal)),
  }
  return startFakeServer(providerApi, options)
}

function route(path: string): typeof CHAT | undefined {
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  const version = searchParams.get('api-version')
  if (/^\/deployments\/[\w.-]+\/chat\/completions$/u.test(pathname))
    return version !== null && /^\d{4}-\d{2}-\d{2}(?:-preview)?$/u.test(version) ? CHAT : undefined
  if (version !== null && version !== 'v1' && version !== 'preview') return undefined
  if (pathname === '/v1/chat/completions') return CHAT
  return pathname === '/v1/responses' ? RESPONSES : undefined
}

function authorise({ headers }: RecordedRequest, { apiKey, token }: FakeAzureOptions): Refusal | undefined {
  const bearer = /^Bearer (?<token>\S+)$/u.exec(headers['authorization'] ?? '')?.groups?.['token']
  const isKey = headers['api-key'] !== undefined && (apiKey === undefined || headers['api-key'] === apiKey)
  if (isKey || (token !== undefined && bearer === token)) return undefined
  return {
    status: 401,
    code: '401',
    message:
      'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.',
  }
}

function errorBody({ message, code, param, status }: Refusal): object {
  return { error: { code: code ?? String(status), message, param: param ?? null, type: null } }
}
