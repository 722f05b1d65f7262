import type { IncomingMessage, ServerResponse } from 'node:http'
import { isJsonObject, type JsonObject } from '@troupe/schema'

/** Answers as the smallest MCP server over HTTP: one tool that returns the number of mails. `description` returns the description of the tool. */
export function answerMail(description: () => string) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const message: unknown = text === '' ? {} : JSON.parse(text)
    if (!isJsonObject(message) || message['id'] === undefined) return void response.writeHead(202).end()
    const answer = { jsonrpc: '2.0', id: message['id'], ...resultOf(message, description()) }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }
}

function resultOf({ method, params }: JsonObject, description: string): JsonObject {
  if (method === 'initialize' && isJsonObject(params)) {
    const { protocolVersion = '' } = params
    const serverInfo = { name: 'mail', version: '1' }
    return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo } }
  }
  if (method === 'tools/list')
    return { result: { tools: [{ name: 'count', description, inputSchema: { type: 'object' } }] } }
  if (method === 'tools/call') return { result: { content: [{ type: 'text', text: 'seven mails' }] } }
  return { error: { code: -32_601, message: 'no such method' } }
}
