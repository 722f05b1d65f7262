import type { JsonObject, ToolDefinition } from '@troupe/schema'

const COMBINATORS = ['oneOf', 'anyOf', 'allOf'] as const
const OPENAI_DESCRIPTION = 1024
const ANTHROPIC_KEY = /^[a-zA-Z0-9_.-]{1,64}$/u

type DescribedTool = Pick<ToolDefinition, 'description' | 'inputSchema'>
type Rule = (tool: DescribedTool) => string | undefined

/** What the APIs answer with status 400, by provider; those that run on other people's servers have no common rules. */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  openai: [topLevelOnly([...COMBINATORS, 'not', 'enum']), shortDescription(OPENAI_DESCRIPTION)],
  anthropic: [topLevelOnly(COMBINATORS), plainKeys(ANTHROPIC_KEY)],
}

/** Why a provider would refuse a request that offers the tool; nothing where it would not, or where nothing is known. */
export function toolRefusals(provider: string, tool: DescribedTool): readonly string[] {
  const rules = Object.hasOwn(RULES, provider) ? (RULES[provider] ?? []) : []
  return rules.flatMap((rule) => rule(tool) ?? [])
}

function topLevelOnly(keywords: readonly string[]): Rule {
  return ({ inputSchema }) => {
    const found = keywords.filter((keyword) => Object.hasOwn(inputSchema, keyword))
    return found.length === 0
      ? undefined
      : `its input schema has ${found.join(' and ')} at the top level, where only \`type: object\` may stand`
  }
}

function shortDescription(most: number): Rule {
  return ({ description }) =>
    description.length > most
      ? `its description has ${description.length} characters; at most ${most} are taken`
      : undefined
}

function plainKeys(pattern: RegExp): Rule {
  return ({ inputSchema }) => {
    const odd = Object.keys((inputSchema['properties'] ?? {}) as JsonObject).find((key) => !pattern.test(key))
    return odd === undefined
      ? undefined
      : `its argument ${JSON.stringify(odd)} is not made of 1 to 64 letters, digits, ".", "_" and "-"`
  }
}
