import { CARD_FORMATS } from '@troupe/card-formats'
import { readCards } from '@troupe/cards'
import { isJsonObject, type AgentDefinition, type Json, type JsonObject } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { CORPUS_DIALECTS, corpusFiles, corpusPath } from './support/corpus.ts'
import { openProject, stdioServer } from './support/open-team.ts'
import { createHost } from '../src/index.ts'

/** Agents of kinds that this version does not have. */
const REFUSED = /(?:managed|elsewhere|remote|address)\.md$|(?:rest|misspelt)\.ai$/u

/** A value that fits a schema. */
function sampleOf(schema: Json | undefined): Json {
  if (!isJsonObject(schema)) return 'x'
  const { type, enum: options, properties } = schema
  if (Array.isArray(options)) return (options as readonly Json[])[0] ?? 'x'
  if (type === 'object' && isJsonObject(properties))
    return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, sampleOf(value)]))
  if (type === 'array') return []
  if (type === 'number' || type === 'integer') return 1
  return type === 'boolean' ? true : 'x'
}

function answerOf({ type, agents, output }: AgentDefinition): string {
  const [agent] = agents
  if (type === 'router') return JSON.stringify({ agent })
  if (type === 'orchestrator') return JSON.stringify({ done: true, tasks: [{ agent, task: 'Begin.' }] })
  return output.schema === undefined ? 'done' : JSON.stringify(sampleOf(output.schema))
}

/** Scripts the models of the files: text, or JSON if the agent answers in JSON. */
function script(definitions: readonly AgentDefinition[]): string {
  const lines = definitions.map((definition) => [
    definition.name,
    [{ say: answerOf(definition) }, { say: 'done' }],
  ])
  return JSON.stringify({ agents: { '*': [{ say: 'done' }], ...Object.fromEntries(lines) } })
}

function definitionsOf(dialect: string, file: string): readonly AgentDefinition[] {
  return readCards(corpusPath(dialect, file), { formats: CARD_FORMATS }).flatMap(
    ({ definition }) => definition ?? [],
  )
}

/** Real processes in the place of the servers that the files name. */
function serversOf(definitions: readonly AgentDefinition[]): JsonObject {
  const names = definitions.flatMap(({ servers, mcpServers }) => [...servers, ...Object.keys(mcpServers)])
  return Object.fromEntries(names.map((name) => [name, stdioServer()]))
}

describe.each(CORPUS_DIALECTS)('files of %s', (dialect) => {
  const files = corpusFiles(dialect).filter((file) => !REFUSED.test(file))
  const all = files.flatMap((file) => definitionsOf(dialect, file))

  it.each(files)(
    `a card of the corpus runs unchanged except for its models and servers: %s ${verifies('R4')}`,
    async (file) => {
      const here = definitionsOf(dialect, file)
      const own = here.some(({ mcpServers }) => Object.keys(mcpServers).length > 0)
      const mcpServers = serversOf(all)
      const project = await openProject({ 's.yaml': script([...all, ...here]) })
      const host = await createHost({
        cards: [corpusPath(dialect, file)],
        cwd: project.path,
        model: 'script/s.yaml',
        config: { mcpServers },
        env: { PATH: process.env['PATH'], HOME: project.path },
        ...(own ? { set: { mcpServers } } : {}),
      })
      try {
        expect(host.plan().problems.filter(({ severity }) => severity === 'error')).toEqual([])
        const entry = host.definition(undefined)
        const schema = entry.input.schema
        const sample = sampleOf(schema)
        const report = await host.run(undefined, isJsonObject(sample) ? sample : 'Begin.')
        expect(report.agent).toBe(entry.name)
        expect(['completed', 'partial']).toContain(report.outcome)
      } finally {
        await host.close()
      }
    },
  )
})
