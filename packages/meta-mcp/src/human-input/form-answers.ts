import { inputResponse, type ServerContext } from '@modelcontextprotocol/server'
import type { FormAnswer } from './form.ts'

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
