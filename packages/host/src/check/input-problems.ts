import { errorMessage, failure, isJsonObject, type AgentDefinition, type Failure } from '@troupe/schema'
import { closest } from '@troupe/schema/text'
import type { Team } from '../team/collect-team.ts'

/** A problem with a template of an agent, and its path in the card. */
export interface InputProblem {
  readonly problem: Failure
  readonly path: readonly string[]
}

/** Result for an agent without templates. */
export const NO_INPUT_PROBLEMS: readonly InputProblem[] = []

/** Finds invalid templates and unknown variables in the prompts and first messages of a team, by agent name. */
export async function findInputProblems({
  members,
}: Team): Promise<ReadonlyMap<string, readonly InputProblem[]>> {
  const filled = [...members].filter(([, { definition }]) => definition.input.template !== undefined)
  if (filled.length === 0) return new Map()
  // Loaded on demand, because few teams have templates.
  const { parseInputTemplate } = await import('@troupe/tools/input-template')
  return new Map(filled.map(([name, { definition }]) => [name, problemsOf(definition, parseInputTemplate)]))
}

type Parse = (text: string) => { readonly names: readonly string[] }

function problemsOf(
  { instruction, input, agentTools }: Pick<AgentDefinition, 'instruction' | 'input' | 'agentTools'>,
  parse: Parse,
): readonly InputProblem[] {
  const { properties } = input.schema ?? {}
  const known = isJsonObject(properties) ? Object.keys(properties) : []
  const templates = [
    { what: 'The prompt', path: ['instruction'], text: instruction },
    { what: '`input.message`', path: ['input', 'message'], text: input.message ?? '' },
    ...Object.entries(agentTools).flatMap(([child, { input: fixed = {} }]) =>
      Object.entries(fixed).flatMap(([name, text]) =>
        typeof text === 'string'
          ? [{ what: `The value of \`${name}\` for ${child}`, path: ['agentTools', child], text }]
          : [],
      ),
    ),
  ]
  return templates.flatMap(({ what, path, text }) => {
    const add = (message: string, fix: string): InputProblem => ({
      path,
      problem: failure('card_bad_value', message, fix),
    })
    try {
      return parse(text)
        .names.filter((name) => !known.includes(name))
        .map((name) => {
          const near = closest(name, known)
          const hint = near === undefined ? '.' : `; did you mean \`${near}\`?`
          return add(`${what} has the unknown variable \`${name}\`${hint}`, DECLARE)
        })
    } catch (thrown) {
      return [add(`${what} is not a valid template: ${errorMessage(thrown)}`, CORRECT)]
    }
  })
}

const DECLARE =
  'Add it to the properties of `input.schema`, or write text in braces between {% raw %} and {% endraw %}.'
const CORRECT = 'Correct the template, or write text in braces between {% raw %} and {% endraw %}.'
