import { readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createHost, type Host, type HostPlan } from '@troupe/host'
import type { Json } from '@troupe/schema'
import { tempProject, verifies, type TempProject } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runProgram } from '../src/program.ts'
import { PROJECTS, type ForeignProject } from './convert-projects/projects.ts'
import { testContext } from './test-context.ts'

const ENV = {
  PLACE: 'there',
  INPUT_API_KEY: 'k',
  OPENAI_API_KEY: 'k',
  ANTHROPIC_API_KEY: 'k',
  OFFICE: 'front',
  TRACKER_KEY: 'k',
}

async function folderWith(files: Readonly<Record<string, string>>): Promise<TempProject> {
  const folder = await tempProject({ '.git/HEAD': '', ...files })
  onTestFinished(() => folder.remove())
  return folder
}

async function open(folder: TempProject, cards: readonly string[]): Promise<Host> {
  const host = await createHost({
    cards,
    cwd: folder.path,
    home: join(folder.path, 'home'),
    env: { ...ENV, PATH: process.env['PATH'] },
  })
  onTestFinished(() => host.close())
  return host
}

/** Converts all cards of a team with the command, into the folder `team` of an empty project. */
async function convert(project: TempProject, plan: HostPlan): Promise<TempProject> {
  const { path } = project
  const elsewhere = await folderWith({})
  const files = new Set(plan.cards.map((card) => card.file))
  const context = testContext({ cwd: path, home: join(path, 'home'), env: ENV })
  const code = await runProgram(['convert', ...files, '--out', `${elsewhere.path}/team/`], context)
  if (code !== 0) throw new Error(context.err())
  return elsewhere
}

/** Everything that decides what an agent does, with paths resolved and children by name. */
function describeAgents(host: Host, plan: HostPlan): Readonly<Record<string, Json>> {
  const names = new Map(plan.agents.map(({ file, name }) => [file, name]))
  return Object.fromEntries(
    plan.agents.map((agent) => {
      const { source: _source, digest: _digest, ...definition } = host.definition(agent.name)
      const { children, tools, servers, models, file } = agent
      const fields = toJson({ ...definition, agents: children.toSorted(), servers, models })
      return [agent.name, { ...resolvePaths(fields, { file, names }), tools: toJson(tools) }]
    }),
  )
}

/** Replaces values of a file of secrets by the variables that a card names instead. */
function hideSecrets(agents: Json, secrets: Readonly<Record<string, string>>): Json {
  return JSON.parse(JSON.stringify(agents), (_key, member: Json) =>
    typeof member === 'string' ? (secrets[member] ?? member) : member,
  ) as Json
}

function toJson(value: unknown): Record<string, Json> {
  return JSON.parse(
    JSON.stringify(value, (key, member: unknown) => (key === 'source' ? undefined : member)),
  ) as Record<string, Json>
}

function resolvePaths(
  { mcpServers, skills, composition, agentTools, instruction, ...fields }: Record<string, Json>,
  { file, names }: { readonly file: string; readonly names: ReadonlyMap<string, string> },
): Record<string, Json> {
  const folder = dirname(file)
  const nameOf = (text: string): string => names.get(resolve(folder, text)) ?? text
  const servers = Object.entries(mcpServers as Record<string, Record<string, Json>>)
  return {
    ...fields,
    mcpServers: Object.fromEntries(
      servers.map(([name, server]) => [
        name,
        server['command'] === undefined
          ? server
          : { ...server, cwd: resolve(folder, typeof server['cwd'] === 'string' ? server['cwd'] : '.') },
      ]),
    ),
    skills: (skills as readonly Json[]).map((skill) =>
      typeof skill === 'string' ? resolve(folder, skill) : skill,
    ),
    composition: JSON.parse(JSON.stringify(composition), (_key, member: Json) =>
      typeof member === 'string' ? nameOf(member) : member,
    ) as Json,
    agentTools: Object.fromEntries(
      Object.entries(agentTools as Record<string, Json>).map(([child, tool]) => [nameOf(child), tool]),
    ),
    // A card cannot fill in the date, so the line with it is left out.
    instruction: (instruction as string).replace(/\n+Today is .*$/u, ''),
  }
}

describe('a project of another product', () => {
  it.each(PROJECTS)(
    `a converted project has the same agents, tools, permissions and servers as the original: $format ${verifies('R4')}`,
    async ({ files, cards, elsewhere: more = {}, secrets = {} }: ForeignProject) => {
      const project = await folderWith(files)
      const original = await open(project, cards)
      const plan = await original.inspect()
      expect(problemsOf(plan)).toEqual([])
      const elsewhere = await convert(project, plan)
      for (const [file, text] of Object.entries(more)) await elsewhere.write(file, text)
      const converted = await open(elsewhere, ['team'])
      const after = await converted.inspect()
      expect(problemsOf(after)).toEqual([])
      expect((await readdir(join(elsewhere.path, 'team'))).length).toBeGreaterThan(0)
      expect(describeAgents(converted, after)).toEqual(hideSecrets(describeAgents(original, plan), secrets))
    },
    120_000,
  )
})

/** Problems of a plan other than the choice of an entry, which is not a property of a card. */
function problemsOf({ problems }: HostPlan): readonly string[] {
  return problems
    .filter(({ severity, code }) => severity === 'error' && code !== 'agent_ambiguous')
    .map(({ message }) => message)
}
