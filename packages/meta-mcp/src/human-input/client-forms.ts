import {
  CLIENT_CAPABILITIES_META_KEY,
  inputResponse,
  type Server,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server'
import { getOwn, isJsonObject } from '@troupe/schema'
import type { FormAnswer } from './forms.ts'

/**
 * Returns true if the client of a call supports form elicitation. Clients declare it with each request, or in
 * the older protocol when they connect.
 */
export function supportsForms(server: Server, { mcpReq: { envelope } }: ServerContext): boolean {
  const capabilities: unknown =
    envelope === undefined ? server.getClientCapabilities() : getOwn(envelope, CLIENT_CAPABILITIES_META_KEY)
  const elicitation = isJsonObject(capabilities) ? capabilities['elicitation'] : undefined
  if (!isJsonObject(elicitation)) return false
  // an empty capability means forms
  return elicitation['form'] !== undefined || elicitation['url'] === undefined
}

/** Longest delay a timer supports, in ms. */
const LONGEST_ROUND = 2 ** 31 - 1

/**
 * Server options for calls that ask a person. They set no limits, because the run limits the time and the
 * number of questions.
 */
export const INPUT_REQUIRED_OPTIONS: NonNullable<ServerOptions['inputRequired']> = {
  maxRounds: Number.MAX_SAFE_INTEGER,
  roundTimeoutMs: LONGEST_ROUND,
}

/** Returns the responses in a request, by the key of their form. */
export function formAnswers({ mcpReq }: ServerContext): ReadonlyMap<string, FormAnswer> {
  const { inputResponses } = mcpReq
  const answers = new Map<string, FormAnswer>()
  for (const key of Object.keys(inputResponses ?? {})) {
    const response = inputResponse(inputResponses, key)
    if (response.kind !== 'elicit') continue
    const { action, content } = response
    answers.set(key, { action, ...(content === undefined ? {} : { content }) })
  }
  return answers
}
