import { setTimeout as wait } from 'node:timers/promises'
import { CHILD, FAULT_RUN, type FaultyTeam } from './faults.ts'

interface Call {
  readonly id: string
  readonly function: { readonly name: string; arguments: string }
}
type Message = { readonly role: string; readonly content: string | null; readonly [key: string]: unknown }

/** Sends one request, and again after `Retry-After` or an exponential backoff with full jitter, as most clients do. */
async function send(url: string, body: object): Promise<string> {
  const { maxRetries, idleTimeoutMs } = FAULT_RUN
  for (let attempt = 0; ; attempt += 1) {
    const silence = new AbortController()
    const timer = setTimeout(() => silence.abort(), idleTimeoutMs)
    let waitMs = Math.random() * Math.min(BACKOFF.largestMs, BACKOFF.firstMs * 2 ** attempt)
    try {
      const headers = { 'content-type': 'application/json', authorization: 'Bearer key-of-the-bench' }
      const request = { method: 'POST', headers, body: JSON.stringify(body), signal: silence.signal }
      const response = await fetch(url, request)
      let text = ''
      for await (const piece of response.body ?? []) {
        text += Buffer.from(piece).toString()
        timer.refresh()
      }
      if (response.ok && text.includes('[DONE]')) return text
      waitMs = Number(response.headers.get('retry-after') ?? 0) * 1000 || waitMs
    } catch {
      // the connection was cut or silent, so retry as after an error status
    } finally {
      clearTimeout(timer)
    }
    if (attempt >= maxRetries) throw new Error(`The model failed ${attempt + 1} times.`)
    await wait(waitMs)
  }
}

const BACKOFF = { firstMs: 1000, largestMs: 8000 }

/** Opens the team without a framework, on `fetch` and a retry loop for each request. */
export function openPlainTeam(baseURL: string): FaultyTeam {
  const url = `${baseURL}/chat/completions`
  const complete = async (messages: readonly Message[], tools?: readonly object[]): Promise<Message> => {
    const body = { model: 'gpt-5-mini', stream: true, messages, ...(tools && { tools }) }
    return joinChunks(await send(url, body))
  }
  const child = async (text: string): Promise<string> => {
    const { content } = await complete([
      { role: 'system', content: 'Do the part.' },
      { role: 'user', content: text },
    ])
    return content ?? ''
  }
  return {
    run: async (input) => {
      const messages: Message[] = [
        { role: 'system', content: 'Ask a clerk for each part.' },
        { role: 'user', content: input },
      ]
      const answer = await complete(messages, [TOOL])
      messages.push(answer)
      const results = (answer['tool_calls'] as readonly Call[]).map(async ({ id, function: called }) => {
        const { text } = JSON.parse(called.arguments) as { readonly text: string }
        const content = await child(text).catch(() => 'Error: the clerk failed.')
        return { role: 'tool', tool_call_id: id, content }
      })
      messages.push(...(await Promise.all(results)))
      return (await complete(messages, [TOOL])).content ?? ''
    },
    close: () => Promise.resolve(),
  }
}

const TOOL = {
  type: 'function',
  function: {
    name: CHILD,
    description: 'Does a part.',
    parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
}

interface Delta {
  readonly content?: string | null
  readonly tool_calls?: readonly (Partial<Call> & { readonly index: number })[]
}

function joinChunks(text: string): Message {
  let content = ''
  const calls: Call[] = []
  for (const line of text.split('\n')) {
    if (!line.startsWith('data: {')) continue
    const chunk = JSON.parse(line.slice('data: '.length)) as {
      readonly choices: readonly { readonly delta: Delta }[]
    }
    const delta = chunk.choices[0]?.delta
    content += delta?.content ?? ''
    for (const part of delta?.tool_calls ?? []) {
      const known = calls[part.index]
      if (known === undefined) calls[part.index] = structuredClone(part) as unknown as Call
      else known.function.arguments += part.function?.arguments ?? ''
    }
  }
  return { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) }
}
