import { checkGenerateRequest, generateReply, googleError } from './google.ts'
import type { FakeProvider, FakeProviderOptions, RecordedRequest } from './fake-provider.ts'
import { startFakeServer } from './fake-server.ts'
import { formatServerSentEvent, type ProviderApi, type Refusal } from './provider-api.ts'

/** Options of a fake of Vertex AI. */
export interface FakeVertexOptions extends Omit<FakeProviderOptions, 'apiKey'> {
  /** The only accepted access token. Default: any token. */
  readonly token?: string
  /** The project in the addresses of requests. */
  readonly project: string
  /** The location in the addresses of requests. */
  readonly location: string
}

const METHOD = /^\/[^/:?]+:(?:stream)?[gG]enerateContent(?:\?|$)/u

/**
 * Starts a fake of Gemini on Vertex AI, which authenticates by access tokens and has project and location in
 * its paths: `POST /v1beta1/projects/P/locations/L/publishers/google/models/NAME:generateContent`.
 */
export function startFakeVertex(options: FakeVertexOptions): Promise<FakeProvider> {
  const { project, location } = options
  const providerApi: ProviderApi = {
    basePath: `/v1beta1/projects/${project}/locations/${location}/publishers/google`,
    authorise: (request) => authorise(request, options),
    route: (path) =>
      path.startsWith('/models/') && METHOD.test(path.slice('/models'.length))
        ? { check: checkGenerateRequest, reply: generateReply }
        : undefined,
    errorBody: googleError,
    streamError: (refusal) => formatServerSentEvent(googleError(refusal)),
  }
  return startFakeServer(providerApi, options)
}

function authorise({ headers }: RecordedRequest, { token }: FakeVertexOptions): Refusal | undefined {
  const sent = /^Bearer (?<token>\S+)$/u.exec(headers['authorization'] ?? '')?.groups?.['token']
  if (sent !== undefined && (token === undefined || sent === token)) return undefined
  return {
    status: 401,
    message:
      'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
  }
}
