/** One answer of a scripted model: text in one piece, text in tokens, or calls of one tool, one for each input. */
export type Answer =
  | { readonly text: string }
  | { readonly tokens: readonly string[] }
  | { readonly tool: string; readonly inputs: readonly string[] }

/** The parts of a model request that a script looks at. */
export interface ScriptRequest {
  /** Number of messages or items of the request. */
  readonly messages: number
  /** True if the request ends with the result of a tool. */
  readonly isAfterTool: boolean
}

/** The content of a scripted model. Every framework wraps it in its own model interface. */
export interface Script {
  /** Number of requests so far. */
  readonly requests: number
  /** Number of messages of the latest request. */
  readonly messages: number
  answer(request: ScriptRequest): Answer | Promise<Answer>
}

/** Token counts that every scripted answer reports. */
export const USAGE = { input: 10, output: 5 } as const

/** Instruction, input and tools are the same for all frameworks. */
export const INSTRUCTION = 'Answer briefly.'
export const INPUT = 'hello'
/** Name of the tool that takes `{ n: number }` and returns `ok`. */
export const TOOL = 'noop'
/** Name of the tool of the MCP server that returns the number of calls of {@link TOOL}. */
export const COUNT_TOOL = 'count'
/** Final text of every scripted run. */
export const FINAL_TEXT = 'done'

let callIds = 0

/** Returns a tool call id that is unique in this process. */
export function newCallId(): string {
  return `call-${(callIds += 1)}`
}

/** Calls the tool once per turn for `turns` turns, then ends and starts again. For one run at a time. */
export function loopScript(turns: number): Script {
  return createScript((request) =>
    request % (turns + 1) === 0 ? { text: FINAL_TEXT } : { tool: TOOL, inputs: [`{"n":${request}}`] },
  )
}

/** Calls `tool` `count` times in one turn, then ends. For one run at a time. */
export function parentScript(tool: string, count: number): Script {
  const inputs = Array.from({ length: count }, (_, index) => `{"text":"task ${index}"}`)
  return createScript((request) => (request % 2 === 0 ? { text: FINAL_TEXT } : { tool, inputs }))
}

/** Ends after `latencyMs`, without a timer if it is 0. */
export function childScript(latencyMs: number): Script {
  if (latencyMs === 0) return createScript(() => ({ text: FINAL_TEXT }))
  return createScript(async () => {
    await new Promise((resolve) => setTimeout(resolve, latencyMs))
    return { text: FINAL_TEXT }
  })
}

/** Streams `count` tokens. */
export function tokenScript(count: number): Script {
  const tokens = tokensOf(count)
  return createScript(() => ({ tokens }))
}

/** Calls the tool once, then streams `count` tokens. For many runs at once. */
export function callThenTokensScript(count: number): Script {
  const tokens = tokensOf(count)
  return createScript((_, { isAfterTool }) =>
    isAfterTool ? { tokens } : { tool: TOOL, inputs: ['{"n":1}'] },
  )
}

/** Returns the tokens that token scripts and the model server stream. */
export function tokensOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `t${index} `)
}

function createScript(answer: (request: number, details: ScriptRequest) => Answer | Promise<Answer>): Script {
  let requests = 0
  let messages = 0
  return {
    get requests() {
      return requests
    },
    get messages() {
      return messages
    },
    answer(details) {
      requests += 1
      messages = details.messages
      return answer(requests, details)
    },
  }
}
