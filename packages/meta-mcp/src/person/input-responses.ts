import { inputResponse, type ServerContext } from '@modelcontextprotocol/server'
import type { FormAnswer } from './form.ts'

/** The answers of a person that a request brings, by the keys they were asked for under. */
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
