import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { badRequest, firstRefusal, objects, textOf, unknownField, type Refusal } from './provider-api.ts'
import type { FakeProviderOptions } from './fake-provider.ts'
import { checkAnswerSchema, checkFunction, checkToolCount, checkToolName } from './openai-tools.ts'

const FIELDS = new Set(
  `background conversation include input instructions max_output_tokens max_tool_calls metadata model
  parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_retention reasoning safety_identifier
  service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user`.split(
    /\s+/u,
  ),
)

/** Validates a request like the Responses API. Returns `undefined` if it is valid. */
export function checkResponsesRequest(body: JsonObject, options: FakeProviderOptions): Refusal | undefined {
  const unknown = unknownField(body, FIELDS, options)
  if (unknown !== undefined) {
    return badRequest(`Unknown parameter: '${unknown}'.`, { code: 'unknown_parameter', param: unknown })
  }
  const { input, model } = body
  if (typeof model !== 'string' || model === '') return badRequest("Missing required parameter: 'model'.")
  if (input === undefined || (Array.isArray(input) && input.length === 0))
    return badRequest("Missing required parameter: 'input'.")
  return firstRefusal([
    () => checkToolCount(body['tools']),
    () =>
      firstRefusal(
        objects(body['tools'])
          .filter((tool) => tool['type'] === 'function')
          .map((tool, index) => () => checkFunction(tool, `tools[${index}]`)),
      ),
    () => checkItems(objects(input)),
    () => checkText(body['text']),
  ])
}

function checkText(text: Json | undefined): Refusal | undefined {
  const format = isJsonObject(text) ? text['format'] : undefined
  return isJsonObject(format) && format['type'] === 'json_schema' ? checkAnswerSchema(format) : undefined
}

/** Checks that every output answers a preceding call, and that every call is answered. */
function checkItems(items: readonly JsonObject[]): Refusal | undefined {
  const open = new Set<unknown>()
  for (const [index, item] of items.entries()) {
    if (item['type'] === 'function_call') {
      open.add(item['call_id'])
      const name = checkToolName(item['name'], `input[${index}].name`)
      if (name !== undefined) return name
    }
    if (item['type'] === 'function_call_output' && !open.delete(item['call_id'])) {
      return badRequest(
        `No tool call found for function call output with call_id ${textOf(item['call_id'])}.`,
        { param: 'input' },
      )
    }
  }
  if (open.size === 0) return undefined
  return badRequest(`No tool output found for function call ${[...open].join(', ')}.`, { param: 'input' })
}
