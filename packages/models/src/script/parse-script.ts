import { readFileSync } from 'node:fs'
import { errorMessage } from '@troupe/schema'
import { load, YAMLException } from 'js-yaml'
import { describeIssues, invalidScript, ruleLocation, stepLocation } from './script-problem.ts'
import { scriptSchema, type ModelScript, type ScriptFileStep, type ScriptStep } from './script-schema.ts'
import { findBadPlaceholder } from './template.ts'

const MAX_BYTES = 1024 * 1024

/** Reads a script from `known` or from its file. Throws `model_script_invalid`. */
export function readScript(file: string, known?: ReadonlyMap<string, string>): ModelScript {
  return parseScript(known?.get(file) ?? readText(file), file)
}

function readText(file: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw invalidScript(file, `the script cannot be read: ${errorMessage(error)}`, error)
  }
  if (bytes.length > MAX_BYTES) throw invalidScript(file, 'a script is at most 1 MiB')
  return bytes.toString('utf8')
}

/** Parses a script. Throws `model_script_invalid` with file, agent, step and key. */
export function parseScript(text: string, file: string): ModelScript {
  const parsed = scriptSchema.safeParse(parseYaml(text, file))
  if (!parsed.success) throw invalidScript(file, describeIssues(parsed.error.issues))
  const { agents = {}, rules = [] } = parsed.data
  const script = {
    file,
    agents: new Map(Object.entries(agents).map(([name, steps]) => [name, steps.map(toStep)])),
    rules: rules.map((rule) => ({ ...toStep(rule), when: rule.when })),
  }
  for (const [agent, steps] of script.agents)
    for (const [index, step] of steps.entries()) checkPlaceholders(step, stepLocation(agent, index), file)
  for (const [index, rule] of script.rules.entries()) checkPlaceholders(rule, ruleLocation(index), file)
  return script
}

function parseYaml(text: string, file: string): unknown {
  try {
    return load(text, { maxDepth: 50, maxAliases: 100 })
  } catch (error) {
    if (!(error instanceof YAMLException)) throw invalidScript(file, 'this is not valid YAML', error)
    const { mark, reason } = error
    const location = mark === undefined ? '' : `line ${mark.line + 1}, column ${mark.column + 1}: `
    throw invalidScript(file, `${location}${reason}`, error)
  }
}

function toStep(step: ScriptFileStep): ScriptStep {
  const { say, call, fail, delay, usage } = step
  return {
    ...(say === undefined ? {} : { say }),
    ...(call === undefined ? {} : { call: call.map(({ tool, args = {} }) => ({ tool, args })) }),
    ...(fail === undefined ? {} : { fail }),
    ...(delay === undefined ? {} : { delay }),
    ...(usage === undefined ? {} : { usage }),
  }
}

function checkPlaceholders({ say, call }: ScriptStep, location: string, file: string): void {
  const problem = findBadPlaceholder([say, call])
  if (problem !== undefined) throw invalidScript(file, `${location}: ${problem}`)
}
