import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { resultText, type ToolResult } from '@troupe/schema'
import type { PermissionDecision } from '@troupe/schema/ports'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { effectivePermission } from '../src/tools/effective-permission.ts'
import { CLAUDE_CODE, CLAUDE_COMMANDS } from './restrictions/claude-code.ts'
import { DOCKER_AGENT } from './restrictions/docker-agent.ts'
import { CODEX, COPILOT, GEMINI } from './restrictions/editors.ts'
import { AI_AGENT, CREWAI, FAST_AGENT, GOOSE, TSAGENT } from './restrictions/frameworks.ts'
import { OPENCODE } from './restrictions/opencode.ts'
import {
  COMMON_FILES,
  readCall,
  type RestrictedFile,
  type RestrictedFormat,
} from './restrictions/restricted-file.ts'
import { openTeam, type RunningTeam } from './support/open-team.ts'

const FORMATS: readonly RestrictedFormat[] = [
  CLAUDE_CODE,
  CLAUDE_COMMANDS,
  OPENCODE,
  COPILOT,
  GEMINI,
  CODEX,
  GOOSE,
  DOCKER_AGENT,
  TSAGENT,
  FAST_AGENT,
  AI_AGENT,
  CREWAI,
]
const STRICTNESS: readonly PermissionDecision[] = ['allow', 'ask', 'deny']

/** A line of the table: a call, and what the product and Troupe do with it. */
interface ComparedCall {
  readonly call: string
  readonly product: PermissionDecision
  readonly troupe: PermissionDecision
}

async function openFile({ files, links = {}, cards }: RestrictedFile): Promise<RunningTeam> {
  const [first = ''] = Object.keys(files)
  const host = await openTeam(
    { ...COMMON_FILES, ...files },
    { cards: cards ?? [first], model: 'passthrough', env: { PATH: process.env['PATH'] } },
  )
  for (const [path, target] of Object.entries(links)) await symlink(target, join(host.path, path))
  return host
}

/** Returns what Troupe does with each call. */
async function compare(file: RestrictedFile): Promise<readonly ComparedCall[]> {
  const host = await openFile(file)
  const errors = host
    .plan()
    .problems.filter(({ severity, code }) => severity === 'error' && code !== 'agent_ambiguous')
  if (errors.length > 0) throw new Error(`${file.title}: ${JSON.stringify(errors)}`)
  const lease = await host.tools(file.agent)
  const policy = effectivePermission(host.definition(file.agent), [])
  const decide = async (written: string): Promise<PermissionDecision> => {
    const call = written.replace('$ROOT', host.path)
    const { tool: name, args } = readCall(call)
    const tool = lease.tools.find((each) => each.name === name)
    const decision = tool === undefined ? 'deny' : (await policy.ofCall(tool, args)).decision
    // A command or a request that is allowed is not made here.
    if (decision === 'allow' && /^(?:shell|web)\./u.test(name)) return decision
    const real = await callTool(host, { agent: file.agent, call })
    if (decision !== 'allow' && real !== decision)
      throw new Error(`${file.title}: ${call}: ${decision}, but a run says ${real}`)
    return real
  }
  const compared: ComparedCall[] = []
  for (const product of STRICTNESS)
    for (const call of file[product] ?? []) compared.push({ call, product, troupe: await decide(call) })
  await lease.release()
  return compared
}

/** Makes a call as a run does, and rejects it if it asks. */
async function callTool(
  host: RunningTeam,
  { agent, call }: { readonly agent: string; readonly call: string },
): Promise<PermissionDecision> {
  const { tool, args } = readCall(call)
  let hasAsked = false
  const result = await host.callTool(agent, tool, args, {
    approve: () => {
      hasAsked = true
      return { decision: 'denied' }
    },
  })
  if (hasAsked) return 'ask'
  return decisionOf(result, call)
}

/** Refusals by permission rules, by the root folder, and of tools that the agent does not have. */
const REFUSALS: ReadonlySet<string | undefined> = new Set([
  'permission_denied',
  'filesystem_denied',
  'tool_unknown',
])

function decisionOf(result: ToolResult, call: string): PermissionDecision {
  if (result.outcome === 'completed') return 'allow'
  if (REFUSALS.has(result.failure?.code)) return 'deny'
  throw new Error(`${call}: ${result.failure?.code ?? ''} ${resultText(result)}`)
}

function isWider({ product, troupe }: ComparedCall): boolean {
  return STRICTNESS.indexOf(troupe) < STRICTNESS.indexOf(product)
}

/** Returns the section of a file in the table. */
function toSection({ title, rule }: RestrictedFile, calls: readonly ComparedCall[]): readonly string[] {
  const rows = calls.map(
    ({ call, product, troupe }) =>
      `| \`${call.replaceAll('\n', String.raw`\n`).replaceAll('|', String.raw`\|`)}\` | ${product} | ${troupe} | ${product === troupe ? '' : 'narrower'} |`,
  )
  return [`### ${title}`, '', rule, '', '| call | product | Troupe | |', '|---|---|---|---|', ...rows, '']
}

describe('files with restrictions', () => {
  it('there are at least 60 files with restrictions, in twelve formats', () => {
    expect(FORMATS.flatMap(({ files }) => files).length).toBeGreaterThanOrEqual(60)
    expect(FORMATS.length).toBe(12)
  })

  it.each(FORMATS)(
    `agents of $format may do no more than in their own product ${verifies('R16')}`,
    async ({ format, files }) => {
      const sections: string[] = [`# ${format}`, '']
      const wider: string[] = []
      for (const file of files) {
        const calls = await compare(file)
        sections.push(...toSection(file, calls))
        wider.push(
          ...calls
            .filter(isWider)
            .map(({ call, product, troupe }) => `${file.title}: ${call}: ${product} → ${troupe}`),
        )
      }
      expect(wider).toEqual([])
      await expect(sections.join('\n')).toMatchFileSnapshot(
        `restrictions/tables/${format.toLowerCase().replaceAll(/\W+/gu, '-')}.md`,
      )
    },
    120_000,
  )
})
