import {
  isJsonObject,
  type AssistantMessage,
  type Json,
  type JsonObject,
  type Message,
  type ToolMessage,
  type ToolResultOutput,
} from '@troupe/schema'

/** A message as fast-agent's hooks see it. */
export interface FastAgentMessage {
  readonly role: string
  readonly content: readonly Json[]
  readonly tool_calls?: Readonly<Record<string, FastAgentCall>> | null
  readonly tool_results?: Readonly<Record<string, FastAgentResult>> | null
  readonly stop_reason?: string | null
}

interface FastAgentCall {
  readonly method: string
  readonly params: { readonly name: string; readonly arguments: JsonObject }
}

interface FastAgentResult {
  readonly content: readonly Json[]
  readonly isError?: boolean | null
}

type CallInMessage = Extract<AssistantMessage['content'][number], { type: 'tool-call' }>

const SHELL = 'shell_execute'

/** Names of fast-agent's tools by wire name, so that hooks recognise them. */
const NAMES: ReadonlyMap<string, string> = new Map([
  [SHELL, 'execute'],
  ['filesystem_read', 'read_text_file'],
  ['filesystem_write', 'write_text_file'],
])
const WIRE_NAMES: ReadonlyMap<string, string> = new Map([...NAMES].map(([wire, name]) => [name, wire]))

/** Converts a message for a hook of fast-agent. Leaves out reasoning and files. */
export function toFastAgent(message: Message): FastAgentMessage {
  if (message.role === 'system') return { role: 'system', content: textContent([message.content]) }
  if (message.role === 'tool') {
    const results = message.content.flatMap((part) =>
      part.type === 'tool-result' ? [[part.toolCallId, toResult(part.output)] as const] : [],
    )
    return { role: 'user', content: [], tool_results: Object.fromEntries(results) }
  }
  const content = textContent(message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
  if (message.role === 'user') return { role: 'user', content }
  const calls = callPartsOf(message).map((part) => [part.toolCallId, toCall(part)] as const)
  return calls.length === 0
    ? { role: 'assistant', content, stop_reason: 'endTurn' }
    : { role: 'assistant', content, tool_calls: Object.fromEntries(calls), stop_reason: 'toolUse' }
}

function textContent(texts: readonly string[]): readonly Json[] {
  return texts.map((text) => ({ type: 'text', text }))
}

function callPartsOf({ content }: AssistantMessage): readonly CallInMessage[] {
  return content.filter(
    (part): part is CallInMessage => part.type === 'tool-call' && part.providerExecuted !== true,
  )
}

function toCall({ toolName, input }: CallInMessage): FastAgentCall {
  const given = isJsonObject(input) ? input : {}
  const args = toolName === SHELL ? { ...given, command: commandLineOf(given) } : given
  return { method: 'tools/call', params: { name: NAMES.get(toolName) ?? toolName, arguments: args } }
}

/** Returns the whole command as one text for a shell, as fast-agent's tool gets it. */
function commandLineOf({ command = '', args }: JsonObject): Json {
  if (!Array.isArray(args)) return command
  return [command, ...(args as readonly Json[])].map((word) => quote(textIn(word))).join(' ')
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

function toResult(output: ToolResultOutput): FastAgentResult {
  const isError = output.type.startsWith('error')
  if (output.type === 'content') {
    const texts = output.value.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    return { content: textContent(texts), isError }
  }
  const value = 'value' in output ? output.value : ''
  return { content: textContent([typeof value === 'string' ? value : JSON.stringify(value)]), isError }
}

/** Returns the message with the tool calls that a hook changed. A call that it removed is removed here too. */
export function fromCalls(message: AssistantMessage, changed: FastAgentMessage | null): AssistantMessage {
  const calls = changed?.tool_calls ?? {}
  const content = message.content.flatMap((part) => {
    if (part.type !== 'tool-call' || part.providerExecuted === true) return [part]
    const call = Object.hasOwn(calls, part.toolCallId) ? calls[part.toolCallId] : undefined
    return call === undefined ? [] : [fromCall(part, call)]
  })
  const added = Object.entries(calls)
    .filter(([id]) => !callPartsOf(message).some(({ toolCallId }) => toolCallId === id))
    .map(([toolCallId, { params }]): CallInMessage => {
      return { type: 'tool-call', toolCallId, toolName: params.name, input: params.arguments }
    })
  return { ...message, content: [...content, ...added] }
}

function fromCall(part: CallInMessage, { params }: FastAgentCall): CallInMessage {
  const shown = toCall(part).params
  if (JSON.stringify(params) === JSON.stringify(shown)) return part
  const toolName = params.name === shown.name ? part.toolName : (WIRE_NAMES.get(params.name) ?? params.name)
  if (toolName !== SHELL) return { ...part, toolName, input: params.arguments }
  const given = isJsonObject(part.input) ? part.input : {}
  const { args: _, ...input } = params.arguments
  if (part.toolName === SHELL && input['command'] === commandLineOf(given))
    return { ...part, input: { ...params.arguments, command: given['command'] ?? '' } }
  // the hook wrote a whole command line
  return { ...part, toolName, input }
}

/** Returns the message with the tool results that a hook changed. */
export function fromResults(message: ToolMessage, changed: FastAgentMessage | null): ToolMessage {
  const results = changed?.tool_results ?? {}
  const content = message.content.map((part) => {
    if (part.type !== 'tool-result') return part
    const result = Object.hasOwn(results, part.toolCallId) ? results[part.toolCallId] : undefined
    if (result === undefined || isSame(result, toResult(part.output))) return part
    return { ...part, output: fromResult(result) }
  })
  return { ...message, content }
}

function isSame(a: FastAgentResult, b: FastAgentResult): boolean {
  return JSON.stringify([a.content, a.isError === true]) === JSON.stringify([b.content, b.isError === true])
}

function fromResult({ content, isError }: FastAgentResult): ToolResultOutput {
  const value = content.map(textIn).join('\n')
  return isError === true ? { type: 'error-text', value } : { type: 'text', value }
}

function textIn(part: Json): string {
  const text = isJsonObject(part) ? part['text'] : part
  return typeof text === 'string' ? text : JSON.stringify(part)
}

/** Returns the messages in place of those that a hook got, or `undefined` if it changed nothing. */
export function fromDelta(
  sent: readonly Message[],
  answer: readonly FastAgentMessage[],
): readonly Message[] | undefined {
  const known = sent.map(toFastAgent)
  if (answer.length === sent.length && answer.every((message, index) => isSameText(message, known[index])))
    return undefined
  return answer.map((message, index) => {
    const original = sent[index]
    if (original !== undefined && isSameText(message, known[index])) return original
    if (original?.role === 'tool') return fromResults(original, message)
    const content = [{ type: 'text', text: message.content.map(textIn).join('\n') }] as const
    return message.role === 'assistant'
      ? { role: 'assistant', content: [...content] }
      : { role: 'user', content: [...content] }
  })
}

function isSameText(a: FastAgentMessage, b: FastAgentMessage | undefined): boolean {
  return (
    JSON.stringify([a.content, a.tool_results ?? null]) ===
    JSON.stringify([b?.content, b?.tool_results ?? null])
  )
}
