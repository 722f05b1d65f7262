import { troupeError } from '@troupe/schema'

/** Kinds of files that `troupe new` writes, with their descriptions. */
export const NEW_KINDS = {
  card: 'an agent',
  tool: 'a function that agents call',
  hook: 'code that runs around each tool call of an agent',
  eval: 'cases that check the answers of an agent',
  schedule: 'an agent that the server starts at fixed times',
  deploy: 'files to run the team on servers: image, Compose, systemd, Kubernetes and proxies',
} as const

export type NewKind = keyof typeof NEW_KINDS

/** A new file with what to do next, in which `FILE` stands for its path. */
export interface NewKindFile {
  readonly path: string
  readonly text: string
  readonly next: string
}

/** Returns the Python module of a new tool. Throws `usage_invalid` if the name cannot be that of a function. */
export function newPythonTool(name: string, description = TOOL_DESCRIPTION): NewKindFile {
  const fn = functionName(name, (_, letter) => `_${letter}`)
  return {
    path: `${name}.py`,
    text: pythonToolText(fn, description),
    next: toolSteps(fn, `${name}.py:${fn}`),
  }
}

/** Returns the module of a new tool or hook. Throws `usage_invalid` if the name cannot be that of a function. */
export function newModule(kind: 'tool' | 'hook', name: string, description?: string): NewKindFile {
  const fn = functionName(name)
  const use = `${name}.ts:${fn}`
  return kind === 'tool'
    ? {
        path: `${name}.ts`,
        text: toolText(fn, description ?? TOOL_DESCRIPTION),
        next: toolSteps(fn, use),
      }
    : {
        path: `${name}.ts`,
        text: hookText(fn),
        next: `Write the function, and add it to a card:\n\n  toolHooks: [${use}]\n\nThen: troupe check CARD`,
      }
}

/** Returns the evaluation of the agent with this name. */
export function newEval(agent: string): NewKindFile {
  if (!/^[\w.-]+$/u.test(agent)) throw invalidName(agent)
  return {
    path: `${agent}.eval.yaml`,
    text: `agent: ${JSON.stringify(agent)}
defaults: { repeat: 3, timeout: 60s, budget: 0.05 }
cases:
  - id: first
    input: an example input
    assert:
      - contains: a part of the right answer
      - no-problems
`,
    next: 'Write its cases, then:\n\n  troupe eval FILE',
  }
}

const TOOL_DESCRIPTION = 'Describe here what this tool does, for the models that call it.'

function toolSteps(fn: string, use: string): string {
  return `Write the function, and add it to a card. With the second line, each call needs approval:\n\n  functionTools: [${use}]\n  requiresApproval: [${fn}]\n\nThen: troupe tools CARD`
}

/** Returns the name of a function in the style of its language: `joinWords` gets a separator and the letter after it. */
function functionName(
  name: string,
  joinWords = (_separator: string, letter: string): string => letter.toUpperCase(),
): string {
  const fn = name.replaceAll(/[-_ ]+(\w)/gu, joinWords)
  if (!/^[A-Za-z_]\w*$/u.test(fn) || !/^[\w-]+$/u.test(name)) throw invalidName(name)
  return fn
}

function invalidName(name: string): Error {
  return troupeError('usage_invalid', `"${name}" cannot be the name of this file.`, {
    fix: 'Use letters, digits and hyphens, such as find-order.',
  })
}

function toolText(fn: string, description: string): string {
  return `export function ${fn}({ text }: { text: string }): string {
  return \`You passed \${text}.\`
}
${fn}.description = ${JSON.stringify(description)}
// The effect of a call: 'read' changes nothing, 'idempotent' can be repeated, 'once' must not be repeated.
${fn}.effect = 'once'
${fn}.input = {
  type: 'object',
  properties: { text: { type: 'string', description: 'An example argument.' } },
  required: ['text'],
}
`
}

function pythonToolText(fn: string, description: string): string {
  const escaped = JSON.stringify(description).slice(1, -1)
  return `def ${fn}(text: str) -> str:
    """${escaped}

    Args:
        text: an example argument
    """
    return f"You passed {text}."


# The effect of a call: "read" changes nothing, "idempotent" can be repeated, "once" must not be repeated.
${fn}.effect = "once"
`
}

function hookText(fn: string): string {
  return `import type { CallNext, HookContext, JsonObject, ToolResult } from 'troupe/hooks'

/** Runs around each tool call. Return a result of your own to replace the call. */
export async function ${fn}(ctx: HookContext, args: JsonObject, callNext: CallNext): Promise<ToolResult> {
  ctx.log(\`\${ctx.toolName} is called\`)
  return callNext(args)
}
`
}
