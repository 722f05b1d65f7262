// A client for the official conformance suite, built from the entry points of this package: node client.ts <url of the server>
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getOwn, isJsonObject, TroupeError, type ToolDefinition, type ToolResult } from '@troupe/schema'
import { createFileLoginStore, createMcpPool, logIn } from '../../src/index.ts'
import { realClock } from '../support/real-clock.ts'
import { browserOf } from '../support/browser-of.ts'
import { plannedCalls, type PlannedCall } from './planned-calls.ts'

const MOST_LOGINS = 3
/** The suite accepts this address as a client id metadata document; nothing is fetched from it. */
const CLIENT_METADATA_URL = 'https://conformance-test.local/client-metadata.json'

const url = process.argv.at(-1) ?? ''
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const context: unknown = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}')
const folder = mkdtempSync(join(tmpdir(), 'troupe-conformance-'))
const logins = createFileLoginStore({ folder })
const about = { name: 'troupe-conformance', version: '0.0.0' }
const pool = createMcpPool({ client: about, baseEnv: {}, clock: realClock, logins })
const request = { server: 'conformance', config: { url, auth: authOf(context) }, principal: 'me', folder }
let loginsLeft = MOST_LOGINS

try {
  const lease = await withLogin(() => pool.lease({ ...request, onWarning: (text) => console.error(text) }))
  for (const planned of plannedCalls(lease.tools, context)) await use(planned)
} finally {
  await pool.close()
  rmSync(folder, { recursive: true })
}

/** Calls a tool as core does, and again after a login if the server requires one. */
async function use({ tool, args }: PlannedCall): Promise<void> {
  const result = await withLogin(async () => {
    const called = (await tool.execute(args, toolContext())) as ToolResult
    if (called.failure?.class === 'auth') throw new TroupeError(called.failure)
    return called
  })
  console.error(`${tool.name}: ${JSON.stringify(result)}`)
}

async function withLogin<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    if (!TroupeError.isInstance(thrown) || thrown.code !== 'mcp_needs_auth' || loginsLeft === 0) throw thrown
    loginsLeft -= 1
    await logIn({
      ...request,
      store: logins,
      client: about,
      clock: realClock,
      show: (url) => void browserOf(url),
    })
    return withLogin(work)
  }
}

function authOf(value: unknown): NonNullable<Parameters<typeof logIn>[0]['config']['auth']> {
  const clientId = isJsonObject(value) ? getOwn(value, 'client_id') : undefined
  const clientSecret = isJsonObject(value) ? getOwn(value, 'client_secret') : undefined
  return {
    ...(scenario === 'auth/basic-cimd' ? { clientMetadataUrl: CLIENT_METADATA_URL } : {}),
    ...(typeof clientId === 'string' ? { clientId } : {}),
    ...(typeof clientSecret === 'string' ? { clientSecret } : {}),
  }
}

/** Returns a context whose user approves everything and accepts the proposed values. */
function toolContext(): Parameters<ToolDefinition['execute']>[1] {
  return {
    attempt: 1,
    signal: new AbortController().signal,
    idempotencyKey: 'key',
    progress: () => undefined,
    ask: ({ choices = [] }: { readonly choices?: readonly string[] }) =>
      Promise.resolve({ answered: true, text: choices[0] ?? '' }),
  } as unknown as Parameters<ToolDefinition['execute']>[1]
}
