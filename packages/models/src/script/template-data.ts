import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Json, ToolResultOutput } from '@troupe/schema'
import { lastUserText } from '../embedded/last-user-text.ts'
import type { TemplateData, TemplateResult } from './template.ts'

/**
 * Returns the placeholder data of a prompt. Results are those since the last answer of the model, in order.
 */
export function templateData(prompt: LanguageModelV4Prompt): TemplateData {
  const results: TemplateResult[] = []
  const start = prompt.findLastIndex((message) => message.role === 'assistant') + 1
  for (const message of prompt.slice(start)) {
    if (message.role !== 'tool') continue
    for (const part of message.content) if (part.type === 'tool-result') results.push(toResult(part.output))
  }
  return { input: lastUserText(prompt), results }
}

function toResult(output: ToolResultOutput): TemplateResult {
  switch (output.type) {
    case 'json':
    case 'error-json':
      return { text: JSON.stringify(output.value), json: output.value as Json }
    case 'text':
    case 'error-text':
      return fromText(output.value)
    case 'content':
      return fromText(output.value.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'))
    case 'execution-denied':
      return fromText(output.reason ?? '')
    default:
      return fromText('')
  }
}

/** Parses the text as JSON only if a placeholder uses it. */
function fromText(text: string): TemplateResult {
  return {
    text,
    get json() {
      return parseJson(text)
    },
  }
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    // plain text has no members; a placeholder that needs one reports the problem
    return undefined
  }
}
