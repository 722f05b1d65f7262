import type { Phrase } from '@troupe/cards'
import { toolSchema } from '@troupe/models'
import { failure, type AgentDefinition, type AgentTool, type Failure, type JsonObject } from '@troupe/schema'
import { closest } from '@troupe/schema/text'
import { relaxationText } from '@troupe/json-schema'
import { needProblems, schemaProblem } from '@troupe/tools'
import { parsePromptTemplate, templateProblems } from '@troupe/tools/prompt-template'

/** A problem with an exported tool, and its path in the card. */
interface ExportProblem {
  readonly problem: Failure
  readonly path: readonly (string | number)[]
  readonly phrase?: Phrase
}

/**
 * Finds problems in `exports.tools`: duplicate names, invalid parameter schemas, unknown placeholders and
 * unmet `needs`.
 */
export function exportProblems({
  exports,
  version,
}: Pick<AgentDefinition, 'exports' | 'version'>): readonly ExportProblem[] {
  const names = exports.tools.map(({ name }) => name)
  const ofTools = exports.tools.flatMap((tool, index) => {
    const path = ['exports', 'tools', index]
    const isDuplicate = names.indexOf(tool.name) < index
    return [
      ...(isDuplicate ? [{ problem: duplicateToolFailure(tool), path: [...path, 'name'] }] : []),
      ...parameterProblems(tool, [...path, 'parameters']),
      ...templateProblemsOf(tool, { what: 'prompt', text: tool.prompt }, [...path, 'prompt']),
      ...templateProblemsOf(tool, { what: 'cache key', text: tool.cache?.key }, [...path, 'cache', 'key']),
    ]
  })
  const ofNeeds = needProblems(exports.tools, version).map(({ problem, tool, need }) => ({
    problem,
    path: ['exports', 'tools', tool, 'needs', need],
  }))
  return [...ofTools, ...ofNeeds]
}

function duplicateToolFailure({ name }: AgentTool): Failure {
  return failure('tool_name_conflict', `exports.tools: two tools are named "${name}".`)
}

function parameterProblems(
  { name, parameters }: AgentTool,
  path: ExportProblem['path'],
): readonly ExportProblem[] {
  const schema = parameters as unknown as JsonObject
  const why = schemaProblem(schema)
  if (why === undefined) return hostProblems(name, schema).map((problem) => ({ problem, path }))
  return [
    { problem: failure('tool_schema_invalid', `exports.tools: the parameters of ${name}: ${why}.`), path },
  ]
}

/**
 * Warns about parts of a schema that a provider does not support. MCP hosts pass the schema to their model
 * unchanged.
 */
function hostProblems(name: string, schema: JsonObject): readonly Failure[] {
  const providersByPart = new Map<string, string[]>()
  for (const provider of ['openai', 'anthropic']) {
    for (const relaxation of toolSchema(provider, schema).relaxations) {
      const what = relaxationText(relaxation)
      providersByPart.set(what, [...(providersByPart.get(what) ?? []), provider])
    }
  }
  return [...providersByPart].map(([what, providers]) =>
    failure(
      'tool_schema_refused',
      `exports.tools: MCP hosts that use ${providers.join(' or ')} may be unable to offer ${name}, because of ${what}.`,
    ),
  )
}

function templateProblemsOf(
  tool: AgentTool,
  { what, text = '' }: { readonly what: string; readonly text: string | undefined },
  path: ExportProblem['path'],
): readonly ExportProblem[] {
  const { name, description } = tool
  const parameters = tool.parameters as unknown as JsonObject
  const problems = templateProblems(parsePromptTemplate(text), { tool: { name, description }, parameters })
  return problems.map(({ placeholder, start, known }) => {
    const suggestion = closest(placeholder.slice(1, -1), known)
    const hint = suggestion === undefined ? '.' : `; did you mean {${suggestion}}?`
    const skip = text.slice(0, start).split(placeholder).length - 1
    return {
      problem: failure(
        'template_unknown_placeholder',
        `The ${what} of ${name} has the unknown placeholder ${placeholder}${hint}`,
      ),
      path,
      phrase: { text: placeholder, skip },
    }
  })
}
