import { failure, type Failure, type JsonObject } from '@troupe/schema'
import { fillPromptTemplate } from '@troupe/tools/prompt-template'
import type { ExportedTool } from './exported-tool.ts'

/** Default limit for the characters of a prompt. */
const MAX_PROMPT_CHARS = 4 * 1024 * 1024

/** Fills the prompt with valid arguments. Returns a failure if it is too long. */
export function toPrompt(
  { template, subject, wireName, limits }: ExportedTool,
  args: JsonObject,
): string | Failure {
  const prompt = fillPromptTemplate(template, { subject, args, mode: 'run' })
  const { maxPrompt = MAX_PROMPT_CHARS } = limits
  if (prompt.length <= maxPrompt) return prompt
  return failure(
    'prompt_too_large',
    `${wireName}: the prompt would have ${prompt.length} characters; ${maxPrompt} is the most.`,
  )
}
