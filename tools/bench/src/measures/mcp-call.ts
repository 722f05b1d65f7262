import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { cpuPerCall } from '../cpu.ts'
import type { Measure } from '../sample-options.ts'
import { COUNT_TOOL, FINAL_TEXT, INPUT, INSTRUCTION, parentScript, TOOL } from '../script.ts'

/** A client of the MCP server of the bench. */
interface ToolClient {
  /** Calls the tool `count` times at once. */
  call(count: number): Promise<void>
  /** Calls {@link COUNT_TOOL} and returns its text. */
  count(): Promise<string>
  close(): Promise<void>
}

const SERVER = 'bench'
const STDIO = {
  command: process.execPath,
  args: ['--conditions=@troupe/source', fileURLToPath(new URL('../servers/tool-server.ts', import.meta.url))],
}

/** Returns the CPU µs of the client per call of an MCP tool, `size` calls at once. The server is another process. */
export const measure: Measure = async ({ subject, size: calls, budgetMs }) => {
  const client = await openClient(subject, calls)
  let batches = 0
  try {
    const cpu = await cpuPerCall(async () => {
      await client.call(calls)
      batches += 1
    }, budgetMs)
    assert.equal(await client.count(), String(batches * calls), 'calls that arrived')
    return cpu / calls
  } finally {
    await client.close()
  }
}

function openClient(subject: string, calls: number): Promise<ToolClient> {
  if (subject === 'troupe') return openTroupe(calls)
  if (subject === 'openai-agents') return openOpenaiAgents(calls)
  return openSdk()
}

/** Opens the client of the official SDK, as its documentation shows it. */
async function openSdk(): Promise<ToolClient> {
  const { Client } = await import('@modelcontextprotocol/client')
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
  // the newest protocol, which Troupe also uses
  const options = { versionNegotiation: { mode: 'auto' } } as const
  const client = new Client({ name: 'bench', version: '1.0.0' }, options)
  await client.connect(new StdioClientTransport(STDIO))
  await client.listTools()
  const callTool = async (name: string): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: {} })
    return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  }
  return {
    async call(count) {
      const results = await Promise.all(Array.from({ length: count }, () => callTool(TOOL)))
      assert.ok(results.every((text) => text === 'ok'))
    },
    count: () => callTool(COUNT_TOOL),
    close: () => client.close(),
  }
}

/** Opens a host with an agent that makes all calls in one turn. */
async function openTroupe(calls: number): Promise<ToolClient> {
  const { createHost } = await import('@troupe/host')
  const { defineAgent } = await import('@troupe/schema')
  const { scriptedModel } = await import('../frameworks/scripted-model.ts')
  const { modelId } = await import('../frameworks/troupe.ts')
  const agent = defineAgent({
    name: 'lead',
    instruction: INSTRUCTION,
    model: modelId(0),
    servers: [SERVER],
    limits: { maxToolCallsPerTurn: calls, maxParallel: calls },
  })
  const host = await createHost({
    cards: [agent],
    config: { mcpServers: { [SERVER]: { ...STDIO, maxParallel: calls } } },
    cwd: import.meta.dirname,
    env: process.env,
    models: { [modelId(0)]: scriptedModel(parentScript(`${SERVER}__${TOOL}`, calls)) },
  })
  return {
    async call() {
      const { output, error } = await host.run('lead', INPUT)
      assert.equal(output.text, FINAL_TEXT, error?.message)
    },
    async count() {
      const { content } = await host.callTool('lead', `${SERVER}__${COUNT_TOOL}`, {})
      return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    },
    close: () => host.close(),
  }
}

/** Opens an agent of the OpenAI Agents SDK that makes all calls in one turn. */
async function openOpenaiAgents(calls: number): Promise<ToolClient> {
  const { Agent, MCPServerStdio, run } = await import('@openai/agents')
  const { scriptedModel } = await import('../frameworks/openai-agents.ts')
  const server = new MCPServerStdio({ ...STDIO, name: SERVER, cacheToolsList: true })
  await server.connect()
  const model = scriptedModel(parentScript(TOOL, calls))
  const agent = new Agent({ name: 'lead', instructions: INSTRUCTION, model, mcpServers: [server] })
  return {
    async call() {
      assert.equal((await run(agent, INPUT)).finalOutput, FINAL_TEXT)
    },
    async count() {
      const [part] = await server.callTool(COUNT_TOOL, {})
      return part?.type === 'text' && typeof part['text'] === 'string' ? part['text'] : ''
    },
    close: () => server.close(),
  }
}
